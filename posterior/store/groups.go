package store

import (
	"time"

	"ppl/lang/types"
	"ppl/runtime/sys/files"
)

// writeHead writes everything that does not change during the run: the model, its options, the layout, the groups and
// the observed data.
func (w *Writer) writeHead(l Layout, o Options) (err error) {
	if err := files.Replace(w.disk, w.file(ModelFile), o.Source); err != nil {
		return err
	}
	if err := writeJSON(w.disk, w.file(optionsFile), o.Resolved); err != nil {
		return err
	}
	if err := writeJSON(w.disk, w.file(layoutFile), layoutDocument{w.info.ID, l}); err != nil {
		return err
	}
	if w.store, err = newStore(w.disk, w.dir, binding{w.info.ID}, w.about()); err != nil {
		return err
	}
	if err := w.allStreamed(l); err != nil {
		return err
	}
	for _, g := range l.constants() {
		if err := w.constant(g); err != nil {
			return err
		}
	}
	return nil
}

// about returns the attributes of the store and of each group, with ArviZ's names.
func (w *Writer) about() attributes {
	return attributes{
		"created_at":                w.info.Created.Format(time.RFC3339Nano),
		"creation_library":          "ppl",
		"inference_library":         "ppl",
		"inference_library_version": w.info.Version,
		"model_name":                w.info.Model,
		"sampler":                   w.info.Sampler,
	}
}

// conclude adds attributes that are known only when a run ends to the groups with draws, with ArviZ's names if there
// are any.
func (w *Writer) conclude() error {
	about, r := w.about(), w.info.Report
	about["tuning_steps"], about["thin"], about["sampling_time"] = r.Warmup, max(r.Thin, 1), Number(r.Seconds)
	if len(r.EBFMI) > 0 {
		about["bfmi"] = Numbers(r.EBFMI) // over all iterations, since thinned draws do not determine it
	}
	for _, g := range []string{posterior, sampleStats} {
		if _, there := w.store.docs[g+"/.zattrs"]; !there {
			continue
		}
		if err := w.store.put(g+"/.zattrs", about); err != nil {
			return err
		}
	}
	return nil
}

// allStreamed creates the groups of a layout that have a row for each draw, unless they are empty.
func (w *Writer) allStreamed(l Layout) error {
	for _, g := range l.groups() {
		if len(g.variables) == 0 {
			continue
		}
		if err := w.streamed(g.name, g.variables); err != nil {
			return err
		}
	}
	return nil
}

// streamed creates a group whose arrays begin with the axes chain and draw.
func (w *Writer) streamed(name string, vs []types.Variable) error {
	if err := w.store.group(name, w.about()); err != nil {
		return err
	}
	dims, all := axes(vs)
	if err := w.store.coordinate(name, axis{name: "chain", size: w.chains()}); err != nil {
		return err
	}
	draw := w.store.newArray(intType, []int{0}, []int{w.chunk})
	if err := w.store.array(name+"/draw", draw, dimensions("draw")); err != nil {
		return err
	}
	w.growing = append(w.growing, growing{name + "/draw", draw, 0})
	for _, a := range all {
		if err := w.store.coordinate(name, a); err != nil {
			return err
		}
	}
	for i, v := range vs {
		if err := w.streamedArray(column{group: name, v: v}, dims[i]); err != nil {
			return err
		}
	}
	return w.disk.Sync(path(w.dir, name))
}

func (w *Writer) streamedArray(c column, dims []string) error {
	shape, chunks := append([]int{w.chains(), 0}, c.v.Shape...), append([]int{w.band, w.chunk}, c.v.Shape...)
	a := w.store.newArray(kindOf(c.v), shape, chunks)
	w.growing = append(w.growing, growing{c.key(), a, 1})
	about := dimensions(append([]string{"chain", "draw"}, dims...)...)
	if c.v.Doc != "" {
		about["description"] = c.v.Doc
	}
	return w.store.array(c.key(), a, about)
}

// constant creates a group of arrays that are the same for all draws.
func (w *Writer) constant(g constantGroup) error {
	if len(g.arrays) == 0 {
		return nil
	}
	if err := w.store.group(g.name, w.about()); err != nil {
		return err
	}
	dims, all := axes(variablesOf(g.arrays))
	for _, a := range all {
		if err := w.store.coordinate(g.name, a); err != nil {
			return err
		}
	}
	for i, o := range g.arrays {
		if err := w.store.constant(g.name+"/"+ArrayName(o.Name), o, dims[i]); err != nil {
			return err
		}
	}
	return nil
}
