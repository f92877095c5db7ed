package analyze

import (
	"math/rand/v2"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Expect makes a predictive model return the expected value of each observation given the parameters and predictors,
// instead of a draw. If category is above 0, categorical observations become the probability of this category. Missing
// entries of predictors and the parameters of new groups are still drawn. Expect reports an error for each observation
// whose expected value has no formula.
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

// DrawMean makes a term return the mean of its distribution instead of a draw. ok is false if the mean has no formula,
// and for truncated, ordered and zero-sum draws.
func DrawMean(t *model.Term) (ok bool) {
	if t.Form == nil || t.Form.Mean == nil || t.In != nil || t.Ordered || t.ZeroSum {
		return false
	}
	drawBy(t, t.Form.Mean)
	return true
}

// drawBy makes a term return a function of its arguments instead of a draw.
func drawBy(t *model.Term, of func(args [][]float64, out []float64)) {
	form := *t.Form
	form.Sample = func(_ *rand.Rand, args [][]float64, out []float64) { of(args, out) }
	t.Form = &form
}
