package nuts

import (
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/lang/types"
)

// recentrable returns the target where its coordinates can be chosen, else nil: metric and steps have to be free to
// follow.
func (r *run) recentrable() infer.Recentrable {
	t, ok := r.target.(infer.Recentrable)
	if !ok || r.settings().Metric == "identity" || !r.adaptsStep() || len(t.EffectBlocks()) == 0 {
		return nil
	}
	return t
}

// recentre gives the elements of effects the coordinates that a window asks for.
func (r *run) recentre() error {
	target, seen := r.recentrable(), &r.state.Seen.Points
	if target == nil || seen.Len() < adapt.FewestToChoose {
		return nil
	}
	rule := adapt.FewerCentred
	if r.agree() {
		rule = adapt.EachAsItSuits
	}
	e, points := infer.NewEffects(target), adapt.Few(seen.X)
	if c := adapt.ChosenCentring(e, r.state.Centring, rule, true, points); c != nil {
		return r.changeCoordinates(e, c, points)
	}
	return nil
}

// agree reports whether chains were in one place in the last window: whether no R-hat is above 1.2.
func (r *run) agree() bool {
	const most = 1.2
	return adapt.WorstRHat(r.state.Seen.Density, r.state.Seen.Visited) < most
}

// changeCoordinates lets chains continue in other coordinates than those in which from reads effects. Points in the old
// ones show how wide the target is in the new ones.
func (r *run) changeCoordinates(from infer.Effects, c types.Centring, points [][]float64) error {
	at := make([][]float64, len(r.chains))
	for lane, chain := range r.chains {
		at[lane] = from.Converted(position(chain.state(), chain.dim), c)
	}
	s := &r.state
	s.Metric = s.Metric.Rescaled(adapt.NewScales(from, s.Centring, c, points))
	s.Centring, s.Divergence = c, adapt.Divergence{}
	r.target, r.effects = r.recentrable().Recentred(c), nil
	return r.reload(at)
}

// asTheModel returns a position in the coordinates of the model. Draws are converted one after the other, so what reads
// the effects is made once.
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
