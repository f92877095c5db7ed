package validate

import (
	"fmt"
	"math"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// warnUnusedLimits warns about `censored lo..hi` with data for both limits if no value is at a limit, so that each
// counts as observed exactly, or if all values are at the same limit. Such data are usually bounds between which a
// value lies:
//
//	middle[i in N] ~ Weibull(k, s) censored lower[i]..upper[i]     means nothing but middle[i] ~ Weibull(k, s)
//	lower[i in N] ~ Weibull(k, s) upto upper[i]                    has the probability of lower..upper
//
// In either case a limit of the statement has no effect, whatever was intended.
func warnUnusedLimits(e *evaluate.Evaluator, t *model.Term) {
	c := t.Censored
	if t.Kind != model.Likelihood && !t.Array.Missing || c == nil || t.Dist.Event > 0 || t.Offset != nil ||
		!c.Lo.Info().Static || !c.Hi.Info().Static || e.Data.StreamedTerm(t) {
		return
	}
	defer e.UnderRanges(t.Plates)()
	values := recordedValues(e, t)
	lo, hi := limitAt(e, c.Lo, t.Plates, 0), limitAt(e, c.Hi, t.Plates, 0)
	var limits limitCount
	for i, v := range values {
		limits.add(v, lo(i), hi(i))
	}
	what := limits.unused(t.Array.Name, c.Hi.Info().At.Text(), c.Lo.Info().At.Text())
	if what == "" {
		return
	}
	e.Diags.Warnf(diag.IdleLimits, t.At, "%s", what).Related(c.Lo.Info().At, "the limits").
		Help("if a value is only known to lie between its limits, observe the limits: `%s ~ … upto %s`",
			c.Lo.Info().At.Text(), c.Hi.Info().At.Text())
}

// recordedValues returns the values of a term for each combination of its plates, with NaN for a missing or guarded
// value. It returns nil if the values do not follow from data.
func recordedValues(e *evaluate.Evaluator, t *model.Term) []float64 {
	if t.Array.Missing {
		of, data := elementsOf(e, t), e.Data.Arrays[t.Array].Values
		values := make([]float64, evaluate.Product(e.Shape(t.Plates, nil)))
		for i := range values {
			values[i] = data.At(of(i))
		}
		return values
	}
	x := e.Expr(t.Value)
	at := evaluate.Union(x, evaluate.Value{Bound: t.Plates})
	values, counts, ok := e.Counted(evaluate.Value{Node: e.Align(x, at, nil), Bound: at})
	if !ok || len(at) != len(t.Plates) {
		return nil
	}
	for i := range values {
		if counts[i] == 0 {
			values[i] = math.NaN()
		}
	}
	return values
}

// A limitCount counts values by their position relative to the limits of their rows.
type limitCount struct {
	known, missing, low, high int
	lows, highs               map[float64]bool
}

// add counts a row. A row with equal limits is ignored, because it does not show what was intended.
func (c *limitCount) add(v, lo, hi float64) {
	if c.lows == nil {
		c.lows, c.highs = map[float64]bool{}, map[float64]bool{}
	}
	if len(c.lows) < 2 {
		c.lows[lo] = true
	}
	if len(c.highs) < 2 {
		c.highs[hi] = true
	}
	switch {
	case lo == hi:
	case math.IsNaN(v):
		c.missing++
	default:
		c.known++
		if v <= lo {
			c.low++
		} else if v >= hi {
			c.high++
		}
	}
}

// unused describes which limits have no effect. It returns "" if both have one, or if they do not vary by row.
func (c *limitCount) unused(name, hi, lo string) string {
	switch {
	case len(c.lows) < 2 || len(c.highs) < 2 || c.known+c.missing < 2:
		return ""
	case c.low+c.high == 0 && c.missing > 0:
		return fmt.Sprintf("`censored` changes nothing: no value of `%s` equals one of its limits, and %s left out",
			name, plural(c.missing, "missing value")+map[bool]string{true: " is", false: " are"}[c.missing == 1])
	case c.low+c.high == 0:
		return fmt.Sprintf("`censored` changes nothing: no value of `%s` equals one of its limits, so that each "+
			"counts as observed exactly", name)
	case c.missing == 0 && c.low == c.known:
		return fmt.Sprintf("every value of `%s` lies at its lower limit and is only known to be at most that; `%s` "+
			"changes nothing", name, hi)
	case c.missing == 0 && c.high == c.known:
		return fmt.Sprintf("every value of `%s` lies at its upper limit and is only known to be at least that; `%s` "+
			"changes nothing", name, lo)
	}
	return ""
}
