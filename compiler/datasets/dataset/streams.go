package dataset

import "ppl/compiler/frontend/model"

// HasStreams reports whether any data are read from their file by rows.
func (d *Dataset) HasStreams() bool {
	for _, x := range d.Arrays {
		if x.Stream != nil {
			return true
		}
	}
	return false
}

// HasStreamOf reports whether any data with that many rows are read from their file by rows.
func (d *Dataset) HasStreamOf(rows int) bool {
	for _, x := range d.Arrays {
		if x.Stream != nil && x.Stream.Rows == rows {
			return true
		}
	}
	return false
}

// findStreamed finds the definitions that read data which remain in their file, directly or through other definitions.
func (d *Dataset) findStreamed() map[*model.Array]bool {
	streamed, all := map[*model.Array]bool{}, d.definitions()
	for changed := true; changed; { // one pass is not enough: definitions may read earlier elements of each other
		changed = false
		for _, a := range all {
			for _, b := range readByValues(a) {
				if !streamed[a] && (streamed[b] || d.Arrays[b].Stream != nil) {
					streamed[a], changed = true, true
				}
			}
		}
	}
	return streamed
}

// definitions returns all definitions of the model, including those in function bodies, which are found only through
// the expressions that read them.
func (d *Dataset) definitions() (all []*model.Array) {
	seen := map[*model.Array]bool{}
	var collect func(as []*model.Array)
	collect = func(as []*model.Array) {
		for _, a := range as {
			if seen[a] {
				continue
			}
			seen[a] = true
			if a.Role == model.Definition {
				all = append(all, a)
			}
			collect(model.Arrays(a.Exprs()...))
		}
	}
	collect(d.Model.Arrays)
	for _, t := range d.Model.Terms {
		collect(append(model.Arrays(t.Exprs()...), t.Array))
		collect(model.Arrays(t.Value))
	}
	return all
}

// readByValues lists the arrays that the values of a definition read.
func readByValues(a *model.Array) (out []*model.Array) {
	for _, p := range a.Pieces {
		if p.Value != nil {
			out = append(out, model.Arrays(p.Value)...)
		}
	}
	return out
}

// StreamedArray reports whether an array is read by rows, or is a definition that depends on data read by rows.
func (d *Dataset) StreamedArray(a *model.Array) bool {
	return d.Arrays[a].Stream != nil || d.streamed[a]
}

// Streamed reports whether an expression depends on data that are read by rows.
func (d *Dataset) Streamed(x model.Expr) bool {
	for _, a := range model.Arrays(x) {
		if d.StreamedArray(a) {
			return true
		}
	}
	return false
}

// StreamedTerm reports whether a term depends on data that are read by rows.
func (d *Dataset) StreamedTerm(t *model.Term) bool {
	for _, x := range t.Exprs() {
		if x != nil && d.Streamed(x) {
			return true
		}
	}
	return d.StreamedArray(t.Array)
}

// StreamItself returns the streamed array if an expression is the array itself or an element of it: x or x[i].
func (d *Dataset) StreamItself(x model.Expr) (a Array, ok bool) {
	if s, sub := x.(*model.Subscript); sub {
		x = s.X
	}
	if r, ref := x.(*model.Ref); ref {
		a = d.Arrays[r.Array]
	}
	return a, a.Stream != nil
}

// StreamFile returns the file of the first stream that an expression reads.
func (d *Dataset) StreamFile(x model.Expr) string {
	for _, a := range model.Arrays(x) {
		if x := d.Arrays[a]; x.Stream != nil {
			return x.Origin
		}
	}
	return "a file"
}
