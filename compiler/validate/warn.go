package validate

import (
	"slices"
	"strconv"

	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/diag"
)

// fewRows is the largest number of informative rows for which an improper prior causes a warning.
const fewRows = 3

// WarnUninformed warns about improper priors of parameters about which few rows of data are informative: the posterior
// is then improper or nearly so.
func WarnUninformed(l *density.Layout, e *evaluate.Evaluator) {
	for _, r := range l.Regions {
		t := r.Term
		if t.Dist == nil || !t.Dist.Improper || t.Dist.Event > 0 || weighted(l.Data.Model, t.Array) {
			continue
		}
		if lo, hi := density.Bounds(e, t, r.Plates); lo.Valid() && hi.Valid() {
			continue
		}
		rows, elements := informing(e, t.Array, map[*model.Array]bool{}), r.Size
		if rows > fewRows && rows >= elements || rows == 0 { // a parameter without influence has its own warning
			continue
		}
		what := "it"
		if elements > 1 {
			what = "its " + plural(elements, "element")
		}
		word := "inform"
		if rows == 1 {
			word += "s"
		}
		e.Diags.Warnf(diag.ImproperPrior, t.At, "the prior of `%s` is improper and only %s %s %s", t.Array.Name,
			plural(rows, "row"), word, what).
			Help("give it a proper prior: `%s ~ Normal(…)`", t.Array.Name)
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// weighted reports whether a density by formula reads an array. The formula may be its prior.
func weighted(m *model.Model, a *model.Array) bool {
	return slices.ContainsFunc(m.Terms, func(t *model.Term) bool {
		return t.Density != nil && t.Kind != model.Generate && slices.Contains(through(t), a)
	})
}

// informing returns the number of observed elements whose distributions read an array, directly or through other
// unknowns. An unknown contributes at most its number of elements.
func informing(e *evaluate.Evaluator, a *model.Array, seen map[*model.Array]bool) (rows int) {
	if seen[a] {
		return 0
	}
	seen[a] = true
	for _, t := range e.Data.Model.Terms {
		if t.Kind == model.Generate || !slices.Contains(through(t), a) {
			continue
		}
		n := evaluate.Product(e.Shape(t.Plates, t.Event))
		if t.Kind != model.Likelihood {
			n = min(n, informing(e, t.Array, seen))
		}
		rows += n
	}
	return rows
}

// through lists the arrays that a term reads, directly or through definitions.
func through(t *model.Term) (out []*model.Array) {
	var visit func(as []*model.Array)
	visit = func(as []*model.Array) {
		for _, a := range as {
			if slices.Contains(out, a) {
				continue
			}
			out = append(out, a)
			for _, p := range a.Pieces {
				if p.Value != nil {
					visit(model.Arrays(p.Value))
				}
			}
		}
	}
	visit(simulate.ReadsOf(t))
	return out
}

// WarnPerRow warns about parameters with an element for each row if minibatches are requested: a batch informs only the
// elements of its rows.
func WarnPerRow(l *density.Layout, rows *model.RowSet, count int, diags *diag.List) {
	batch := l.Data.Model.Batch()
	if batch == "" || rows == nil {
		return
	}
	for _, r := range l.Regions {
		axes := r.Term.Array.Type.Axes
		every := !slices.ContainsFunc(rows.Axes, func(s *model.Set) bool {
			return !slices.ContainsFunc(axes, s.Same)
		})
		if n, err := strconv.Atoi(batch); err == nil && every && n < count {
			of := rows.Of.Array
			diags.Warnf(diag.ParameterPerRow, r.Term.At, "`%s` has a parameter for each row of `%s`: a batch of %d "+
				"informs %d of %d", r.Term.Array.Name, of.Name, n, n, count).
				Related(of.At, "`%s`", of.Name).
				Help("integrate over it in the model, or sample with all data: leave `batch` out")
		}
	}
}

// WarnIdleEvents warns about events without effect, because they occur after the last time that is read.
func WarnIdleEvents(e *evaluate.Evaluator) {
	for _, idle := range e.IdleEvents() {
		e.Diags.Warnf(diag.IdleEvents, idle.Event.At, "this event changes nothing: it happens at time %g, and no "+
			"state is evaluated after time %g", idle.First, idle.Last).
			Help("a state that is evaluated at the time of an event has its value before the event; check that both " +
				"times have the same unit")
	}
}
