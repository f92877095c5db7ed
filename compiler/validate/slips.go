package validate

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// beyondLimits warns about censored observations beyond their limit. Censored values must be recorded at the limit; a
// value beyond it counts as the limit. The usual cause is an event indicator used as a limit:
//
//	time[i in N] ~ Weibull(k, s) censored 0..died[i]
func beyondLimits(e *evaluate.Evaluator, t *model.Term) {
	if t.Censored == nil || t.Dist.Event > 0 || t.Offset != nil {
		return
	}
	value := e.Expr(t.Value)
	at := evaluate.Union(value, evaluate.Value{Bound: t.Plates})
	values, counts, ok := e.Counted(evaluate.Value{Node: e.Align(value, at, nil), Bound: at})
	if !ok {
		return
	}
	lo, hi := limitAt(e, t.Censored.Lo, at, math.Inf(-1)), limitAt(e, t.Censored.Hi, at, math.Inf(1))
	beyond, first := 0, 0
	for i, v := range values {
		if counts[i] != 0 && (v < lo(i) || v > hi(i)) {
			if beyond == 0 {
				first = i
			}
			beyond++
		}
	}
	if beyond == 0 {
		return
	}
	end, limit, word, help := t.Censored.Hi, hi(first), "above its upper limit", upperLimitHelp(t)
	if values[first] < lo(first) {
		end, limit, word = t.Censored.Lo, lo(first), "below its lower limit"
		help = "values that are not censored from below have the lower limit `-inf`"
	}
	e.Diags.Warnf(diag.BeyondLimit, t.At, "%s of `%s` outside the limits of `censored`: %g (%s) is %s "+
		"%g and is treated as equal to it", plural(beyond, "value"), t.Array.Name, values[first],
		e.Data.Row(t.Array, elementOf(e, t, first)), word, limit).
		Related(end.Info().At, "the limit").Help("%s", help)
}

// upperLimitHelp advises what to write for values above their limit. A limit that varies may be an indicator of events.
func upperLimitHelp(t *model.Term) string {
	const help = "values that are not censored from above have the limit `inf`"
	if len(model.Indices(t.Censored.Hi)) == 0 {
		return help
	}
	return fmt.Sprintf("%s: with an indicator of events, write `censored 0..(%s == 1 ? inf : %s[i])`", help,
		t.Censored.Hi.Info().At.Text(), t.Array.Name)
}

// tooNarrow warns about normal observations that contradict the bounds of a prior. If all rows have the same mean,
// their standard deviation cannot greatly exceed the maximum that the model allows, and their mean cannot be far
// outside the range that it allows.
//
//	s ~ Uniform(0, 1)
//	y ~ Normal(mu, s)    with y from 80 to 120
func tooNarrow(e *evaluate.Evaluator, t *model.Term) {
	const factor = 3
	if t.Dist.Name != "Normal" || t.Form.Args[1].Name != "sd" || t.In != nil || t.Censored != nil {
		return
	}
	location, scale := t.Args[0], t.Args[1]
	if v := e.Expr(location); len(v.Bound) > 0 || len(v.Axes) > 0 {
		return
	}
	value := e.Expr(t.Value)
	values, counts, ok := e.Counted(value)
	if !ok {
		return
	}
	if len(values) < 2 || slices.Contains(counts, 0) || slices.ContainsFunc(values, math.IsNaN) {
		return
	}
	mean, sd := stat.MeanStdDev(values, nil)
	if top := boundedBy(scale); top != nil && sd > factor*top.Type.Range.Hi {
		contradicted(e, t, top, fmt.Sprintf("the standard deviation of `%s` is %.3g, and `%s` is at most %g",
			t.Array.Name, sd, top.Name, top.Type.Range.Hi))
	}
	if at := boundedBy(location); at != nil {
		lo, hi := at.Type.Range.Lo, at.Type.Range.Hi
		if off := math.Max(lo-mean, mean-hi); off > factor*sd {
			contradicted(e, t, at, fmt.Sprintf("the mean of `%s` is %.3g, and `%s` is in %g..%g", t.Array.Name, mean,
				at.Name, lo, hi))
		}
	}
}

// boundedBy returns the parameter x if it is a scalar with a finite range, or nil.
func boundedBy(x model.Expr) *model.Array {
	ref, ok := x.(*model.Ref)
	if !ok || ref.Array.Role != model.Parameter || len(ref.Array.Type.Axes) > 0 {
		return nil
	}
	if r := ref.Array.Type.Range; math.IsInf(r.Lo, 0) || math.IsInf(r.Hi, 0) {
		return nil
	}
	return ref.Array
}

func contradicted(e *evaluate.Evaluator, t *model.Term, p *model.Array, what string) {
	e.Diags.Warnf(diag.BoundContradictsData, t.At, "%s: the prior of `%s` contradicts the data", what, p.Name).
		Related(p.At, "the prior").
		Help("use a prior without a bound, or with a wider one: the posterior would concentrate at the bound")
}

// WarnTwoIntercepts warns about a sum with two intercepts: an intercept, and either a constant column of X in X @ beta,
// or a constant predictor, or group effects with a prior as wide as the intercept's. The data then inform only their
// sum, and the priors divide it.
func WarnTwoIntercepts(e *evaluate.Evaluator, m *model.Model) {
	w := &interceptFinder{e: e, seen: map[*model.Array]bool{}}
	for _, t := range m.Terms {
		if t.Kind != model.Generate {
			for _, x := range t.Exprs() {
				w.visit(x)
			}
		}
	}
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			if a.Role == model.Definition && p.Value != nil {
				w.visit(p.Value)
			}
		}
	}
}

type interceptFinder struct {
	e    *evaluate.Evaluator
	seen map[*model.Array]bool // intercepts already reported
}

func (w *interceptFinder) visit(x model.Expr) {
	if x == nil || x.Info().Static {
		return
	}
	var intercept *model.Array
	terms := summands(x)
	for _, y := range terms {
		if ref, ok := y.(*model.Ref); ok && ref.Array.Role == model.Parameter && len(ref.Array.Type.Axes) == 0 {
			intercept = ref.Array
		}
	}
	for _, y := range terms {
		if intercept != nil && !w.seen[intercept] {
			w.second(intercept, y)
		}
		if len(terms) > 1 {
			w.constantPredictor(y)
		}
		if len(terms) > 1 {
			for _, z := range y.Children() {
				w.visit(z)
			}
		}
	}
	if len(terms) == 1 {
		for _, y := range x.Children() {
			w.visit(y)
		}
	}
}

// second checks whether a summand contains another intercept.
func (w *interceptFinder) second(intercept *model.Array, x model.Expr) {
	sub, isSub := x.(*model.Subscript)
	if isSub {
		if product, ok := sub.X.(*model.MatMul); ok {
			x = product
		}
	}
	if product, ok := x.(*model.MatMul); ok {
		if matrix, column := w.constantColumn(product.X); column > 0 {
			w.seen[intercept] = true
			w.e.Diags.Warnf(diag.InterceptTwice, x.Info().At, "column %d of `%s` is constant, so its coefficient is "+
				"a second intercept besides `%s`: the data inform only their sum", column, matrix.Name, intercept.Name).
				Help("leave `%s` out, or the column", intercept.Name)
		}
		return
	}
	if !isSub {
		return
	}
	effects, ok := sub.X.(*model.Ref)
	if !ok || len(sub.Subs) != 1 || len(effects.Array.Type.Axes) != 1 || !asWide(effects.Array, intercept) {
		return
	}
	w.seen[intercept] = true
	w.e.Diags.Warnf(diag.InterceptTwice, x.Info().At, "every group of `%s` has an effect with a prior as wide as that "+
		"of the intercept `%s`: the data inform only their sums", effects.Array.Name, intercept.Name).
		Help("leave `%s` out, write `%s[…] ~ … zerosum`, or give the effects a scale parameter: "+
			"`%s[…] ~ Normal(0, tau)`", intercept.Name, effects.Array.Name, effects.Array.Name)
}

// summands returns the summands of a sum. An element of a sum of arrays is treated as the sum.
func summands(x model.Expr) []model.Expr {
	if sub, ok := x.(*model.Subscript); ok {
		if _, isSum := sub.X.(*model.Apply); isSum {
			x = sub.X
		}
	}
	if sum, ok := x.(*model.Apply); ok && (sum.Name == "+" || sum.Name == "-") && len(sum.Args) == 2 {
		return append(summands(sum.Args[0]), summands(sum.Args[1])...)
	}
	return []model.Expr{x}
}

// constantColumn returns a data matrix and its first column (counted from 1) that is a nonzero constant. column is 0 if
// there is none.
func (w *interceptFinder) constantColumn(x model.Expr) (matrix *model.Array, column int) {
	if sub, ok := x.(*model.Subscript); ok {
		x = sub.X
	}
	ref, ok := x.(*model.Ref)
	if !ok || !ref.Static || len(ref.Array.Type.Axes) != 2 || w.e.Data.Streamed(ref) {
		return nil, 0
	}
	v := w.e.Expr(ref)
	if !v.Node.Static() {
		return nil, 0
	}
	values, shape := autodiff.Eval(nil, v.Node)[0], v.Node.Shape()
	for k := range shape[1] {
		same := shape[0] > 1 && values[k] != 0
		for i := range shape[0] {
			same = same && values[i*shape[1]+k] == values[k]
		}
		if same {
			return ref.Array, k + 1
		}
	}
	return nil, 0
}

// asWide reports whether the effects and the intercept have normal priors with constant scales, and the scale of the
// effects is at least that of the intercept. A flat prior counts as infinitely wide.
func asWide(effects, intercept *model.Array) bool {
	a, ok := fixedScale(effects)
	b, ok2 := fixedScale(intercept)
	return ok && ok2 && a >= b
}

func fixedScale(a *model.Array) (sd float64, ok bool) {
	if len(a.Pieces) != 1 || a.Pieces[0].Term == nil || a.Pieces[0].Term.Dist == nil {
		return 0, false
	}
	t := a.Pieces[0].Term
	if t.ZeroSum || t.Ordered || t.In != nil {
		return 0, false
	}
	if t.Dist.Name == "Flat" {
		return math.Inf(1), true
	}
	k := slices.IndexFunc(t.Form.Args, func(x stdlib.Arg) bool { return x.Name == "sd" })
	if k < 0 || t.Dist.Name != "Normal" {
		return 0, false
	}
	n, isNum := t.Args[k].(*model.Num)
	if !isNum {
		return 0, false
	}
	return n.Value, true
}
