package warmup

import (
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/lang/types"
)

// Warm-up chooses for each element of an effect the better coordinate (adapt.Element): the element itself, or its
// distance from its location in units of its scale. Until walkers agree, elements only change from centred to
// noncentered; after that, in both directions. On a ladder no element becomes centred, since data have less weight on
// hot rungs. For the same reason elements that have become noncentered remain so.

// recentre chooses the coordinates of effects from points by a rule. With minibatches, series keep the model's
// coordinates, since a batch reads only some of their rows.
func (r *Warmup) recentre(rule adapt.CentringRule, p *adapt.Points) (changed bool, err error) {
	target := r.Phase.Recentrable()
	if target == nil || p.Len() < adapt.FewestToChoose {
		return false, nil
	}
	e := infer.NewEffects(target)
	at := e.AtAll(adapt.Thinned(p.X), r.Phase.Options.Threads)
	c := adapt.ChosenCentring(e.Blocks, r.Centring, rule, !r.Phase.Batches.InUse(), at)
	if c == nil {
		return false, nil
	}
	return true, r.changeCoordinates(e, c, at)
}

// changeCoordinates converts the walkers from the coordinates of from to those of c; nil means the model's. Stored
// positions are converted or deleted. seen has the effects at the points that determine the scales of the new
// coordinates.
func (r *Warmup) changeCoordinates(from infer.Effects, c types.Centring, seen [][]types.EffectPoint) error {
	s := &r.Phase
	at := r.Walkers.Positions()
	for lane := range at {
		at[lane] = from.Converted(at[lane], c)
	}
	for k := range r.state.Departures {
		r.state.Departures[k].At = from.Converted(r.state.Departures[k].At, c)
	}
	scales := adapt.NewScales(from.Blocks, r.Centring, c, seen)
	for j := range r.Walkers.Rungs {
		rung := &r.Walkers.Rungs[j]
		rung.Metric = rung.Metric.Rescaled(scales)
		rung.Step = s.FirstStepIn(*rung)
	}
	r.state.FormFrom = 0
	r.Centring, r.state.Before, r.state.Divergence = c, nil, adapt.Divergence{}
	r.modes.Remember(nil)
	r.Phase = s.InCoordinates(c)
	return r.ChangeProgram(at)
}

// convergeRecentred changes to the coordinates that suit the positions of walkers that disagree, and repeats the
// comparison.
func (r *Warmup) convergeRecentred(last windowResult) (windowResult, error) {
	w := r.share(.05, true)
	w.centre = adapt.CentredUnlessFree
	if r.Phase.Recentrable() == nil {
		return last, nil
	}
	if found, err := r.windows(w); err != nil || !found.Recentred {
		return last, err
	}
	w, judged := r.share(.05, true), r.share(.10, true)
	judged.judge = judgePlaces
	return r.windows(w, judged)
}

// observeWalkers runs two short windows, and stores the positions of the second one in state.Before.
func (r *Warmup) observeWalkers() error {
	last := r.share(.05, true)
	last.judge = func(t *warmupWindow, _ *windowResult) error {
		r.state.Before = t.places()
		return nil
	}
	_, err := r.windows(r.share(.05, true), last)
	return err
}

// searchInOtherCoordinates repeats the search for modes in other coordinates, after walkers disagreed or a mode was
// found in chosen coordinates. An apparent mode may not be one in the model's coordinates; then walkers continue in the
// chosen ones. Otherwise there will be a ladder, and the search uses coordinates that suit a ladder.
func (r *Warmup) searchInOtherCoordinates(agreed bool) (found bool, err error) {
	if !r.Replaying() {
		r.state.Chosen = r.Centring
	}
	if agreed {
		if found, err = r.searchIn(nil); err != nil {
			return found, err
		}
		if !found {
			return false, r.restoreChosen()
		}
		if r.Phase.NotCentred(r.state.Chosen) == nil {
			return true, nil
		}
	}
	again, err := r.searchIn(r.Phase.NotCentred(r.state.Chosen))
	return agreed || again, err
}

// searchIn searches for modes in the coordinates c.
func (r *Warmup) searchIn(c types.Centring) (found bool, err error) {
	if err := r.convertTo(c); err != nil {
		return false, err
	}
	if err := r.observeWalkers(); err != nil {
		return false, err
	}
	return r.searchModes()
}

// convertTo converts the walkers' positions to the coordinates c, unless they are in these coordinates already.
func (r *Warmup) convertTo(c types.Centring) error {
	if r.Replaying() || r.Phase.Recentrable() == nil || r.Phase.CentredBy(c) {
		return nil
	}
	return r.changeTo(c, r.Walkers.Positions())
}

// restoreChosen changes back to the chosen coordinates.
func (r *Warmup) restoreChosen() error {
	c := r.state.Chosen
	if c == nil || r.Replaying() {
		return nil
	}
	var points [][]float64
	for _, visited := range r.state.Before.Visited {
		points = append(points, visited[len(visited)/2:]...)
	}
	r.state.Chosen = nil
	return r.changeTo(c, adapt.Thinned(points))
}

// changeTo changes to the coordinates c, whose scales the given points in the old coordinates determine.
func (r *Warmup) changeTo(c types.Centring, points [][]float64) error {
	from := infer.NewEffects(r.Phase.Recentrable())
	return r.changeCoordinates(from, c, from.AtAll(points, r.Phase.Options.Threads))
}

// RemarkOnCentring reports effects that are sampled in coordinates other than the model's. Without a ladder, the
// coordinates of all effects were chosen.
func (r *Warmup) RemarkOnCentring() {
	target, ladder := r.Phase.Recentrable(), r.Phase.System.Path != dynamics.Plain
	if target == nil || r.Phase.Settings().Replicas > 0 || ladder && r.Centring == nil {
		return
	}
	adapt.RemarkOnCentring(r.Report, target.EffectBlocks(), r.Centring)
}
