package emit

import (
	"slices"
	"strconv"

	"ppl/compiler/model"
)

// fewRows is the number of observed rows up to which an improper prior is warned about.
const fewRows = 3

// uninformed warns of improper priors where hardly any rows of data say something of the parameter: the posterior is
// then improper or nearly so.
func (p *Plan) uninformed(e *emitter) {
	for _, r := range p.regions {
		t := r.term
		if t.Dist == nil || !t.Dist.Improper || t.Dist.Event > 0 || p.weighted(t.Array) {
			continue
		}
		if lo, hi := e.bounds(t, r.plates); lo.Valid() && hi.Valid() {
			continue
		}
		rows, elements := e.informing(t.Array, map[*model.Array]bool{}), r.size
		if rows > fewRows && rows >= elements || rows == 0 { // a parameter without influence is W02
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
		e.diags.Warnf("W03", t.At, "the prior of `%s` is improper and only %s %s %s", t.Array.Name, plural(rows, "row"),
			word, what).
			Help("give it a proper prior: `%s ~ Normal(…)`", t.Array.Name)
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// weighted reports whether a density by formula, which may be a prior, reads an array.
func (p *Plan) weighted(a *model.Array) bool {
	return slices.ContainsFunc(p.Data.Model.Terms, func(t *model.Term) bool {
		return t.Density != nil && t.Kind != model.Generate && slices.Contains(through(t), a)
	})
}

// informing is the number of observed elements whose laws read an array, themselves or through other unknowns: through
// those at most as many as they have elements.
func (e *emitter) informing(a *model.Array, seen map[*model.Array]bool) (rows int) {
	if seen[a] {
		return 0
	}
	seen[a] = true
	for _, t := range e.data.Model.Terms {
		if t.Kind == model.Generate || !slices.Contains(through(t), a) {
			continue
		}
		n := product(e.shape(t.Plates, t.Event))
		if t.Kind != model.Likelihood {
			n = min(n, e.informing(t.Array, seen))
		}
		rows += n
	}
	return rows
}

// through lists the arrays that a term reads, itself or through definitions.
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
	visit(readsOf(t))
	return out
}

// longPast is the number of reads of a recurrence over its whole past from which on its cost is told.
const longPast = 1_000_000

func (e *emitter) tellPast(m *member) {
	for _, v := range m.moves {
		if n := v.steps.size(); n*n >= longPast {
			e.diags.Warnf("W06", v.piece.At, "recurrence over its whole past: %d² steps a gradient", n).
				Help("where the far past hardly counts, end the range at a constant lag: `j in 1..20` with `%s[%s-j]`",
					m.array.Name, v.t.Name)
		}
	}
}

// perRow warns, where minibatches are asked for, of parameters with an element for each row: a batch says something of
// its own rows' alone.
func (p *Plan) perRow(e *emitter) {
	batch := p.Data.Model.Batch()
	if batch == "" || p.rowSet == nil {
		return
	}
	for _, r := range p.regions {
		axes := r.term.Array.Type.Axes
		every := !slices.ContainsFunc(p.rowSet.Axes, func(s *model.Set) bool {
			return !slices.ContainsFunc(axes, s.Same)
		})
		if n, err := strconv.Atoi(batch); err == nil && every && n < p.rowCount {
			of := p.rowSet.Of.Array
			e.diags.Warnf("W08", r.term.At, "`%s` has a parameter for each row of `%s`: a batch of %d informs %d of %d",
				r.term.Array.Name, of.Name, n, n, p.rowCount).
				Related(of.At, "`%s`", of.Name).Help("sum it out, or sample with all data: leave `batch` out")
		}
	}
}
