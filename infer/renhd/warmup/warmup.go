package warmup

import (
	"math"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"
)

// Warm-up moves walkers from their starting points to the bulk of the target, and adapts steps, metrics and the ladder.
// Its parts for a target with exact gradients, with the number of iterations that each takes in a warm-up of 1,000:
//
//	approach     0           steepest ascent from starting points that are extremely far below the target
//	descend      0           climbs that fit a normal, which gives a first metric if it is similar to the target
//	explore      20 to 200   16 walkers or more, 2 to 20 short windows; each walker adapts its own step
//	improve      50 to 220   two windows of 50, and short ones between them until the metric allows short
//	                         trajectories; one window if walkers agree in it
//	converge     up to 450   windows of 100, 150, 200, until all walkers agree on where the target is
//	recentre     0 or 100    if other coordinates suit effects better (centring.go)
//	begin again  once        if most walkers had to be moved to others: explore and later parts, from new starts
//	anneal       90 + 50…    only if starting points are guesses: heat all walkers, cool them, compare
//	then         the rest    agreed: one walker per chain continues, for 30 % of the rest if the metric is known;
//	                         otherwise all continue, on a ladder of temperatures

// firstRungs is the number of rungs of a ladder before anything is known about the target.
const firstRungs = 8

func (r *Warmup) iterationsLeft() int { return max(0, r.Phase.Options.Warmup-r.Iterations) }

// sweeps returns a share of a number of iterations, rounded.
func sweeps(share float64, total int) int { return int(math.Round(share * float64(total))) }

// share returns a window for a share of warm-up in which walkers adapt together.
func (r *Warmup) share(part float64, metric bool) window {
	return window{sweeps: sweeps(part, r.Phase.Options.Warmup), maxSteps: population.MaxSteps, metric: metric}
}

// Explore runs several walkers per chain on the target itself, without a ladder. It reports whether they agree, and
// returns the result of the last window in which they were compared.
func (r *Warmup) Explore() (last windowResult, agreed bool, err error) {
	tempered := r.Phase.System.Path
	last, agreed, err = r.explore()
	r.state.Before = nil
	if !agreed {
		r.Phase = r.Phase.OnPath(tempered)
	}
	return last, agreed, err
}

// Look is Explore for a run that only explores. It returns the positions of the last window in which walkers were
// compared, or nil if there was none.
func (r *Warmup) Look() (places *population.Visits, agreed bool, err error) {
	_, agreed, err = r.explore()
	return r.state.Before, agreed, err
}

func (r *Warmup) explore() (last windowResult, agreed bool, err error) {
	r.Phase = r.Phase.OnPath(dynamics.Plain)
	if err := r.loadLadder([]float64{1}, r.Phase.ExplorersOfChain()); err != nil {
		return last, false, err
	}
	if err := r.Disperse(); err != nil {
		return last, false, err
	}
	if last, err = r.settleExplorers(); err != nil {
		return last, false, err
	}
	agreed = last.agreed()
	if !agreed && err == nil {
		r.Notef("%d walkers do not agree on where the target is, so a temperature ladder is used", r.Walkers.Lanes())
	}
	if agreed && r.Phase.Options.Ladder {
		agreed = false
		r.Notef("a temperature ladder is used, since the chains of the previous attempt disagreed")
	}
	if agreed && err == nil {
		if agreed, err = r.findMoreModes(); !agreed && err == nil {
			r.Notef("%d walkers agreed, but after heating and cooling they settled elsewhere; there are several "+
				"modes, so a temperature ladder is used", r.Walkers.Lanes())
		}
	}
	if err == nil {
		var found bool
		found, err = r.searchModes()
		if (found || !agreed) && r.recentred && err == nil {
			found, err = r.searchInOtherCoordinates(agreed)
		}
		if found && agreed {
			r.Notef("%d walkers agree, but a search by climbs found modes that none of them is in, so a temperature "+
				"ladder is used", r.Walkers.Lanes())
		}
		agreed = agreed && !found
	}
	return last, agreed, err
}

// settleExplorers moves the explorers from their starting points to the target. If they agree, but too many had to be
// moved to others, these start once more elsewhere, with the metric that is known by then.
func (r *Warmup) settleExplorers() (last windowResult, err error) {
	last, err = r.settle()
	if err != nil || !last.FewStayed || len(r.Phase.Options.Starts) > 0 {
		return last, err
	}
	if err := r.restartElsewhere(); err != nil {
		return last, err
	}
	return r.settle()
}

// settle moves walkers from their starting points to the target and judges their agreement, once.
func (r *Warmup) settle() (last windowResult, err error) {
	if err := r.leaveStarts(); err != nil {
		return last, err
	}
	if last, err = r.converge(); err != nil {
		return last, err
	}
	return r.convergeAsImages(last)
}

// leaveStarts moves walkers from their starting points to regions whose density is not negligible.
func (r *Warmup) leaveStarts() error {
	if err := r.approachTarget(); err != nil {
		return err
	}
	if err := r.descend(); err != nil {
		return err
	}
	if err := r.initialPhase(); err != nil {
		return err
	}
	return r.refuseFlatTails()
}

// firstSweeps returns the length of a window of the initial phase. Short windows need fewer gradients, since each ends
// with a better metric; ten sweeps of 16 walkers give enough points for one.
func (r *Warmup) firstSweeps() int {
	const enough = 10
	total := r.Phase.Options.Warmup
	return max(sweeps(.01, total), min(sweeps(.02, total), enough))
}

// initialPhase runs the first part of warm-up: short windows in which every walker adapts its own step, and the metric
// is learned again and again, until all walkers have left their starting points, or make no progress. If they are near
// each other, two windows are enough: R-hat of so few positions can hardly be lower.
func (r *Warmup) initialPhase() error {
	const leastNear, least, near, longest, reheated = 2, 4, 0.3, .20, .06
	n := max(r.firstSweeps(), 1)
	total := float64(r.Phase.Options.Warmup)
	var heats []float64
	for k := range sweeps(longest, r.Phase.Options.Warmup) / n {
		found, err := r.windows(window{sweeps: n, alone: true, maxSteps: population.MaxFirstSteps, metric: true,
			heats: heats})
		enough := k+1 >= least || k+1 >= leastNear && found.Disagreement < near
		if err != nil || found.Heats == nil || enough && !hot(found.Heats) && !found.Rising {
			return err // nil if the rule adapts no step
		}
		if float64((k+1)*n) >= reheated*total {
			heats = found.Heats
		}
	}
	return nil
}

// windows runs windows one after the other and returns the result of the last. It skips empty windows.
func (r *Warmup) windows(ws ...window) (last windowResult, err error) {
	for _, w := range ws {
		if w.sweeps <= 0 {
			continue
		}
		if last, err = part.Do(r.Run, &warmupWindow{run: r, spec: w}); err != nil {
			return last, err
		}
		r.recentred = r.recentred || last.Recentred
		if last.Far {
			if _, err = part.Do(r.Run, r.rows.Renewal()); err != nil {
				return last, err
			}
		}
	}
	return last, nil
}

// improveMetric learns the metric in windows. With a metric that is wrong by some factors, trajectories need hundreds
// of steps. A few much shorter trajectories give a better metric, since gradients depend on the scales of the target at
// any position. So trajectories in the first window are short; if they should have been longer, short windows follow,
// then one more long window. If walkers agree in the first window and need few steps, the comparison of walkers can
// follow at once.
func (r *Warmup) improveMetric() error {
	const most = 6
	for k := range 1 + most {
		w := r.share(.02, true)
		if k == 0 {
			w = r.share(.05, true)
		}
		w.maxSteps, w.centre = population.MaxImprovingSteps, adapt.FewerCentred
		found, err := r.windows(w)
		if err != nil {
			return err
		}
		if k == 0 && found.agreesAtOnce() {
			return nil
		}
		if found.Steps < population.MaxImprovingSteps {
			break
		}
	}
	w := r.share(.05, true)
	w.centre = adapt.FewerCentred
	_, err := r.windows(w)
	return err
}

// converge improves the metric until walkers agree. Walkers that do not agree by then may be slow but in one mode: this
// is so if no barrier separates them.
func (r *Warmup) converge() (last windowResult, err error) {
	if err := r.improveMetric(); err != nil {
		return last, err
	}
	if last, err = r.convergeInWindows(); err == nil && !last.agreed() && !last.FewStayed {
		return r.convergeRecentred(last)
	}
	return last, err
}

// convergeInWindows runs growing windows until walkers agree, or until longer ones no longer help.
func (r *Warmup) convergeInWindows() (last windowResult, err error) {
	before := math.Inf(1)
	for _, share := range []float64{.10, .15, .20} {
		w := r.share(share, true)
		w.centre, w.judge = adapt.CentredUnlessFree, judgePlaces
		if w.sweeps == 0 {
			return windowResult{Steps: population.MaxSteps, verdict: verdict{OnePlace: true}},
				nil // the metric is not known
		}
		if last, err = r.windows(w); err != nil {
			return last, err
		}
		if last.OnePlace || last.Recentred || last.FewStayed || last.Disagreement > 0.7*before {
			break
		}
		before = last.Disagreement
	}
	if last.Recentred && last.agreed() {
		err = r.observeWalkers()
	}
	return last, err
}

// agreed reports whether the walkers of a window are in one mode.
func (found *windowResult) agreed() bool { return found.OnePlace || found.Connected }

// fewSteps is the number of steps below which a trajectory of the usual length is short, which shows that the metric is
// good.
const fewSteps = 8

// agreesAtOnce reports whether walkers agree in a window that still learns the metric, and the metric is good already.
func (found *windowResult) agreesAtOnce() bool {
	return !found.Recentred && found.Steps < fewSteps && found.Disagreement < agreement
}

// MetricKnown reports whether the metric needs no more learning after a window in which walkers agree: trajectories are
// short, and walkers differ by less than a third of what counts as agreement, so each has long forgotten its start.
// Then sixteen walkers in 75 sweeps give more points than four walkers would in the rest of warm-up.
func (found *windowResult) MetricKnown() bool {
	const forgotten = agreement / 3
	return found.OnePlace && found.agreesAtOnce() && found.Disagreement < forgotten
}

// WarmUpAlone continues with one walker per chain. It learns the metric, unless it is known, then the step.
func (r *Warmup) WarmUpAlone(metricKnown bool) error {
	r.modes.Remember(nil) // apparent modes turned out to be one
	old, at := r.Walkers, r.Walkers.Positions()
	if err := r.reopen(old.Rungs, 1); err != nil {
		return err
	}
	if err := r.MoveFrom(at, old.PerChain, func(int) int { return 0 }); err != nil {
		return err
	}
	r.Notef("%d walkers agree on where the target is, so no temperature ladder is used", old.Lanes())
	left := r.iterationsLeft()
	if !metricKnown {
		if _, err := r.windows(
			window{sweeps: sweeps(.25, left), maxSteps: population.MaxSteps, metric: true},
			window{sweeps: sweeps(.45, left), maxSteps: population.MaxSteps, metric: true}); err != nil {
			return err
		}
	}
	last := window{sweeps: sweeps(.30, left), maxSteps: population.MaxSteps}
	last.judge = func(t *warmupWindow, _ *windowResult) error {
		r.state.Before = t.places()
		return nil
	}
	if _, err := r.windows(last); err != nil {
		return err
	}
	found, err := r.searchModes()
	if found {
		r.Notef("a search by climbs at the end of warm-up found modes that no walker was in; walkers now jump to them")
	}
	r.state.Before = nil
	return err
}

// refuseDivergence ends a run whose walkers diverge to infinity at temperature 1, since all later results would be
// meaningless. At higher temperatures they may, if tails are heavy. onTheWay is true while walkers are still moving
// from their starting points; then they show nothing about integrals at the ends of supports.
func (r *Warmup) refuseDivergence(seen *population.Visits, onTheWay bool) error {
	var cold [][]float64
	for lane, xs := range seen.Visited {
		for i, x := range xs {
			if seen.Stood[lane][i] == 0 {
				cold = append(cold, x)
			}
		}
	}
	if at := r.state.Divergence.Watch(cold, infer.Bounded(r.Phase.Ends)); at >= 0 {
		return r.Diverges(at)
	}
	if onTheWay {
		return nil
	}
	return r.refuseInfiniteIntegral(stats.Thinned(cold, tailPositions))
}

// tailPositions is the largest number of positions whose tails are examined. Thousands of walkers have more, and
// sorting them took a sixth of a run.
const tailPositions = 1 << 14

// Diverges returns the error of a run whose walkers diverge along a coordinate.
func (r *Warmup) Diverges(coordinate int) error {
	w := r.Walkers
	if err := w.RunEntry(r.Ctx, dynamics.Values, nil); err != nil {
		return err
	}
	return infer.DivergesToInfinity(r.Phase.Given, coordinate, w.OfLane(dynamics.Values, w.Cold(0)))
}

// searchModes adds modes that no walker was in to the known modes, and places some of the walkers there.
func (r *Warmup) searchModes() (found bool, err error) {
	return r.modes.Search(r.modes.NewSearch(func() *population.Visits { return r.state.Before }, false))
}

// loadLadder opens perChain walkers for each chain, distributed over the rungs of a new ladder.
func (r *Warmup) loadLadder(betas []float64, perChain int) error {
	err := r.Load(betas, perChain)
	r.swaps.Reset(len(betas), r.Phase.Options.Chains*perChain)
	return err
}

// reopen opens perChain walkers for each chain on other rungs.
func (r *Warmup) reopen(rungs []population.Rung, perChain int) error {
	err := r.Population.Reopen(rungs, perChain)
	r.swaps.Reset(len(rungs), r.Phase.Options.Chains*perChain)
	return err
}

// DivergesAtEnd returns the coordinate along which walkers diverge at the end of warm-up, or −1.
func (r *Warmup) DivergesAtEnd() int { return r.state.Divergence.AtEnd() }

// LeastStep returns the lower bound of steps if the density jumps and trajectories must cross the jumps, else 0.
func (r *Warmup) LeastStep() float64 { return r.state.LeastStep }
