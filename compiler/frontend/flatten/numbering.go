package flatten

import (
	"fmt"
	"strconv"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// numbering returns the numbering of the elements (i, j) with j in s. Ranges of the same form share one numbering.
func (f *flattener) numbering(i *model.Index, s *model.Set, at source.Span) *model.Ragged {
	key := i.Set.Key + " | " + form(s.Lo, i) + ".." + form(s.Hi, i)
	if r := f.ragged[key]; r != nil {
		return r
	}
	name := nameOf(i, s)
	for _, r := range f.m.Ragged {
		if r.Size.Name == name {
			name += " " + strconv.Itoa(len(f.m.Ragged)+1)
		}
	}
	own := model.NewSet(s.Name, model.Copy(s.Lo), model.Copy(s.Hi)) // a copy, because rewriting changes s
	r := &model.Ragged{Outer: i, Inner: own, Size: &model.Size{Name: name, At: at}, Lengths: lengths(i, s)}
	one := &model.Num{Value: 1, Fact: fact(at, nil, stdlib.Point(1))}
	count := &model.SizeOf{Size: r.Size, Fact: fact(at, nil, stdlib.Range{Lo: 0, Hi: infinity, Int: true})}
	r.Flat = model.NewSet(name, one, count)
	ends := stdlib.Range{Lo: s.Lo.Info().Type.Range.Lo, Hi: s.Hi.Info().Type.Range.Hi, Int: true}
	of := func(what string, over *model.Set, values stdlib.Range) *model.Array {
		return &model.Array{Name: name + " " + what, At: at, Role: model.Data, NeedInt: true,
			Type: model.Type{Elem: types.Int, Axes: []*model.Set{over}, Range: values}}
	}
	r.Before = of("before", i.Set, stdlib.Range{Lo: -infinity, Hi: infinity, Int: true})
	r.Low, r.High = of("low", i.Set, ends), of("high", i.Set, ends)
	r.Group, r.Place = of("group", r.Flat, i.Set.Values()), of("place", r.Flat, ends)
	f.ragged[key] = r
	f.m.Ragged = append(f.m.Ragged, r)
	return r
}

// lengths returns the data array m of a range 1..m[i], or nil for other ranges.
func lengths(i *model.Index, s *model.Set) *model.Array {
	one, isNum := s.Lo.(*model.Num)
	sub, isSub := s.Hi.(*model.Subscript)
	if !isNum || one.Value != 1 || !isSub || len(sub.Subs) != 1 {
		return nil
	}
	ref, isRef := sub.X.(*model.Ref)
	at, isIndex := sub.Subs[0].At.(*model.IndexVar)
	if !isRef || ref.Array.Role != model.Data || !isIndex || at.Index != i || !ref.Array.Type.Axes[0].Same(i.Set) {
		return nil
	}
	return ref.Array
}

// form returns a text of a bound that does not contain the identity of index i. Bounds with equal texts are equal if
// their indices have equal values.
func form(x model.Expr, i *model.Index) string {
	switch x := x.(type) {
	case *model.Num:
		return fmt.Sprint(x.Value)
	case *model.SizeOf:
		return x.Size.Name
	case *model.Ref:
		return fmt.Sprintf("%p", x.Array)
	case *model.IndexVar:
		if x.Index == i {
			return "·"
		}
	case *model.Apply:
		var args []string
		for _, y := range x.Args {
			args = append(args, form(y, i))
		}
		return x.Name + "(" + strings.Join(args, ", ") + ")"
	case *model.Subscript:
		text := form(x.X, i) + "["
		for _, s := range x.Subs {
			if s.At == nil {
				return fmt.Sprintf("%p", x)
			}
			text += form(s.At, i) + ","
		}
		return text + "]"
	}
	return fmt.Sprintf("%p", x)
}
