package analyze

import (
	"math/rand/v2"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Expect makes a predictive model give the expected value of what it observes, at the parameters and predictors of a
// draw, instead of a draw from its distribution; of categories the probability of one, unless that is 0. Missing
// entries of predictors and new groups are drawn as before.
func Expect(m *model.Model, category int, diags *diag.List) {
	for _, t := range m.Terms {
		of := t.Array.Replicates
		if of == nil || of.Missing {
			continue
		}
		if category > 0 && t.Form != nil && t.Form.Share != nil && t.In == nil {
			share := t.Form.Share
			drawBy(t, func(args [][]float64, out []float64) { out[0] = share(args, category) })
			continue
		}
		if !DrawMean(t) {
			diags.Errorf(diag.NotCompiled, t.At, "the expected value of `%s` has no formula", of.Name).
				Help("average predictions, which `ppl predict RUN --data NEW` draws")
		}
	}
}

// DrawMean makes a term give the mean of its distribution when it is drawn. ok is false if that has no formula: of
// categories, of truncated distributions, and if elements depend on each other.
func DrawMean(t *model.Term) (ok bool) {
	if t.Form == nil || t.Form.Mean == nil || t.In != nil || t.Ordered || t.ZeroSum {
		return false
	}
	drawBy(t, t.Form.Mean)
	return true
}

// drawBy puts a function of the arguments instead of draws.
func drawBy(t *model.Term, of func(args [][]float64, out []float64)) {
	form := *t.Form
	form.Sample = func(_ *rand.Rand, args [][]float64, out []float64) { of(args, out) }
	t.Form = &form
}
