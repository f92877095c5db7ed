package emit

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
)

// possible refuses data that make the density 0 whatever the parameters are: observed values outside their law's
// support, and arguments that are known from data and lie outside their domain.
func (e *emitter) possible(m *model.Model) {
	for _, t := range m.Terms {
		if t.Kind == model.Generate || t.Dist == nil {
			continue
		}
		e.inOrder(t)
		if t.Array.Missing {
			continue
		}
		if e.data.StreamedTerm(t) {
			e.possibleByRows(t)
			continue
		}
		leave := e.underRanges(t.Plates)
		if t.Kind == model.Likelihood {
			e.observable(t)
		}
		for k, x := range t.Args {
			if x.Info().Static {
				e.inDomain(t, k, x)
			}
		}
		leave()
	}
}

// observable refuses an observed number outside its law's support, as far as the ends are known from data.
func (e *emitter) observable(t *model.Term) {
	if t.Dist.Event > 0 {
		return
	}
	x := e.termValue(t)
	at := union(x, value{bound: t.Plates})
	x = value{e.align(x, at, nil), at, nil}
	args := make([]Node, len(t.Args))
	for i, a := range t.Args {
		v := e.expr(a)
		at = union(v, value{bound: at})
		args[i] = e.loose(v, at, v.axes)
	}
	if len(at) != len(x.bound) { // an argument reads a discrete unknown
		return
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	ends := [2]Node{e.finite(t.Dist.Lo), e.finite(t.Dist.Hi)}
	if t.Form.Bounds != nil {
		ends[0], ends[1] = t.Form.Bounds(args)
	}
	values, counts, ok := e.counted(x)
	if !ok || len(values) != x.node.Size() {
		return
	}
	los, his := e.known(ends[0], x, lo), e.known(ends[1], x, hi)
	for i, v := range values {
		if counts[i] == 0 || v >= los(i) && v <= his(i) && !math.IsInf(v, 0) {
			continue
		}
		shift := 0.0
		if t.Offset != nil {
			shift = t.Offset.(*model.Num).Value
		}
		e.stop(e.diags.Errorf("E57", t.At, "`%s` is %g (%s), but %s", t.Array.Name, v+shift, e.data.Row(t.Array, e.element(t, i)),
			supportText(t, los(i)+shift, his(i)+shift)).Related(t.Array.At, "the data"))
	}
}

// known is an end of a support for each element of x, as far as data tell it.
func (e *emitter) known(end Node, x value, none float64) func(i int) float64 {
	if !end.Valid() || !end.Static() {
		return func(int) float64 { return none }
	}
	v := autodiff.Eval(nil, end)[0]
	return func(i int) float64 { return v[i%len(v)] } // one number, or one for each
}

// element is the place in its array of the i-th combination of a term's plates.
func (e *emitter) element(t *model.Term, i int) int {
	sub, ok := t.Value.(*model.Subscript)
	if !ok {
		return i
	}
	at := 0
	for k, s := range sub.Subs {
		b := e.box(t.Array.Type.Axes[k])
		v := e.expr(s.At)
		positions := autodiff.Eval(nil, e.align(v, union(v, value{bound: t.Plates}), nil))[0]
		at = at*b.size() + toInt(positions[i]) - b.lo
	}
	return at
}

// inDomain refuses an argument of which an element that counts lies outside its domain.
func (e *emitter) inDomain(t *model.Term, k int, x model.Expr) {
	form := t.Form.Args[k]
	v := e.expr(x)
	all := union(append([]value{v}, e.guards...)...)
	v = value{e.align(v, all, v.axes), all, v.axes}
	values, counts, ok := e.counted(v)
	if !ok {
		return
	}
	last := 1
	if n := v.node.Rank(); n > 0 {
		last = v.node.Shape()[n-1]
	}
	for i, number := range values {
		switch {
		case counts[i] == 0 || form.Domain.Has(number):
		case form.Rank > 0:
			e.fail("E52", x, "`%s` needs `%s` to be %s, but element %d of `%s` is %g", t.Dist.Name, form.Name,
				form.Domain, i%last+1, x.Info().At.Text(), number)
		default:
			e.fail("E51", x, "the argument `%s` of `%s` must be %s, but `%s` is %g%s", form.Name, t.Dist.Name,
				form.Domain, x.Info().At.Text(), number, e.indexText(v, i))
		}
	}
}

// indexText says at which values of its indices a value is element i.
func (e *emitter) indexText(v value, i int) string {
	var at []string
	for k, index := range slices.Backward(v.bound) {
		n, name := v.node.Shape()[k], index.Name
		if name == "" {
			name = "place"
		}
		at = append([]string{fmt.Sprintf("%s = %d", name, e.box(index.Set).lo+i%n)}, at...)
		i /= n
	}
	if len(at) == 0 {
		return ""
	}
	return " at " + strings.Join(at, ", ")
}

// supportText says what a law's support is. Of one that depends on a parameter one end may be known.
func supportText(t *model.Term, lo, hi float64) string {
	switch {
	case math.IsInf(lo, -1) && !math.IsInf(hi, 1):
		return fmt.Sprintf("%s here has support up to %g", t.Dist.Name, hi)
	case t.Form.Bounds != nil && math.IsInf(hi, 1):
		return fmt.Sprintf("%s here has support from %s on", t.Dist.Name, endText(lo))
	}
	return t.Dist.Name + " has support " + endText(lo) + ".." + endText(hi)
}

// endText writes an end of a range as the language does.
func endText(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	case v > 0 && v < 1e-300: // open at 0
		return "0"
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// inOrder refuses classes that are to be those of an axis in order, but are not as many.
func (e *emitter) inOrder(t *model.Term) {
	if t.Dist.Name != "Categorical" || t.Array.IndexOf == nil {
		return
	}
	axes := t.Args[0].Info().Type.Axes
	axis, of := e.box(axes[len(axes)-1]), e.box(t.Array.IndexOf)
	if axis.lo != of.lo && axis.size() != of.size() {
		e.stop(e.diags.Errorf("E40", t.Args[0].Info().At, "`%s` has an axis %d..%d, but `%s` has the %d values %d..%d",
			t.Args[0].Info().At.Text(), axis.lo, axis.hi, t.Array.Name, of.size(), of.lo, of.hi).
			Related(t.Array.At, "the data").
			Help("values are taken for elements of the axis in order: give both the same size"))
	}
}

// possibleByRows is possible for a term on data in a file, as far as their extremes tell.
func (e *emitter) possibleByRows(t *model.Term) {
	if d, ok := e.data.StreamItself(t.Value); ok && t.Kind == model.Likelihood && t.Dist.Event == 0 && d.Low.At >= 0 {
		lo, hi := e.endsByRows(t)
		shift := 0.0
		if t.Offset != nil {
			shift = t.Offset.(*model.Num).Value
		}
		for _, x := range []dataset.Extreme{d.Low, d.High} {
			if v := x.Value - shift; v < lo || v > hi || math.IsInf(v, 0) {
				e.stop(e.diags.Errorf("E57", t.At, "`%s` is %g (%s), but %s", t.Array.Name, x.Value, e.data.Row(t.Array, x.At),
					supportText(t, lo+shift, hi+shift)).Related(t.Array.At, "the data"))
			}
		}
	}
	for k, x := range t.Args {
		d, ok := e.data.StreamItself(x)
		if form := t.Form.Args[k]; ok && d.Low.At >= 0 && form.Rank == 0 {
			for _, v := range []float64{d.Low.Value, d.High.Value} {
				if !form.Domain.Has(v) {
					e.fail("E51", x, "the argument `%s` of `%s` must be %s, but `%s` is %g", form.Name, t.Dist.Name,
						form.Domain, x.Info().At.Text(), v)
				}
			}
		}
	}
}

// endsByRows are the ends of a law's support as far as they are numbers, on the scale of its value.
func (e *emitter) endsByRows(t *model.Term) (lo, hi float64) {
	ends := [2]Node{e.finite(t.Dist.Lo), e.finite(t.Dist.Hi)}
	if t.Form.Bounds != nil {
		args := make([]Node, len(t.Args))
		for i, a := range t.Args {
			if args[i] = e.g.Input("unknown"); !e.data.Streamed(a) {
				args[i] = e.expr(a).node
			}
		}
		ends[0], ends[1] = t.Form.Bounds(args)
	}
	number := func(n Node, none float64) float64 {
		if !n.Valid() || !n.Static() || n.Size() != 1 {
			return none
		}
		return autodiff.Eval(nil, n)[0][0]
	}
	return number(ends[0], math.Inf(-1)), number(ends[1], math.Inf(1))
}
