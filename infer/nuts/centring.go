package nuts

import (
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/lang/types"
)

// recentrable returns the target if its coordinates can be chosen, else nil: the user must not have fixed metric or
// steps.
func (r *run) recentrable() infer.Recentrable {
	t, ok := r.target.(infer.Recentrable)
	if !ok || r.settings().Metric == "identity" || !r.adaptsStep() || len(t.EffectBlocks()) == 0 {
		return nil
	}
	return t
}

// recentre changes the coordinates of effects, if the points of the last window favour others.
func (r *run) recentre() error {
	target, seen := r.recentrable(), &r.state.Seen.Points
	if target == nil || seen.Len() < adapt.FewestToChoose {
		return nil
	}
	rule := adapt.FewerCentred
	if r.agree() {
		rule = adapt.CentredUnlessFree
	}
	e := infer.NewEffects(target)
	at := e.AtAll(adapt.Thinned(seen.X), r.options.Threads)
	if c := adapt.ChosenCentring(e.Blocks, r.state.Centring, rule, true, at); c != nil {
		return r.changeCoordinates(e, c, at)
	}
	return nil
}

// agree reports whether chains agreed in the last window: no R-hat was above 1.2.
func (r *run) agree() bool {
	const most = 1.2
	return adapt.WorstRHat(r.state.Seen.Density, r.state.Seen.Visited, r.options.Threads) < most
}

// changeCoordinates converts the chains from the coordinates of from to those of c. The effects at the points of the
// last window determine the scales of the new coordinates.
func (r *run) changeCoordinates(from infer.Effects, c types.Centring, seen [][]types.EffectPoint) error {
	at := make([][]float64, len(r.chains))
	for lane, chain := range r.chains {
		at[lane] = from.Converted(position(chain.state(), chain.dim), c)
	}
	s := &r.state
	s.Metric = s.Metric.Rescaled(adapt.NewScales(from.Blocks, s.Centring, c, seen))
	s.Centring, s.Divergence = c, adapt.Divergence{}
	r.target, r.effects = r.recentrable().Recentred(c), nil
	return r.reload(at)
}

// asTheModel returns a position in the model's coordinates. It creates the evaluator of effects once, since draws are
// converted one at a time.
func (r *run) asTheModel(x []float64) []float64 {
	if r.state.Centring == nil {
		return x
	}
	if r.effects == nil {
		e := infer.NewEffects(r.recentrable())
		r.effects = &e
	}
	return r.effects.Converted(x, nil)
}
