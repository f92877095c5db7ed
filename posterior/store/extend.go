package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

// Replicates describes the variables that Extend adds. A draw consists of the elements of Variables, then those of
// LeftOut.
type Replicates struct {
	Variables     []types.Variable
	GivenUnknowns []string         // names of Variables that depend on the data through discrete unknowns
	LeftOut       []types.Variable // replicates with the same names that depend only on the parameters
}

// Extend adds replicates of the data to a finished run, in the group posterior_predictive, which it replaces if it
// exists. The caller appends as many draws of each chain as the run has. Readers can use the run meanwhile; they see
// the replicates after the writer is closed.
func Extend(disk files.System, dir string, r Replicates) (*Writer, error) {
	return extend(disk, dir, r.layout(), func(l *Layout, added Layout) {
		l.Predictive, l.GivenUnknowns, l.LeftOutReplicates = added.Predictive, added.GivenUnknowns,
			added.LeftOutReplicates
	})
}

// layout returns the layout of the replicates. Variables of LeftOut get new, unique names.
func (r Replicates) layout() Layout {
	l := Layout{Predictive: r.Variables, GivenUnknowns: r.GivenUnknowns}
	for _, v := range r.LeftOut {
		of := v.Name
		v.Name += "_left_out"
		for slices.ContainsFunc(r.Variables, func(w types.Variable) bool { return w.Name == v.Name }) {
			v.Name += "_"
		}
		v.Doc = "replicates of " + of + " for LOO-PIT: its discrete unknowns are drawn given the parameters alone"
		l.LeftOutReplicates = append(l.LeftOutReplicates, LeftOutReplicate{v, of})
	}
	return l
}

// ExtendPredictions is Extend for predictions at new data, in the groups predictions and predictions_constant_data. All
// chains must get the same number of draws.
func ExtendPredictions(disk files.System, dir string, vs []types.Variable, at []Observed) (*Writer, error) {
	return extend(disk, dir, Layout{Predictions: vs, PredictedAt: at}, func(l *Layout, added Layout) {
		l.Predictions, l.PredictedAt = added.Predictions, added.PredictedAt
	})
}

// extend adds the groups of a layout. set copies these groups from one layout to another.
func extend(disk files.System, dir string, added Layout, set func(l *Layout, added Layout)) (*Writer, error) {
	disk = disk.Below(dir)
	r, err := OpenOn(disk, dir)
	if err != nil {
		return nil, err
	}
	layout := r.Layout
	set(&layout, Layout{})
	without := layoutDocument{r.Info.ID, layout} // the layout without the groups to be replaced
	if err := writeJSON(disk, filepath.Join(dir, layoutFile), without); err != nil {
		return nil, err
	}
	set(&layout, added)
	if err := layout.check(); err != nil {
		panic("internal error: layout of draws: " + err.Error())
	}
	added.Chains = r.Layout.Chains
	w := newWriter(disk, dir, added, Options{Draws: r.Info.Draws})
	w.info, w.extends = r.Info, &layout
	if w.store, err = openStore(disk, dir, r.bound); err != nil {
		return nil, err
	}
	for _, g := range added.groups() {
		if len(g.variables) > 0 {
			err = errors.Join(err, w.store.drop(g.name))
		}
	}
	for _, g := range added.constants() {
		if len(g.arrays) > 0 {
			err = errors.Join(err, w.store.drop(g.name), w.constant(g))
		}
	}
	return w, errors.Join(err, w.allStreamed(added))
}

// openStore reads the metadata of an existing store.
func openStore(disk files.System, dir string, b binding) (*store, error) {
	text, err := readDocument(disk, dir, ".zmetadata", mostMetadata)
	if err != nil {
		return nil, err
	}
	var doc struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, damaged(dir, ".zmetadata", jsonError(err))
	}
	s := &store{disk, dir, map[string]any{}, b, newPacker()}
	for key, text := range doc.Metadata {
		s.docs[key] = text
	}
	return s, nil
}

// drop removes a group. It removes it from the metadata first, so that readers never see a partly deleted group.
func (s *store) drop(group string) error {
	if _, there := s.docs[group+"/.zgroup"]; !there {
		return s.disk.RemoveAll(path(s.dir, group)) // remains of a crash
	}
	for _, key := range slices.Collect(maps.Keys(s.docs)) {
		if strings.HasPrefix(key, group+"/") {
			delete(s.docs, key)
		}
	}
	if err := s.consolidate(); err != nil {
		return fmt.Errorf("cannot replace the group %s: %w", group, err)
	}
	return s.disk.RemoveAll(path(s.dir, group))
}
