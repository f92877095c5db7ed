package draws

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppl/lang/types"
)

// Extend adds replicates of the data to a run that has ended, in the group posterior_predictive, which it replaces if
// it is there: variables with as many chains as the run has, of which as many draws as the run has are to be appended.
// The run can be read all the time; the replicates can when the writer has been closed.
func Extend(dir string, vs []types.Variable) (*Writer, error) {
	r, err := Open(dir)
	if err != nil {
		return nil, err
	}
	if err := r.unlist(); err != nil {
		return nil, err
	}
	w := newWriter(dir, Layout{Chains: r.Layout.Chains, Predictive: vs}, Options{})
	w.info = r.Info
	layout := r.Layout
	layout.Predictive = vs
	if err := layout.check(); err != nil {
		panic("internal error: layout of draws: " + err.Error())
	}
	w.extends = &layout
	if w.store, err = openStore(dir); err != nil {
		return nil, err
	}
	if err := w.store.drop(predictive); err != nil {
		return nil, err
	}
	return w, w.allStreamed(Layout{Predictive: vs})
}

// unlist removes replicates that are to be replaced from the layout.
func (r *Run) unlist() error {
	if r.Layout.Predictive == nil {
		return nil
	}
	r.Layout.Predictive = nil
	return writeJSON(filepath.Join(r.Dir, layoutFile), r.Layout)
}

// openStore reads the metadata of an existing hierarchy.
func openStore(dir string) (*store, error) {
	text, err := os.ReadFile(filepath.Join(dir, ".zmetadata"))
	if err != nil {
		return nil, err
	}
	var doc struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, damaged(dir, ".zmetadata", err)
	}
	s := &store{dir, map[string]any{}, newPacker()}
	for key, text := range doc.Metadata {
		s.docs[key] = text
	}
	return s, nil
}

// drop removes a group, first from the metadata that readers see.
func (s *store) drop(group string) error {
	if _, there := s.docs[group+"/.zgroup"]; !there {
		return os.RemoveAll(path(s.dir, group)) // what a crash left behind
	}
	for _, key := range slices.Collect(maps.Keys(s.docs)) {
		if strings.HasPrefix(key, group+"/") {
			delete(s.docs, key)
		}
	}
	if err := s.consolidate(); err != nil {
		return fmt.Errorf("cannot renew %s: %w", group, err)
	}
	return os.RemoveAll(path(s.dir, group))
}
