package bind

import (
	"math"
	"slices"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// sizes determines the size of each index set from all its sources.
type sizes struct {
	d     *dataset.Dataset // the dataset whose Sizes are set
	diags *diag.List
	from  map[*model.Size]string // source of each size, for messages about contradictions
}

// learn enters a size; two sources must agree.
func (z *sizes) learn(s *model.Size, n int, where string, at source.Span) {
	old, known := z.d.Sizes[s]
	if known && old != n {
		z.diags.Errorf(diag.SizesDiffer, at, "size %s is %d in %s and %d in %s", s.Name, old, z.from[s], n, where).
			Help("all arrays over %s must have the same length: correct the data, or give one of them an axis of "+
				"another name",
				s.Name)
		return
	}
	if !known {
		z.d.Sizes[s], z.from[s] = n, where
	}
}

// ofEntries determines sizes that data files give as entries with their names.
func (z *sizes) ofEntries(f *files) {
	for _, s := range z.d.Model.Sizes {
		if x := f.entry(s.Name); x != nil && len(x.Shape) == 0 {
			if v := x.Values.At(0); v != math.Trunc(v) || v < 0 || v > mostElements {
				z.diags.Errorf(diag.SizesDiffer, s.At, "size %s is %g in %s; a size must be a whole number "+
					"from 0 to %d", s.Name, v, x.Origin, int64(mostElements))
				continue
			}
			z.learn(s, int(x.Values.At(0)), "`"+s.Name+"` ("+x.Origin+")", s.At)
		}
	}
}

// ofIndexSet determines J of index(J) if no array has it as an axis: from labels, or else as the larger of the largest
// value and the number of elements in the run.
func (z *sizes) ofIndexSet(s *model.Size, raw map[*model.Array]*content.Array, known *Known) {
	for _, a := range z.d.Model.Arrays {
		x := raw[a]
		if a.IndexOf == nil || x == nil {
			continue
		}
		of, ok := a.IndexOf.Hi.(*model.SizeOf)
		if !ok || of.Size != s {
			continue
		}
		if _, known := z.d.Sizes[s]; known {
			return
		}
		if x.Labels != nil {
			z.learn(s, len(x.Labels), "the labels of `"+a.Name+"`", a.At)
			return
		}
		if v := largest(x); !(v <= mostElements) {
			z.diags.Errorf(diag.OutsideDeclaration, a.At, "the largest value of `%s` is %g, but %s can have at most "+
				"%d elements", a.Name, v, s.Name, int64(mostElements))
			return
		}
		n := max(int(largest(x)), len(known.elements(s)))
		z.learn(s, n, "the largest `"+a.Name+"`", a.At)
		z.diags.Notef(diag.ObservedGroups, a.At, "%s = %d was taken from the largest `%s`; give `data %s` if there "+
			"are unseen groups", s.Name, n, a.Name, s.Name)
	}
}

// mostElements is the largest allowed size of an index set.
const mostElements = 1 << 31

// largest returns the largest value of an array, or 0.
func largest(x *content.Array) (v float64) {
	if x.Rows != nil {
		return max(0, summary(x).High.Value)
	}
	for _, y := range x.Values.All() {
		if y > v { // false for a missing value
			v = y
		}
	}
	return v
}

// ofAbsent determines the sizes of sets that only absent data use from the run.
func (z *sizes) ofAbsent(known *Known, absent []*model.Array) {
	for _, s := range z.d.Model.Sizes {
		names := known.elements(s)
		if _, learned := z.d.Sizes[s]; learned || names == nil || !z.isAbsent(s, absent) {
			continue
		}
		z.learn(s, len(names), "the run", s.At)
		if known.labelled[s.Name] {
			z.d.Labels[s] = names
		}
	}
}

// complete reports an error if a size of the model is not known.
func (z *sizes) complete() {
	for _, s := range z.d.Model.Sizes {
		if _, ok := z.d.Sizes[s]; !ok {
			z.diags.Errorf(diag.UnknownSize, s.At, "size `%s` is not known: give `%s = …`, `data %s`, or "+
				"data with axis %s", s.Name, s.Name, s.Name, s.Name)
		}
	}
}

// isAbsent reports whether a set is indexed only by absent data, or is a later axis of data. It is false for the first
// axis of data, because its rows are those of the new data.
func (z *sizes) isAbsent(s *model.Size, absent []*model.Array) (found bool) {
	for _, a := range z.d.Model.Arrays {
		if a.Role != model.Data {
			continue
		}
		numbers := sizeOf(a.IndexOf) == s
		axis := slices.IndexFunc(a.Type.Axes, func(axis *model.Set) bool { return sizeOf(axis) == s })
		if axis == 0 || numbers && !slices.Contains(absent, a) {
			return false
		}
		found = found || numbers || axis > 0
	}
	return found
}
