package renhd

import (
	"maps"
	"slices"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/lang/types"
)

// Warm-up gives each element of an effect the coordinate that suits it (adapt.Element): itself, or how far it is from
// its location in units of its scale. While walkers look for the target, elements only stop being centred; once they
// agree, each element gets what suits it. A ladder keeps the coordinates of the model: on hot rungs, data say less
// about an effect.

// recentrable is the target where its coordinates can be chosen, else nil: metric and steps have to be free to follow.
func (s *shared) recentrable() infer.Recentrable {
	t, ok := s.target.(infer.Recentrable)
	if !ok || s.settings().Metric == "identity" || !s.adaptsStep() || len(t.EffectBlocks()) == 0 {
		return nil
	}
	return t
}

// centre gives the target the coordinates that c says; nil is the model's.
func (s *shared) centre(c types.Centring) {
	if t, ok := s.named.(infer.Recentrable); ok && !s.centredBy(c) {
		s.target, s.centring = t.Recentred(c), c
		s.system.Target = s.target
	}
}

// centredBy reports whether the target has the coordinates that c says.
func (s *shared) centredBy(c types.Centring) bool {
	return maps.EqualFunc(s.centring, c, slices.Equal[[]types.Form])
}

// recentre gives the elements of effects the coordinates that points ask for, by a rule. Minibatches read some rows of
// a series, which therefore keeps the coordinates of the model.
func (r *run) recentre(rule adapt.CentringRule, p *adapt.Points) (changed bool, err error) {
	target := r.shared.recentrable()
	if target == nil || p.Len() < adapt.FewestToChoose {
		return false, nil
	}
	e, points := infer.NewEffects(target), adapt.Few(p.X)
	c := adapt.ChosenCentring(e, r.state.Centring, rule, !r.shared.batches.Some(), points)
	if c == nil {
		return false, nil
	}
	return true, r.changeCoordinates(e, c, points)
}

// changeCoordinates lets walkers go on in other coordinates than those in which from reads effects; c is nil for the
// model's. What is remembered in the old ones is converted or forgotten. Points in the old coordinates show how wide
// the target is in the new ones.
func (r *run) changeCoordinates(from infer.Effects, c types.Centring, points [][]float64) error {
	s := &r.shared
	at := r.walkers.positions()
	for lane := range at {
		at[lane] = from.Converted(at[lane], c)
	}
	for k := range r.state.Left {
		r.state.Left[k].At = from.Converted(r.state.Left[k].At, c)
	}
	scales := adapt.NewScales(from, r.state.Centring, c, points)
	for j := range r.walkers.Rungs {
		rung := &r.walkers.Rungs[j]
		rung.Metric = rung.Metric.Rescaled(scales)
		rung.Step = s.firstStepIn(*rung)
	}
	r.state.FormFrom = 0
	r.state.Centring, r.state.Before, r.state.Modes, r.state.Divergence = c, nil, nil, adapt.Divergence{}
	s.centre(c)
	return r.changeProgram(at)
}

// convergeRecentred gives walkers that do not agree the coordinates that suit what they have shown so far, in which
// they may.
func (r *run) convergeRecentred(last result) (result, error) {
	w := r.share(.05, true)
	if w.centre = adapt.EachAsItSuits; r.shared.recentrable() == nil {
		return last, nil
	}
	if found, err := r.windows(w); err != nil || !found.Recentred {
		return last, err
	}
	w, judged := r.share(.05, true), r.share(.10, true)
	judged.judge = judgePlaces
	return r.windows(w, judged)
}

// lookAround runs two short windows, the second of which shows where walkers are.
func (r *run) lookAround() error {
	last := r.share(.05, true)
	last.judge = func(t *warmupWindow, _ *result) error {
		r.state.Before = t.seen.places()
		return nil
	}
	_, err := r.windows(r.share(.05, true), last)
	return err
}

// searchAsTheModel goes back to the coordinates of the model and searches for modes in those: a ladder may be needed.
func (r *run) searchAsTheModel() (found bool, err error) {
	if !r.replay.replaying() {
		r.state.Chosen = r.state.Centring
	}
	if err := r.asTheModelSays(); err != nil {
		return false, err
	}
	if err := r.lookAround(); err != nil {
		return false, err
	}
	return r.searchModes()
}

// asChosen takes up again the coordinates that were chosen, after a search as the model that has found nothing: what
// looked like a mode in them was none, and they suit the walkers.
func (r *run) asChosen() error {
	c := r.state.Chosen
	if c == nil || r.replay.replaying() {
		return nil
	}
	var points [][]float64
	for _, visited := range r.state.Before.Visited {
		points = append(points, visited[len(visited)/2:]...)
	}
	r.state.Chosen = nil
	return r.changeCoordinates(infer.NewEffects(r.shared.recentrable()), c, adapt.Few(points))
}

// asTheModelSays goes back to the coordinates of the model.
func (r *run) asTheModelSays() error {
	if r.state.Centring == nil || r.replay.replaying() {
		return nil
	}
	return r.changeCoordinates(infer.NewEffects(r.shared.recentrable()), nil, r.walkers.positions())
}

// asTheModel are positions in the coordinates of the model.
func (r *run) asTheModel(positions [][]float64) [][]float64 {
	if r.state.Centring == nil || len(positions) == 0 {
		return positions
	}
	return converted(r.shared.target.(infer.Recentrable), positions, nil)
}

// converted are positions of a target in the coordinates that c makes.
func converted(of infer.Recentrable, positions [][]float64, c types.Centring) [][]float64 {
	e, out := infer.NewEffects(of), make([][]float64, len(positions))
	for k, x := range positions {
		out[k] = e.Converted(x, c)
	}
	return out
}

// knownBefore are the points in modes that a run before has found, in the coordinates that the run has now.
func (r *run) knownBefore() [][]float64 {
	known, target := r.shared.options.Known, r.shared.recentrable()
	if r.state.Centring == nil || target == nil || len(known) == 0 {
		return known
	}
	return converted(target.Recentred(nil), known, r.state.Centring)
}

// remarkOnCentring says which effects are sampled in other coordinates than the model's. Where there is no ladder,
// those of all effects were chosen.
func (r *run) remarkOnCentring() {
	target := r.shared.recentrable()
	if target == nil || r.shared.settings().Replicas > 0 || r.shared.system.Path != dynamics.Plain {
		return
	}
	adapt.RemarkOnCentring(&r.stats.Report, target.EffectBlocks(), r.state.Centring)
}
