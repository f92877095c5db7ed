// Package validate reports errors in data that contradict the model: values outside the support of their distribution,
// arguments outside their domain, arrays whose elements are drawn from themselves. It warns about priors about which
// the data say little.
//
//	y[i in N] ~ Poisson(rate)    data y = [3, -1]: error, `y` is -1 (row 2), but Poisson has support 0..inf
package validate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/stdlib"
)

// CheckData reports an error for data that make the density 0 whatever the parameters are: observed values outside the
// support of their distribution, and arguments given by data outside their domain.
func CheckData(e *evaluate.Evaluator, m *model.Model) {
	for _, t := range m.Terms {
		if t.Kind == model.Generate {
			continue
		}
		if t.Dist == nil {
			checkFormula(e, t)
			continue
		}
		checkClasses(e, t)
		warnUnusedLimits(e, t)
		if t.Array.Missing {
			continue
		}
		if e.Data.StreamedTerm(t) {
			possibleByRows(e, t)
			continue
		}
		leave := e.UnderRanges(t.Plates)
		if t.Weight != nil {
			positiveWeights(e, t)
		}
		if t.Kind == model.Likelihood {
			observable(e, t)
			warnDegrees(e, t)
			observableEvent(e, t)
			beyondLimits(e, t)
			tooNarrow(e, t)
		}
		for k, x := range t.Args {
			if x.Info().Static {
				inDomain(e, t, k, x)
			}
		}
		checkNeighbours(e, t)
		leave()
	}
}

// checkFormula checks an observation whose log density is a formula: it reports an error for negative weights, and for
// values outside the bounds of `in`.
func checkFormula(e *evaluate.Evaluator, t *model.Term) {
	if t.Kind != model.Likelihood || t.Array.Missing || e.Data.StreamedTerm(t) {
		return
	}
	defer e.UnderRanges(t.Plates)()
	if t.Weight != nil {
		positiveWeights(e, t)
	}
	x := density.TermValue(e, t)
	if len(x.Axes) > 0 { // one term for all elements; its density is 0 if one of them is outside
		return
	}
	at := evaluate.Union(x, evaluate.Value{Bound: t.Plates})
	values, counts, ok := e.Counted(evaluate.Value{Node: e.Align(x, at, nil), Bound: at})
	if ok {
		insideTruncation(e, t, at, values, counts, 0)
	}
}

// observable reports an error for an observed number outside its distribution's support, if data determine the bounds
// of the support.
func observable(e *evaluate.Evaluator, t *model.Term) {
	if t.Dist.Event > 0 {
		return
	}
	x := density.TermValue(e, t)
	at := evaluate.Union(x, evaluate.Value{Bound: t.Plates})
	x = evaluate.Value{Node: e.Align(x, at, nil), Bound: at}
	args := make([]autodiff.Node, len(t.Args))
	for i, a := range t.Args {
		v := e.Expr(a)
		at = evaluate.Union(v, evaluate.Value{Bound: at})
		args[i] = e.AlignLoosely(v, at, v.Axes)
	}
	if len(at) != len(x.Bound) { // an argument reads a discrete unknown
		return
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	ends := [2]autodiff.Node{density.FiniteEnd(e, t.Dist.Lo), density.FiniteEnd(e, t.Dist.Hi)}
	if t.Form.Bounds != nil {
		ends[0], ends[1] = t.Form.Bounds(args)
	}
	if insideSupport(e, t, ends) {
		return
	}
	values, counts, ok := e.Counted(x)
	if !ok || len(values) != x.Node.Size() {
		return
	}
	los, his := knownEnd(e, ends[0], x, lo), knownEnd(e, ends[1], x, hi)
	shift := 0.0
	if t.Offset != nil {
		shift = t.Offset.(*model.Num).Value
	}
	insideTruncation(e, t, at, values, counts, shift)
	upTo := limitAt(e, t.UpTo, at, math.Inf(1))
	for i, v := range values {
		if t.UpTo != nil && v+shift <= upTo(i) && v < his(i) { // a lower end may be below the support
			continue
		}
		if t.UpTo != nil && counts[i] != 0 && v+shift > upTo(i) {
			e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "the lower end `%s` is %g (%s), above the upper end, "+
				"which is %g", t.Array.Name, v+shift, e.Data.Row(t.Array, elementOf(e, t, i)),
				upTo(i)).Related(t.Array.At, "the data").Help("`upto` is the " +
				"upper end of an interval that begins at the data value: correct one of them"))
		}
		if counts[i] == 0 || v >= los(i) && v <= his(i) && !math.IsInf(v, 0) {
			if counts[i] != 0 && (v == los(i) || v == his(i)) && !t.Recorded() {
				densityAtEnd(e, t, args, i, v)
			}
			continue
		}
		e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "`%s` is %g (%s), but %s", t.Array.Name, v+shift,
			e.Data.Row(t.Array, elementOf(e, t, i)),
			supportText(t, los(i)+shift, his(i)+shift)).Related(t.Array.At, "the data").
			Help("%s", supportHelp(e, t, v+shift)))
	}
}

// insideSupport reports whether the range of an observed array shows that all of its elements are inside the support of
// their distribution. Then no element has to be read, which may be on a page that this process does not need.
func insideSupport(e *evaluate.Evaluator, t *model.Term, ends [2]autodiff.Node) bool {
	x := t.Value
	if s, is := x.(*model.Subscript); is {
		x = s.X
	}
	ref, is := x.(*model.Ref)
	if !is || t.In != nil || t.UpTo != nil || t.Offset != nil {
		return false
	}
	limits := [2]float64{math.Inf(-1), math.Inf(1)}
	for k, end := range ends {
		switch {
		case !end.Valid() || !end.Static():
		case end.Size() == 1:
			limits[k] = autodiff.Eval(nil, end)[0][0]
		default:
			return false
		}
	}
	data, known := e.Data.Arrays[ref.Array]
	if !known || data.Stream != nil {
		return false
	}
	low, high := data.Values.Range()
	if t.Dist.Discrete() { // an end has a probability
		return low >= limits[0] && high <= limits[1] && !math.IsInf(low, 0) && !math.IsInf(high, 0)
	}
	return low > limits[0] && high < limits[1]
}

// positiveWeights reports an error for negative weights.
func positiveWeights(e *evaluate.Evaluator, t *model.Term) {
	at := evaluate.Union(evaluate.Value{Bound: t.Plates}, e.Expr(t.Weight))
	weight := limitAt(e, t.Weight, at, 0)
	for i := range e.Align(e.Expr(t.Weight), at, nil).Size() {
		if w := weight(i); !(w >= 0) {
			e.Stop(e.Diags.Errorf(diag.ArgumentDomain, t.Weight.Info().At, "a weight of `%s` is %g, but "+
				"weights must be 0 or positive", t.Array.Name, w).
				Help("correct the weights; a row with weight 0 has no effect"))
		}
	}
}

// supportHelp suggests why a value may be outside the support.
func supportHelp(e *evaluate.Evaluator, t *model.Term, v float64) string {
	switch {
	case t.Dist.Name == "Bernoulli":
		return fmt.Sprintf("if the data have two codes, declare the code that means true: `data %s[N]: bool(%g)`",
			t.Array.Name, v)
	case t.Dist.Discrete() && v == 0:
		return fmt.Sprintf("values that are counted from 0 are declared `data %s[N]: index(0..K)`", t.Array.Name)
	case t.Dist.Name == "VonMises":
		return angleHelp(e, t.Array)
	case t.Dist.Name == "Binomial":
		return "the first argument is the number of trials; is the column one of failures?"
	}
	return "correct the data, read a code as missing (`missing -9`), or take a distribution with this support"
}

// insideTruncation reports an error for observed numbers outside `in a..b`, if data determine the bounds.
func insideTruncation(e *evaluate.Evaluator, t *model.Term, at []*model.Index, values, counts []float64,
	shift float64) {
	if t.In == nil {
		return
	}
	lo, hi := limitAt(e, t.In.Lo, at, math.Inf(-1)), limitAt(e, t.In.Hi, at, math.Inf(1))
	for i, v := range values {
		v += shift
		if counts[i] != 0 && (v < lo(i) || v > hi(i)) {
			e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "`%s` is %g (%s), but its distribution is "+
				"truncated to %s..%s", t.Array.Name, v, e.Data.Row(t.Array, elementOf(e, t, i)),
				evaluate.EndText(lo(i)), evaluate.EndText(hi(i))).Related(t.Array.At, "the data").Help(
				"truncation means that no other values can be observed; for values known only to lie beyond a "+
					"limit, write `censored %s..%s`", t.In.Lo.Info().At.Text(), t.In.Hi.Info().At.Text()))
		}
	}
}

// limitAt returns a limit at each combination of plates, or none if it depends on a parameter.
func limitAt(e *evaluate.Evaluator, x model.Expr, at []*model.Index, none float64) func(i int) float64 {
	if x == nil || !x.Info().Static {
		return func(int) float64 { return none }
	}
	v := e.Expr(x)
	return knownEnd(e, e.AlignLoosely(v, evaluate.Union(evaluate.Value{Bound: at}, v), nil), evaluate.Value{}, none)
}

// densityAtEnd reports an error for a value at an end of a continuous distribution's support where the density is 0 or
// infinite, such as 0 for a LogNormal. Arguments given by data have their values. For the others an arbitrary value
// suffices, except for isolated values that a sampler never draws, such as the shape 1 of a Gamma.
func densityAtEnd(e *evaluate.Evaluator, t *model.Term, args []autodiff.Node, i int, v float64) {
	if t.Dist.Discrete() {
		return
	}
	at := make([]autodiff.Node, len(args))
	for k, a := range t.Form.Args {
		if a.Rank > 0 || a.Domain.Kind == types.IntRange {
			return
		}
		at[k] = e.Graph.Const(typical(a.Domain) + float64(k)/8)
		if n := args[k]; n.Static() {
			known := autodiff.Eval(nil, n)[0]
			at[k] = e.Graph.Const(known[i%len(known)])
		}
	}
	lp := autodiff.Eval(nil, t.Form.LogProb(e.Graph.Const(v), at))[0][0]
	if !math.IsInf(lp, 0) {
		return
	}
	e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "`%s` is %g (%s), a bound of the support of %s, where the "+
		"density is %s", t.Array.Name, v, e.Data.Row(t.Array, elementOf(e, t, i)), t.Dist.Name,
		map[bool]string{true: "0 or infinite, depending on its parameters", false: "0"}[lp > 0]).
		Related(t.Array.At, "the data").Help("model such values separately, as in a hurdle model; or, if "+
		"values beyond %g were recorded as %g, write `censored`", v, v))
}

// typical returns a value in the interior of a domain.
func typical(d stdlib.Domain) float64 {
	switch {
	case math.IsInf(d.Hi, 1) && math.IsInf(d.Lo, -1):
		return 0.4
	case math.IsInf(d.Hi, 1):
		return d.Lo + 1.4
	}
	return d.Lo + 0.4*(d.Hi-d.Lo)
}

// knownEnd returns a function from an element of x to an end of the support, or to none if data do not determine it.
func knownEnd(e *evaluate.Evaluator, end autodiff.Node, x evaluate.Value, none float64) func(i int) float64 {
	if !end.Valid() || !end.Static() {
		return func(int) float64 { return none }
	}
	v := autodiff.Eval(nil, end)[0]
	return func(i int) float64 { return v[i%len(v)] } // a single number, or one per element
}

// elementOf returns the position in its array of the i-th combination of a term's plates.
func elementOf(e *evaluate.Evaluator, t *model.Term, i int) int {
	return elementsOf(e, t)(i)
}

// elementsOf returns a function from a combination of a term's plates to the position of its element in the array.
func elementsOf(e *evaluate.Evaluator, t *model.Term) func(i int) int {
	sub, ok := t.Value.(*model.Subscript)
	if !ok {
		return func(i int) int { return i }
	}
	boxes, positions := make([]evaluate.Box, len(sub.Subs)), make([][]float64, len(sub.Subs))
	for k, s := range sub.Subs {
		v := e.Expr(s.At)
		boxes[k] = e.Box(t.Array.Type.Axes[k])
		positions[k] = autodiff.Eval(nil, e.Align(v, evaluate.Union(v, evaluate.Value{Bound: t.Plates}), nil))[0]
	}
	return func(i int) (at int) {
		for k, b := range boxes {
			at = at*b.Size() + evaluate.ToInt(positions[k][i]) - b.Lo
		}
		return at
	}
}

// inDomain reports an error for an argument with an element outside its domain; guarded elements are ignored.
func inDomain(e *evaluate.Evaluator, t *model.Term, k int, x model.Expr) {
	form := t.Form.Args[k]
	v := e.Expr(x)
	all := evaluate.Union(append([]evaluate.Value{v}, e.Guards...)...)
	v = evaluate.Value{Node: e.Align(v, all, v.Axes), Bound: all, Axes: v.Axes}
	values, counts, ok := e.Counted(v)
	if !ok {
		return
	}
	last := 1
	if n := v.Node.Rank(); n > 0 {
		last = v.Node.Shape()[n-1]
	}
	for i, number := range values {
		switch {
		case counts[i] == 0 || form.Domain.Has(number):
		case form.Rank > 0:
			e.Fail(diag.ElementDomain, x, "`%s` needs `%s` to be %s, but element %d of `%s` is %g", t.Dist.Name,
				form.Name, form.Domain, i%last+1, x.Info().At.Text(), number)
		default:
			d := e.Diags.Errorf(diag.ArgumentDomain, x.Info().At, "the argument `%s` of `%s` must be %s, but "+
				"`%s` is %g%s", form.Name, t.Dist.Name, form.Domain, x.Info().At.Text(), number, indexText(e, v, i))
			if x.Info().Static && len(v.Bound)+v.Rank() > 0 {
				d.Help("correct the data, or leave the row out")
			}
			e.Stop(d)
		}
	}
}

// indexText describes the indices of element i of a value, such as " at i = 3".
func indexText(e *evaluate.Evaluator, v evaluate.Value, i int) string {
	var at []string
	for k, index := range slices.Backward(v.Bound) {
		n, name := v.Node.Shape()[k], index.Name
		if name == "" {
			name = "position"
		}
		at = append([]string{fmt.Sprintf("%s = %d", name, e.Box(index.Set).Lo+i%n)}, at...)
		i /= n
	}
	if len(at) == 0 {
		return ""
	}
	return " at " + strings.Join(at, ", ")
}

// supportText describes a distribution's support. If it depends on a parameter, one end may be known.
func supportText(t *model.Term, lo, hi float64) string {
	switch {
	case t.Dist.Name == "VonMises":
		return "VonMises has support -pi..pi"
	case math.IsInf(lo, -1) && !math.IsInf(hi, 1):
		return fmt.Sprintf("%s here has support up to %g", t.Dist.Name, hi)
	case t.Form.Bounds != nil && math.IsInf(hi, 1):
		return fmt.Sprintf("%s here has support from %s on", t.Dist.Name, evaluate.EndText(lo))
	}
	return t.Dist.Name + " has support " + evaluate.EndText(lo) + ".." + evaluate.EndText(hi)
}

// checkClasses reports an error if data with an index type have another number of values than the distribution's axis.
func checkClasses(e *evaluate.Evaluator, t *model.Term) {
	if t.Dist.Name != "Categorical" || t.Array.IndexOf == nil {
		return
	}
	axes := t.Args[0].Info().Type.Axes
	axis, of := e.Box(axes[len(axes)-1]), e.Box(t.Array.IndexOf)
	if axis.Lo != of.Lo && axis.Size() != of.Size() {
		at := t.Args[0].Info().At
		text := at.Text()
		if at.File != t.At.File { // the output of a layer
			at, text = t.At, t.Form.Args[0].Name
		}
		e.Stop(e.Diags.Errorf(diag.AxesDiffer, at, "`%s` has an axis %d..%d, but `%s` has the %d values %d..%d",
			text, axis.Lo, axis.Hi, t.Array.Name, of.Size(), of.Lo, of.Hi).
			Related(t.Array.At, "the data").
			Help("values are taken for elements of the axis in order: give both the same size"))
	}
}

// possibleByRows checks a term on streamed data, for which only the extremes are known.
func possibleByRows(e *evaluate.Evaluator, t *model.Term) {
	if d, ok := e.Data.StreamItself(t.Value); ok && t.Kind == model.Likelihood && t.Dist.Event == 0 && d.Low.At >= 0 {
		lo, hi := endsByRows(e, t)
		shift := 0.0
		if t.Offset != nil {
			shift = t.Offset.(*model.Num).Value
		}
		for _, x := range []dataset.Extreme{d.Low, d.High} {
			if v := x.Value - shift; v < lo || v > hi || math.IsInf(v, 0) {
				e.Stop(e.Diags.Errorf(diag.ImpossibleValue, t.At, "`%s` is %g (%s), but %s", t.Array.Name, x.Value,
					e.Data.Row(t.Array, x.At),
					supportText(t, lo+shift, hi+shift)).Related(t.Array.At, "the data"))
			}
		}
	}
	for k, x := range t.Args {
		d, ok := e.Data.StreamItself(x)
		if form := t.Form.Args[k]; ok && d.Low.At >= 0 && form.Rank == 0 {
			for _, v := range []float64{d.Low.Value, d.High.Value} {
				if !form.Domain.Has(v) {
					e.Fail(diag.ArgumentDomain, x, "the argument `%s` of `%s` must be %s, but `%s` is %g", form.Name,
						t.Dist.Name, form.Domain, x.Info().At.Text(), v)
				}
			}
		}
	}
}

// endsByRows returns the ends of a distribution's support if they are constants, otherwise infinite ends.
func endsByRows(e *evaluate.Evaluator, t *model.Term) (lo, hi float64) {
	ends := [2]autodiff.Node{density.FiniteEnd(e, t.Dist.Lo), density.FiniteEnd(e, t.Dist.Hi)}
	if t.Form.Bounds != nil {
		args := make([]autodiff.Node, len(t.Args))
		for i, a := range t.Args {
			args[i] = e.Graph.Input("unknown")
			if !e.Data.Streamed(a) {
				args[i] = e.Expr(a).Node
			}
		}
		ends[0], ends[1] = t.Form.Bounds(args)
	}
	number := func(n autodiff.Node, none float64) float64 {
		if !n.Valid() || !n.Static() || n.Size() != 1 {
			return none
		}
		return autodiff.Eval(nil, n)[0][0]
	}
	return number(ends[0], math.Inf(-1)), number(ends[1], math.Inf(1))
}
