package density

import (
	"math"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// zeroSum corrects the density of a zero-sum vector to that of the degenerate normal in K − 1 dimensions: it removes
// one normalising constant for each vector, divided evenly among its K elements.
func zeroSum(e *evaluate.Evaluator, t *model.Term, lp autodiff.Node, args []autodiff.Node) autodiff.Node {
	last := t.Plates[len(t.Plates)-1]
	k := float64(e.Box(last.Set).Size())
	one := t.Form.LogProb(e.Graph.Const(0), args)
	return autodiff.Sub(lp, autodiff.Div(one, e.Graph.Const(k)))
}

// normalised divides a truncated density by P(lo ≤ V ≤ hi). It returns the density unchanged if the distribution
// function has no formula (the normaliser is then a constant) or if the range is the entire support. If the interval
// has probability 0, or its lower end exceeds its upper end, the density is 0.
func normalised(e *evaluate.Evaluator, t *model.Term, lp autodiff.Node, args []evaluate.Value,
	bound []*model.Index) autodiff.Node {
	if t.Form.LogCDF == nil || t.Form.LogCCDF == nil || t.Dist.Improper {
		return lp
	}
	lo, hi := endValue(e, t, t.In.Lo, t.Dist.Lo), endValue(e, t, t.In.Hi, t.Dist.Hi)
	if !lo.Node.Valid() && !hi.Node.Valid() {
		return lp
	}
	own := evaluate.Union(append([]evaluate.Value{lo, hi}, args...)...)
	an := make([]autodiff.Node, len(args))
	for i, a := range args {
		an[i] = e.AlignLoosely(a, own, a.Axes)
	}
	between := e.Full(cumulative(e, t, stdlib.LogBetween(t.Dist, t.Form, alignEnd(e, lo, own), alignEnd(e, hi, own),
		an)), own, nil)
	p := e.AlignLoosely(between, evaluate.Union(between, evaluate.Value{Bound: bound}), nil)
	never := e.Graph.Const(math.Inf(-1))
	some := autodiff.Lt(never, p)
	return autodiff.Where(some, autodiff.Sub(lp, autodiff.Where(some, p, e.Graph.Const(0))), never)
}

// insideEnds sets the density to 0 outside the interval of a truncation. Parameters need no check, since their
// transforms keep them inside.
func insideEnds(e *evaluate.Evaluator, t *model.Term, x, lp autodiff.Node, bound []*model.Index) autodiff.Node {
	if t.Kind == model.Prior {
		return lp
	}
	never := e.Graph.Const(math.Inf(-1))
	if lo := endNode(e, t, t.In.Lo, bound, t.Dist.Lo); lo.Valid() {
		lp = autodiff.Where(autodiff.Le(lo, x), lp, never)
	}
	if hi := endNode(e, t, t.In.Hi, bound, t.Dist.Hi); hi.Valid() {
		lp = autodiff.Where(autodiff.Le(x, hi), lp, never)
	}
	return lp
}

// recordedBetween returns the log density of an interval-censored value: the log probability of the interval, or the
// log density if the two ends are equal.
func recordedBetween(e *evaluate.Evaluator, t *model.Term, x, lp autodiff.Node, args []autodiff.Node,
	bound []*model.Index) autodiff.Node {
	at := func(y model.Expr) autodiff.Node {
		v := e.Expr(y)
		return e.AlignLoosely(v, evaluate.Union(evaluate.Value{Bound: bound}, v), nil)
	}
	var lo, hi autodiff.Node
	switch {
	case t.UpTo != nil:
		lo, hi = x, at(t.UpTo)
		if t.Offset != nil {
			hi = autodiff.Sub(hi, e.Expr(t.Offset).Node)
		}
	case t.Rounded != nil:
		half := autodiff.Mul(e.Graph.Const(0.5), at(t.Rounded))
		lo, hi = autodiff.Sub(x, half), autodiff.Add(x, half)
	default:
		return lp
	}
	p := cumulative(e, t, stdlib.LogBetween(t.Dist, t.Form, lo, hi, args))
	return autodiff.Where(autodiff.Eq(lo, hi), lp, p)
}

// cumulative returns n, or reports an error if n is invalid because the distribution function is a sum whose number of
// terms depends on a parameter.
func cumulative(e *evaluate.Evaluator, t *model.Term, n autodiff.Node) autodiff.Node {
	if !n.Valid() {
		e.Stop(e.Diags.Errorf(diag.NoCDF, t.At,
			"the distribution function of %s is a sum whose length depends on a parameter here",
			t.Dist.Name).
			Help("give ends that depend on data only"))
	}
	return n
}

// endNode returns endValue aligned with the plates of the term.
func endNode(e *evaluate.Evaluator, t *model.Term, x model.Expr, bound []*model.Index, end float64) autodiff.Node {
	v := endValue(e, t, x, end)
	return alignEnd(e, v, evaluate.Union(evaluate.Value{Bound: bound}, v))
}

// alignEnd broadcasts an end over the plates `bound`; an invalid node is returned unchanged.
func alignEnd(e *evaluate.Evaluator, v evaluate.Value, bound []*model.Index) autodiff.Node {
	if !v.Node.Valid() {
		return v.Node
	}
	return e.AlignLoosely(v, bound, nil)
}

// endValue returns a bound of a truncation on the scale of TermValue. Its node is invalid if the bound is infinite or
// equal to the end of the support.
func endValue(e *evaluate.Evaluator, t *model.Term, x model.Expr, end float64) evaluate.Value {
	v := e.Expr(x)
	if t.Offset != nil {
		v.Node = autodiff.Sub(v.Node, e.Expr(t.Offset).Node)
	}
	if c, ok := v.Node.IsConst(); ok && (math.IsInf(c, 0) || c == end) {
		return evaluate.Value{}
	}
	return v
}

// censored returns the log density of a censored value: log P(V ≤ a) for a value at or below the lower end a, and log
// P(V ≥ b) for a value at or above the upper end b.
func censored(e *evaluate.Evaluator, t *model.Term, x autodiff.Node, args []autodiff.Node, lp autodiff.Node,
	bound []*model.Index) autodiff.Node {
	if lo := endNode(e, t, t.Censored.Lo, bound, math.Inf(-1)); lo.Valid() &&
		!(isConst(e, lo, t.Dist.Lo) && !t.Dist.Discrete()) {
		lp = autodiff.Where(autodiff.Le(x, lo), cumulative(e, t, t.Form.LogCDF(lo, args)), lp)
	}
	if hi := endNode(e, t, t.Censored.Hi, bound, math.Inf(1)); hi.Valid() {
		above := hi
		if t.Dist.Discrete() {
			above = autodiff.Sub(hi, e.Graph.Const(1))
		}
		lp = autodiff.Where(autodiff.Le(hi, x), cumulative(e, t, t.Form.LogCCDF(above, args)), lp)
	}
	return lp
}

func isConst(e *evaluate.Evaluator, n autodiff.Node, v float64) bool {
	c, ok := n.IsConst()
	return ok && c == v
}
