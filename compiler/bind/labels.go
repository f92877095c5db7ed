package bind

import (
	"math"
	"slices"
	"strings"

	"ppl/compiler/data"
	"ppl/compiler/model"
)

// labels gives index sets the names of their elements: the texts that index(J) arrays hold. Arrays over one set share
// one sorted list, so that a name is the same element in all of them.
func (b *binder) labels() {
	for _, s := range b.m.Sizes {
		var named, numbered []*model.Array
		for _, a := range b.m.Arrays {
			switch {
			case b.from[a] == nil || sizeOf(a.IndexOf) != s:
			case b.from[a].Labels != nil:
				named = append(named, a)
			default:
				numbered = append(numbered, a)
			}
		}
		switch {
		case len(named) == 0:
		case len(numbered) > 0:
			text, number := named[0], numbered[0]
			b.diags.Errorf("E47", number.At, "`%s` holds numbers (%s) and `%s` names (%s), but both are index(%s)",
				number.Name, b.from[number].Origin,
				text.Name, b.from[text].Origin, s.Name).Help("give both names or both numbers").Related(text.At,
				"the names")
		default:
			b.share(s, named)
		}
	}
}

// sizeOf is the size that a set 1..J runs to, if it is one.
func sizeOf(s *model.Set) *model.Size {
	if s == nil || !isOne(s.Lo) {
		return nil
	}
	if of, ok := s.Hi.(*model.SizeOf); ok {
		return of.Size
	}
	return nil
}

// share numbers the labels of arrays over one set alike.
func (b *binder) share(s *model.Size, arrays []*model.Array) {
	var all []string
	for _, a := range arrays {
		all = append(all, b.from[a].Labels...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	for _, a := range arrays {
		x := recode(b.from[a], all)
		b.from[a] = x
		d := b.out.Arrays[a]
		d.Values = x.Values
		b.out.Arrays[a] = d
	}
	b.name(s, all, "the labels of `"+arrays[0].Name+"`", arrays[0])
}

// recode numbers an array's labels by their places in a longer list.
func recode(x *data.Array, all []string) *data.Array {
	y := *x
	if x.Rows != nil {
		y.Labels, y.Codes = all, codesByRows(x, all)
		return &y
	}
	y.Labels, y.Values = all, make([]float64, len(x.Values))
	for i, v := range x.Values {
		y.Values[i] = math.NaN()
		if !math.IsNaN(v) {
			at, _ := slices.BinarySearch(all, x.Labels[int(v)-1])
			y.Values[i] = float64(at + 1)
		}
	}
	return &y
}

// name gives the elements of a set names; two lists for one set must agree.
func (b *binder) name(s *model.Size, labels []string, where string, a *model.Array) {
	old, known := b.out.Labels[s]
	if known && !slices.Equal(old, labels) {
		b.diags.Errorf("E47", a.At, "%s are %s in %s, but %s elsewhere", s.Name, strings.Join(shorten(labels), ", "),
			where, strings.Join(shorten(old), ", "))
		return
	}
	b.out.Labels[s] = labels
}

// noteOrder tells in which order an array must list the elements of a set with names: nothing in it says which is
// which.
func (b *binder) noteOrder() {
	for _, a := range b.m.Arrays {
		if b.from[a] == nil {
			continue
		}
		for _, s := range a.Type.Axes {
			if labels := b.out.Labels[sizeOf(s)]; sizeOf(s) != nil && !b.columns[a] && len(labels) > 1 {
				b.diags.Notef("W07", a.At, "the elements of %s are names: `%s` must list them in the order %s", s.Name,
					a.Name, strings.Join(shorten(labels), ", "))
			}
		}
	}
}
