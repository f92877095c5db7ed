package bind

import (
	"fmt"
	"slices"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/frontend/model"
	"ppl/numbers"
)

// enterLengths sets scalars without a value that are the length of other data: N in
//
//	data N: int, y[N]
//
// is the number of rows of a table with a column y. Other optional scalars are absent, unless the axes of given data
// depend on them.
func (t *arrays) enterLengths() {
	for _, a := range t.unstated {
		x := t.lengthOf(a)
		switch {
		case x != nil:
			t.enter(a, x)
		case a.Optional && !slices.ContainsFunc(t.found, func(f found) bool {
			return readsAny(f.a, []*model.Array{a}, nil)
		}):
			t.absent = append(t.absent, a)
		default:
			t.missing(a)
		}
	}
}

// lengthOf returns the value of the scalar n if it is the length of an axis of data, or nil.
func (t *arrays) lengthOf(n *model.Array) *content.Array {
	for _, f := range t.found {
		if f.file == nil || f.a.Ragged != nil {
			continue
		}
		for k, s := range f.a.Type.Axes {
			if r, ok := s.Hi.(*model.Ref); !ok || r.Array != n || !isOne(s.Lo) {
				continue
			}
			if shape := f.shape(); k < len(shape) {
				return &content.Array{Name: n.Name, Values: numbers.Packed([]float64{float64(shape[k])}), Int: true,
					Origin: fmt.Sprintf("the shape of `%s` (%s)", f.a.Name, f.file.Path)}
			}
		}
	}
	return nil
}
