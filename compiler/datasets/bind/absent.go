package bind

import (
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// leaveOut removes from the model everything generated from absent data, and the sizes that only absent data have.
func leaveOut(d *dataset.Dataset, diags *diag.List, absent, given []*model.Array) {
	if len(absent) == 0 {
		return
	}
	out, sizes := slices.Clone(absent), sizesOf(d, absent, given)
	for more := true; more; {
		more = false
		for _, a := range d.Model.Arrays {
			if !generated(a) || slices.Contains(out, a) || !readsAny(a, out, sizes) {
				continue
			}
			out, more = append(out, a), true
			if a.Save {
				diags.Notef(diag.DataUnavailable, a.At, "`%s` is not computed, since it depends on data "+
					"that are not given (absent: %s)", a.Name, namesOf(absent))
			}
		}
	}
	m := *d.Model
	m.Arrays = slices.DeleteFunc(slices.Clone(m.Arrays), func(a *model.Array) bool { return slices.Contains(out, a) })
	m.Terms = slices.DeleteFunc(slices.Clone(m.Terms), func(t *model.Term) bool {
		return slices.Contains(out, t.Array)
	})
	m.Sizes = slices.DeleteFunc(slices.Clone(m.Sizes), func(s *model.Size) bool {
		return slices.Contains(sizes, s) && !slices.ContainsFunc(m.Arrays, func(a *model.Array) bool {
			return readsAny(a, nil, []*model.Size{s})
		})
	})
	d.Model = &m
}

// generated reports whether an array is a generated quantity or a definition. A definition that reads optional data
// does not influence the density of the model.
func generated(a *model.Array) bool { return a.Role == model.Generated || a.Role == model.Definition }

// sizesOf returns the sizes that only absent arrays use.
func sizesOf(d *dataset.Dataset, absent, given []*model.Array) (out []*model.Size) {
	for _, a := range absent {
		sets := a.Type.Axes
		if a.IndexOf != nil {
			sets = append(slices.Clone(sets), a.IndexOf)
		}
		for _, s := range sets {
			if size := sizeOf(s); size != nil && !slices.ContainsFunc(given, func(b *model.Array) bool {
				return sizeOf(b.IndexOf) == size || slices.ContainsFunc(b.Type.Axes, s.Same)
			}) {
				if _, known := d.Sizes[size]; !known {
					out = append(out, size)
				}
			}
		}
	}
	return out
}

// readsAny reports whether an array's statements read one of the given arrays or sizes.
func readsAny(a *model.Array, arrays []*model.Array, sizes []*model.Size) (found bool) {
	for _, x := range a.Exprs() {
		model.Walk(x, func(y model.Expr) {
			switch y := y.(type) {
			case *model.Ref:
				found = found || slices.Contains(arrays, y.Array)
			case *model.SizeOf:
				found = found || slices.Contains(sizes, y.Size)
			}
		})
	}
	return found
}

func namesOf(arrays []*model.Array) (s string) {
	for i, a := range arrays {
		if i > 0 {
			s += ", "
		}
		s += "`" + a.Name + "`"
	}
	return s
}
