package evaluate

import (
	"strconv"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// checkBox reports an error unless pieces that adjoin along several axes define every element exactly once.
func (e *Evaluator) checkBox(a *model.Array, parts []Value) {
	axes := make([]Box, len(a.Type.Axes))
	for k, s := range a.Type.Axes {
		axes[k] = e.Box(s)
	}
	// number of the piece that defines an element, from 1; 0: none
	by := make([]int, Product(e.Shape(nil, a.Type.Axes)))
	for i, v := range parts {
		part := make([]Box, len(axes))
		for k, s := range v.Axes {
			part[k] = e.Box(s)
		}
		EachPlace(axes, part, func(at int) {
			if by[at] > 0 {
				first := a.Pieces[by[at]-1]
				e.Stop(e.Diags.Errorf(diag.DefinedTwice, a.Pieces[i].At, "`%s` is defined twice: lines "+
					"%d and %d overlap", ElementName(a, axes, at), first.At.Line(),
					a.Pieces[i].At.Line()).Related(first.At, "also defined here"))
			}
			by[at] = i + 1
		})
	}
	for at, i := range by {
		if i == 0 {
			e.Stop(e.Diags.Errorf(diag.Gap, a.At, "`%s` is not defined: no statement for `%s` includes this element",
				ElementName(a, axes, at), a.Name))
		}
	}
}

// EachPlace visits the elements of a part of a box; `at` is the row-major position of an element in the box.
func EachPlace(axes, part []Box, visit func(at int)) {
	if len(axes) == 0 {
		visit(0)
		return
	}
	inner := 1
	for _, b := range axes[1:] {
		inner *= b.Size()
	}
	for i := part[0].Lo; i <= part[0].Hi; i++ {
		EachPlace(axes[1:], part[1:], func(at int) { visit((i-axes[0].Lo)*inner + at) })
	}
}

// ElementName returns the name of an element as users write it, such as x[2, 3].
func ElementName(a *model.Array, axes []Box, at int) string {
	subs := make([]string, len(axes))
	for k := len(axes) - 1; k >= 0; k-- {
		subs[k] = strconv.Itoa(axes[k].Lo + at%axes[k].Size())
		at /= axes[k].Size()
	}
	if len(subs) == 0 {
		return a.Name
	}
	return a.Name + "[" + strings.Join(subs, ", ") + "]"
}
