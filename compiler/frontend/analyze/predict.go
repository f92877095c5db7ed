package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A Basis selects which quantities are given in predictions. 0 is not a valid Basis.
type Basis uint8

const (
	// FromPrior conditions on nothing: parameters and discrete unknowns are drawn from their priors.
	FromPrior Basis = iota + 1
	// FromPosterior conditions on the parameters of a draw and on the data: discrete unknowns are drawn given both.
	FromPosterior
	// FromParameters conditions only on the parameters of a draw: discrete unknowns are drawn from their prior given
	// the parameters. It is also used to predict a row that is left out of the data.
	FromParameters
	// AtNewData is FromParameters for data other than those of the run. Package newdata adds the values of discrete
	// unknowns and missing entries that the run determined to the model.
	AtNewData
)

// Predictive changes a checked model into one that draws its data. Each observed array gets a replica, which is drawn
// after inference from the array's distribution, given the parameters, the discrete unknowns and the data that the
// distribution reads. FromPrior needs proper priors of all parameters.
//
//	z[i in N] ~ Bernoulli(p)            FromPosterior: z is drawn given y and p; else: from Bernoulli(p)
//	y[i in N] ~ Normal(m[z[i]], s)      the replica of y is drawn at this z
func Predictive(m *model.Model, diags *diag.List, from Basis) {
	p := predictive{m: m, diags: diags, from: from}
	p.dropGenerated()
	if from == FromPrior {
		p.drawParameters()
	}
	keep := from == FromPosterior && p.hasLatents()
	if !keep {
		p.drawLatents()
	}
	p.replicate(keep)
	p.resolveMissing()
	Recurrences(m, diags, nil)
	if keep {
		Latents(m, diags)
	}
}

type predictive struct {
	m        *model.Model
	diags    *diag.List
	from     Basis
	replicas map[*model.Array]*model.Array // maps an observed array to its replica
}

// hasLatents reports whether the model has discrete unknowns.
func (p *predictive) hasLatents() bool {
	return slices.ContainsFunc(p.m.Terms, func(t *model.Term) bool { return t.Kind == model.LatentPrior })
}

// dropGenerated removes the draws after inference, and unmarks saved definitions, except in draws from the prior those
// that read nothing that is drawn after inference. Draws from the posterior already contain the definitions.
func (p *predictive) dropGenerated() {
	p.m.Terms = slices.DeleteFunc(p.m.Terms, func(t *model.Term) bool { return t.Kind == model.Generate })
	for _, a := range p.m.Arrays {
		a.Save = a.Save && (a.Role == model.Parameter || p.from == FromPrior && a.Role == model.Definition &&
			knownBeforeInference(a, map[*model.Array]bool{}))
	}
}

// knownBeforeInference reports whether a definition reads, directly and indirectly, neither quantities that are known
// only after inference nor optional data.
func knownBeforeInference(a *model.Array, seen map[*model.Array]bool) bool {
	if seen[a] {
		return true
	}
	seen[a] = true
	ok := a.Role != model.Generated && !a.Optional
	for _, p := range a.Pieces {
		model.Walk(p.Value, func(x model.Expr) {
			switch x := x.(type) {
			case *model.Ref:
				ok = ok && knownBeforeInference(x.Array, seen)
			case *model.Probability, *model.Mode:
				ok = false
			}
		})
	}
	return ok
}

// drawParameters makes the priors of parameters draws. It reports an error for each prior that cannot be sampled.
func (p *predictive) drawParameters() {
	for _, t := range p.m.Terms {
		if t.Kind == model.Prior && drawable(p.diags, t) {
			t.Kind, t.NonCentered = model.Generate, false
		}
	}
	for _, a := range p.m.Arrays {
		if a.Role == model.Parameter {
			a.Role = model.Generated
		}
	}
}

// drawable reports an error and returns false for a prior that cannot be sampled.
func drawable(diags *diag.List, t *model.Term) bool {
	switch {
	case t.Array.Factor:
		diags.Errorf(diag.NoPriorDraws, t.At, "prior predictive draws are not available: a factor changes the "+
			"prior").
			Help("posterior predictive draws are available: `ppl sample`, then `ppl predict RUN`")
		return false
	case t.Density != nil:
		return undrawable(diags, t, "`Density` gives `%s` a log density that cannot be sampled directly", t.Array.Name)
	case t.Dist.Improper:
		return undrawable(diags, t, "`%s ~ %s` is improper", t.Array.Name, t.Dist.Name)
	}
	return true
}

func undrawable(diags *diag.List, t *model.Term, format string, args ...any) bool {
	diags.Errorf(diag.NoPriorDraws, t.At, "prior predictive draws need priors that ppl can sample; "+format, args...).
		Help("give `%s` a proper prior of the library, such as a wide `Normal(0, 100)`; posterior predictive draws do "+
			"not need one: `ppl sample`, then `ppl predict RUN`", t.Array.Name)
	return false
}

// drawLatents makes the priors of discrete unknowns draws, except for missing entries of data. The draws are saved only
// FromPrior.
func (p *predictive) drawLatents() {
	for _, t := range p.m.Terms {
		if t.Kind != model.LatentPrior || t.Array.Missing {
			continue
		}
		t.Kind, t.Array.Role, t.Array.Chain = model.Generate, model.Generated, nil
		t.Array.Save = p.from == FromPrior
	}
}

// replicate adds a draw for each observation that can be sampled. It removes the observations unless keep is set.
// FromPosterior and FromParameters, observations of imputed data remain, because they are the distribution of the
// missing entries.
func (p *predictive) replicate(keep bool) {
	p.replicas = map[*model.Array]*model.Array{}
	var terms []*model.Term
	for _, t := range p.m.Terms {
		if t.Kind != model.Likelihood && t.Kind != model.LatentPrior {
			terms = append(terms, t)
			continue
		}
		of := t.Array
		observed := t.Kind == model.Likelihood || of.Missing
		if draw, ok := drawn(t); observed && ok {
			noteOneStep(p.diags, draw)
			terms = append(terms, replica(draw, p.replicaOf(of)))
		}
		if keep || of.Role == model.Imputed && (p.from == FromPosterior || p.from == FromParameters) {
			terms = append(terms, t)
		}
	}
	p.m.Terms = terms
}

// replicaOf returns the replica of an observed array, and creates it if needed.
func (p *predictive) replicaOf(of *model.Array) *model.Array {
	r := p.replicas[of]
	if r == nil {
		r = &model.Array{Name: of.Name, At: of.At, Role: model.Generated, Type: of.Type, NeedInt: of.NeedInt,
			Save: true, Replicates: of}
		p.replicas[of], p.m.Arrays = r, append(p.m.Arrays, r)
	}
	return r
}

// resolveMissing determines which values replace missing entries that other statements read: the posterior draws, data
// that package newdata adds, or the replica's draws.
func (p *predictive) resolveMissing() {
	for _, of := range slices.Clone(p.m.Arrays) {
		switch imputed, latent := of.Role == model.Imputed, of.Role == model.Latent; {
		case p.from == FromPosterior || !imputed && !latent:
		case p.from == AtNewData:
			of.Role, of.Pieces, of.Chain = model.Data, nil, nil
		case latent || p.from == FromPrior:
			fillMissing(p.diags, of, p.replicas[of])
		}
	}
}

// fillMissing makes the array of a definition that reads its replica `from`, so that statements read drawn values. It
// reports an error if there is no replica, or if the replica is drawn from the missing entries.
func fillMissing(diags *diag.List, of, from *model.Array) {
	why := ""
	switch {
	case from == nil:
		why = "is given by a formula"
	case slices.ContainsFunc(from.Pieces, func(p *model.Piece) bool { return slices.Contains(termReads(p.Term), of) }):
		why = "depends on them"
	}
	if why != "" {
		diags.Errorf(diag.NoPriorDraws, of.At, "the missing entries of `%s`, which other statements use, cannot be "+
			"drawn: their distribution %s", of.Name, why).
			Help("posterior predictive draws are available if the entries are continuous: `ppl sample`, then " +
				"`ppl predict RUN`")
		return
	}
	of.Role, of.Save, of.Chain = model.Definition, false, nil
	of.Pieces = []*model.Piece{{At: of.At, Value: &model.Ref{Array: from, Fact: model.Fact{At: of.At, Type: of.Type}}}}
}

// noteOneStep adds a note if elements of a replica are drawn given the observed past, not the replica's own past.
func noteOneStep(diags *diag.List, t *model.Term) {
	drawn := *t
	// The bounds of censored data are not part of their distribution.
	drawn.Censored, drawn.UpTo = nil, nil
	if slices.Contains(termReads(&drawn), t.Array) {
		diags.Notef(diag.OneStepAhead, t.At, "`%[1]s` is drawn one step ahead: its distribution reads the observed "+
			"`%[1]s`", t.Array.Name).
			Help("to generate an entire series, write a recurrence: `generate again[t in …] ~ …`")
	}
}

// replica returns a copy of an observation's term that draws array a after inference, and adds the piece of this draw
// to a.
func replica(t *model.Term, a *model.Array) *model.Term {
	draw := *t
	draw.Kind, draw.Array, draw.Reads = model.Generate, a, nil
	draw.UpTo, draw.Rounded, draw.Weight = nil, nil, nil
	draw.Piece = &model.Piece{At: t.At, Plates: t.Plates, Term: &draw}
	if sub, ok := t.Value.(*model.Subscript); ok {
		for _, s := range sub.Subs {
			slot := model.Slot{At: s.At}
			if v, plain := s.At.(*model.IndexVar); plain {
				slot = model.Slot{Index: v.Index}
			}
			draw.Piece.Slots = append(draw.Piece.Slots, slot)
		}
	}
	a.Pieces = append(a.Pieces, draw.Piece)
	return &draw
}
