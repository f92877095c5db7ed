package warmup

import (
	"math"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/subsampling"
	"ppl/lang/types"
)

// Warm-up takes walkers from their starts to where draws can be kept, and leaves steps, metrics and ladder adapted. For
// 1,000 iterations of a target whose gradients are exact:
//
//	approach   0           steepest ascent for starts that are astronomically far below the target
//	descend    0           climbs that fit a normal; it gives a first metric if it is like the target
//	explore    20 to 200   16 walkers or more, 2 to 20 short windows, each walker with a step of its own
//	improve    50 to 220   two windows of 50, and short ones between them until the metric allows short trajectories;
//	                       one where walkers agree in it
//	converge   up to 450   windows of 100, 150, 200, until all walkers agree on where the target is
//	recentre   0 or 100    where other coordinates suit effects better (centring.go)
//	begin again once       where most walkers had to be moved to others: explore and what follows, from new starts
//	anneal     90 + 50…    only where starts are a guess: heat all walkers, cool them, compare
//	then       the rest    agreed: one walker a chain continues, for 30 % of the rest if the metric is known;
//	                       else all continue, on a ladder of temperatures

// firstRungs is the length of a ladder before anything is known of the target.
const firstRungs = 8

func (r *Warmup) iterationsLeft() int { return max(0, r.Phase.Options.Warmup-r.Iterations) }

// sweeps returns a share of a number of iterations.
func sweeps(share float64, total int) int { return int(math.Round(share * float64(total))) }

// share returns a window of a share of warm-up in which walkers adapt together.
func (r *Warmup) share(part float64, metric bool) window {
	return window{sweeps: sweeps(part, r.Phase.Options.Warmup), maxSteps: population.MaxSteps, metric: metric}
}

// Explore runs several walkers a chain on the target itself, without a ladder, and reports whether they agree on where
// it is, and what the last window showed in which they had to.
func (r *Warmup) Explore() (last windowResult, agreed bool, err error) {
	tempered := r.Phase.System.Path
	last, agreed, err = r.explore()
	r.state.Before = nil
	if !agreed {
		r.Phase = r.Phase.OnPath(tempered)
	}
	return last, agreed, err
}

// Look is Explore for a run that ends there: it gives the places of the last window in which walkers had to agree; nil
// if there was none.
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
		r.Notef("a temperature ladder is used, since chains of an attempt before were apart")
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
			found, err = r.searchAnew(agreed)
		}
		if found && agreed {
			r.Notef("%d walkers agree, but a search by climbs found modes that none of them is in, so a temperature "+
				"ladder is used", r.Walkers.Lanes())
		}
		agreed = agreed && !found
	}
	return last, agreed, err
}

// settleExplorers moves the explorers from their starts to where the target is. Where they agree, but too many of them
// got lost on the way and were moved to others, those begin once more at other starts: the metric is known by then.
func (r *Warmup) settleExplorers() (last windowResult, err error) {
	last, err = r.settle()
	if err != nil || !last.FewStayed || len(r.Phase.Options.Starts) > 0 {
		return last, err
	}
	if err := r.beginAgain(); err != nil {
		return last, err
	}
	return r.settle()
}

// settle is once from starts to an agreement, or none.
func (r *Warmup) settle() (last windowResult, err error) {
	if err := r.comeDown(); err != nil {
		return last, err
	}
	if last, err = r.converge(); err != nil {
		return last, err
	}
	return r.convergeAsImages(last)
}

// comeDown moves walkers from their starts to where the density is not negligible.
func (r *Warmup) comeDown() error {
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

// firstSweeps returns the length of a window of the initial phase. Short windows bring walkers down with fewer
// gradients, since each ends in a better metric; ten sweeps of 16 walkers are enough points for that.
func (r *Warmup) firstSweeps() int {
	const enough = 10
	total := r.Phase.Options.Warmup
	return max(sweeps(.01, total), min(sweeps(.02, total), enough))
}

// initialPhase runs the first part of warm-up: short windows in which every walker finds its own step and the
// metric is learned over and over, until all walkers have left where they started, or make no progress. If they are
// near each other two windows are enough: R-hat of so few positions can hardly be lower.
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
			return err // no heats: a rule that adapts no step
		}
		if float64((k+1)*n) >= reheated*total {
			heats = found.Heats
		}
	}
	return nil
}

// windows runs windows one after the other, and gives the result of the last; empty ones are left out.
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

// improveMetric learns the metric in two windows. One that is off by some factors asks for hundreds of steps, and a few
// trajectories that are much shorter show a better one, since gradients depend on how narrow the target is, wherever
// walkers are: so those of the first window are short, and where they should have been longer, short windows follow.
// Where walkers agree in the first, and their trajectories are short, the window in which they are judged can follow.
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

// converge improves the metric until walkers agree. Walkers that do not agree by then may be slow, and all in one mode:
// that is so if no barrier lies between any of the places.
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
		w.centre, w.judge = adapt.EachAsItSuits, judgePlaces
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
		err = r.lookAround()
	}
	return last, err
}

// agreed reports whether the walkers of a window are in one mode.
func (found *windowResult) agreed() bool { return found.OnePlace || found.Connected }

// fewSteps is the number of steps below which a trajectory of the usual length is short: the metric holds.
const fewSteps = 8

// agreesAtOnce reports whether walkers agree while the metric is still being learned, and it holds already.
func (found *windowResult) agreesAtOnce() bool {
	return !found.Recentred && found.Steps < fewSteps && found.Disagreement < agreement
}

// MetricKnown reports whether a window in which walkers agree leaves nothing to learn of the metric: trajectories are
// short, and each walker has forgotten where it began several times over. Sixteen walkers in 75 sweeps are more points
// then than those that four walkers have in the rest of warm-up.
func (found *windowResult) MetricKnown() bool {
	const forgotten = agreement / 3
	return found.OnePlace && found.agreesAtOnce() && found.Disagreement < forgotten
}

// WarmUpAlone continues with one walker a chain: it learns the metric, unless it is known, then the step.
func (r *Warmup) WarmUpAlone(metricKnown bool) error {
	r.modes.Remember(nil) // what looked like several turned out to be one
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
		r.Notef("a search by climbs at the end of warm-up found modes that no walker was in; walkers jump there")
	}
	r.state.Before = nil
	return err
}

// refuseDivergence ends a run whose walkers move off to infinity at temperature 1, because nothing that follows would
// mean anything. At others they may, if tails are heavy. While walkers are still on their way from their starts, they
// show nothing of the integral at the ends of supports.
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
	return r.refuseInfiniteIntegral(cold)
}

// Diverges ends a run whose walkers move off without end along a coordinate.
func (r *Warmup) Diverges(coordinate int) error {
	w := r.Walkers
	if err := w.RunEntry(r.Ctx, dynamics.Values, nil); err != nil {
		return err
	}
	values, lane := w.Read(dynamics.Values, nil), w.Cold(0)
	size := w.Exe.Size(dynamics.Values)
	return infer.DivergesToInfinity(r.Phase.Given, coordinate, values[lane*size:(lane+1)*size])
}

// A Warmup takes walkers from their starts to where draws can be kept.
type Warmup struct {
	*part.Run
	swaps *ladder.Swaps
	modes *modesearch.Known
	rows  *subsampling.Subsampling
	state State

	// recentred is whether a part of warm-up has changed the coordinates of effects, also one of the run
	// that is resumed.
	recentred bool
}

// State is what warm-up has decided so far.
type State struct {
	Divergence  adapt.Divergence // walkers that move off without end
	Temperature gradientTemperature
	Form        *adapt.Choice      // of the metric; nil if it was given
	FormFrom    int                // sweeps of the window that it was chosen in
	Chosen      types.Centring     // what the centring was before a search in the coordinates of the model
	Before      *population.Visits // of the window before walkers are annealed; nil at other times
	Departures  []departure        // by explorers that were restarted elsewhere
	LeastStep   float64            // if the density jumps, and trajectories have to; else 0
}

// Numbers implements sized.
func (s *State) Numbers() int {
	if s.Before == nil {
		return 0
	}
	return s.Before.Numbers()
}

// Name implements owner.
func (r *Warmup) Name() string { return "warm-up" }

// State implements owner.
func (r *Warmup) State() any { return &r.state }

// searchModes adds modes that no walker was in to those remembered, and places some of the walkers there.
func (r *Warmup) searchModes() (found bool, err error) {
	return r.modes.Search(r.modes.NewSearch(func() *population.Visits { return r.state.Before }, false))
}

// loadLadder opens perChain walkers for each chain, in turn on the rungs of a new ladder.
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

// DivergesAtEnd returns the coordinate along which walkers move off without end, or −1.
func (r *Warmup) DivergesAtEnd() int { return r.state.Divergence.AtEnd() }

// LeastStep returns the bound of steps if the density jumps and trajectories have to cross the jumps; else 0.
func (r *Warmup) LeastStep() float64 { return r.state.LeastStep }

// New warms up a run that swaps, knows modes and reads rows by these.
func New(c *part.Run, s *ladder.Swaps, m *modesearch.Known, rows *subsampling.Subsampling) *Warmup {
	return &Warmup{Run: c, swaps: s, modes: m, rows: rows}
}
