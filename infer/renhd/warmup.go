package renhd

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/lang/types"
	"ppl/posterior/stats"
)

// Warm-up takes walkers from their starts to where draws can be kept, and leaves steps, metrics and ladder adapted. For
// 1,000 iterations of a target whose gradients are exact:
//
//	approach   0           steepest ascent for starts that are astronomically far below the target
//	explore    40 to 200   16 walkers or more, 2 to 10 short windows, each walker with a step of its own
//	improve    50 to 220   two windows of 50, and short ones between them until the metric allows short trajectories;
//	                       one where walkers agree in it
//	converge   up to 450   windows of 100, 150, 200, until all walkers agree on where the target is
//	recentre   0 or 100    where other coordinates suit effects better (centring.go)
//	begin again once       where most walkers had to be moved to others: explore and what follows, from new starts
//	anneal     90 + 50…    only where starts are a guess: heat all walkers, cool them, compare
//	then       the rest    agreed: one walker a chain goes on, for 30 % of the rest where the metric is known by then;
//	                       else all go on, on a ladder of temperatures

// firstRungs is the length of a ladder before anything is known of the target.
const firstRungs = 8

func (r *warmup) iterationsLeft() int { return max(0, r.phase.options.Warmup-r.Iterations) }

// sweeps is a share of a number of iterations.
func sweeps(share float64, total int) int { return int(math.Round(share * float64(total))) }

// share is a window of a share of warm-up in which walkers adapt together.
func (r *warmup) share(part float64, metric bool) window {
	return window{sweeps: sweeps(part, r.phase.options.Warmup), maxSteps: maxSteps, metric: metric}
}

// explore runs several walkers a chain on the target itself, without a ladder, and reports whether they agree on where
// it is, and what the last window showed in which they had to.
func (r *warmup) explore() (last windowResult, agreed bool, err error) {
	tempered := r.phase.system.Path
	r.phase = r.phase.onPath(dynamics.Plain)
	if err := r.loadLadder([]float64{1}, r.phase.explorersOfChain()); err != nil {
		return last, false, err
	}
	if err := r.disperse(); err != nil {
		return last, false, err
	}
	if last, err = r.settleExplorers(); err != nil {
		return last, false, err
	}
	agreed = last.agreed()
	if !agreed && err == nil {
		r.notef("%d walkers do not agree on where the target is, so a temperature ladder is used", r.walkers.lanes())
	}
	if agreed && r.phase.options.Ladder {
		agreed = false
		r.notef("a temperature ladder is used, since chains of an attempt before were apart")
	}
	if agreed && err == nil {
		if agreed, err = r.findMoreModes(); !agreed && err == nil {
			r.notef("%d walkers agreed, but after heating and cooling they settled elsewhere; there are several "+
				"modes, so a temperature ladder is used", r.walkers.lanes())
		}
	}
	if err == nil {
		var found bool
		found, err = r.searchModes()
		if (found || !agreed) && r.recentred && err == nil {
			found, err = r.searchAnew(agreed)
		}
		if found && agreed {
			r.notef("%d walkers agree, but a search by climbs found modes that none of them is in, so a temperature "+
				"ladder is used", r.walkers.lanes())
		}
		agreed = agreed && !found
	}
	r.state.Before = nil
	if !agreed {
		r.phase = r.phase.onPath(tempered)
	}
	return last, agreed, err
}

// settleExplorers moves the explorers from their starts to where the target is. Where they agree, but too many of them
// got lost on the way and were moved to others, those begin once more at other starts: the metric is known by then.
func (r *warmup) settleExplorers() (last windowResult, err error) {
	last, err = r.settle()
	if err != nil || !last.FewStayed || len(r.phase.options.Starts) > 0 {
		return last, err
	}
	if err := r.beginAgain(); err != nil {
		return last, err
	}
	return r.settle()
}

// settle is once from starts to an agreement, or none.
func (r *warmup) settle() (last windowResult, err error) {
	if err := r.comeDown(); err != nil {
		return last, err
	}
	if last, err = r.converge(); err != nil {
		return last, err
	}
	return r.convergeAsImages(last)
}

// comeDown moves walkers from their starts to where the density is not negligible.
func (r *warmup) comeDown() error {
	if err := r.approachTarget(); err != nil {
		return err
	}
	if err := r.initialPhase(); err != nil {
		return err
	}
	return r.refuseFlatTails()
}

// initialPhase is the first part of warm-up: short windows in which every walker finds a step of its own and the metric
// is learned over and over, until all walkers have left where they started, or do not get on. Where they are near each
// other two windows are enough: R-hat of so few positions can hardly be lower.
func (r *warmup) initialPhase() error {
	const leastNear, least, most, reheated, near = 2, 4, 10, 3, 0.3
	var heats []float64
	for k := range most {
		found, err := r.windows(window{sweeps: sweeps(.02, r.phase.options.Warmup), alone: true,
			maxSteps: maxFirstSteps, metric: true, heats: heats})
		enough := k+1 >= least || k+1 >= leastNear && found.Disagreement < near
		if err != nil || found.Heats == nil || enough && !hot(found.Heats) && !found.Rising {
			return err // no heats: an empty window, or a rule that adapts no step
		}
		if k+1 >= reheated {
			heats = found.Heats
		}
	}
	return nil
}

// windows runs windows one after the other, and gives the result of the last; empty ones are left out.
func (r *warmup) windows(ws ...window) (last windowResult, err error) {
	for _, w := range ws {
		if w.sweeps <= 0 {
			continue
		}
		if last, err = do(r.course, &warmupWindow{run: r, spec: w}); err != nil {
			return last, err
		}
		r.recentred = r.recentred || last.Recentred
		if last.Far {
			if _, err = do(r.course, r.rows.renewal()); err != nil {
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
func (r *warmup) improveMetric() error {
	const most = 6
	for k := range 1 + most {
		w := r.share(.02, true)
		if k == 0 {
			w = r.share(.05, true)
		}
		w.maxSteps, w.centre = maxImprovingSteps, adapt.FewerCentred
		found, err := r.windows(w)
		if err != nil {
			return err
		}
		if k == 0 && found.agreesAtOnce() {
			return nil
		}
		if found.Steps < maxImprovingSteps {
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
func (r *warmup) converge() (last windowResult, err error) {
	if err := r.improveMetric(); err != nil {
		return last, err
	}
	if last, err = r.convergeInWindows(); err == nil && !last.agreed() && !last.FewStayed {
		return r.convergeRecentred(last)
	}
	return last, err
}

// convergeInWindows runs growing windows until walkers agree, or until longer ones no longer help.
func (r *warmup) convergeInWindows() (last windowResult, err error) {
	before := math.Inf(1)
	for _, share := range []float64{.10, .15, .20} {
		w := r.share(share, true)
		w.centre, w.judge = adapt.EachAsItSuits, judgePlaces
		if w.sweeps == 0 {
			return windowResult{Steps: maxSteps, verdict: verdict{OnePlace: true}}, nil // the metric is not known
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

// metricKnown reports whether a window in which walkers agree leaves nothing to learn of the metric: trajectories are
// short, and each walker has forgotten where it began several times over. Sixteen walkers in 75 sweeps are more points
// then than those that four walkers have in the rest of warm-up.
func (found *windowResult) metricKnown() bool {
	const forgotten = agreement / 3
	return found.OnePlace && found.agreesAtOnce() && found.Disagreement < forgotten
}

// judgePlaces finds out whether walkers agree, or no barrier lies between them; if neither, which modes they are in.
func judgePlaces(t *warmupWindow, found *windowResult) (err error) {
	r := t.run
	r.state.Before = t.places()
	agree := inOneMode(&t.seen.visits, found.Disagreement)
	if found.OnePlace = agree && r.mostStayed(); found.OnePlace {
		return nil
	}
	if found.Connected, err = r.connected(&t.seen.visits); err != nil || found.Connected {
		found.OnePlace = agree && err == nil
		return err
	}
	found.FewStayed, found.Images = agree, r.agreeMoreAsImages(&t.seen.visits, found.Disagreement)
	return r.modes.rememberModes(&t.seen.visits)
}

// agreement is the largest R-hat − 1 at which walkers count as being in the same mode.
const agreement = 0.2

// onePlace reports whether walkers agree by what they have visited: in all together, and each of them. One walker of
// many in another mode hardly shows in R-hat; many that differ a little are none of them far from the others. Where no
// walker counts nothing is known.
func onePlace(s *visits) bool {
	if len(s.Visited) == 0 {
		return false
	}
	d := disagreement(s)
	return d < agreement && inOneMode(s, d)
}

// inOneMode reports whether walkers whose disagreement is given are in one place, or differ only as slow ones do in the
// same mode: R-hat is low enough to show that each has seen most of it, and autocorrelation explains what is left. Of
// sixteen walkers and some thirty coordinates, the one that is farthest off is by 3 to 5.5 standard errors then, since
// these are underestimated, and by more than 15 where there are two modes.
func inOneMode(s *visits, disagreement float64) bool {
	const slow, errors, errorsOfSlow = 0.5, 10, 6
	switch {
	case disagreement < agreement:
		return !separate(s, errors)
	case disagreement < slow:
		return !separate(s, errorsOfSlow)
	}
	return false
}

// separate reports whether a walker is in another mode: farther from the rest than its autocorrelation explains, in a
// coordinate by some standard errors, or between the places of its walkers. A ladder is no remedy for slow mixing in
// one mode; longer runs are.
func separate(s *visits, errors float64) bool {
	const errorsAcross = 6 // it looks at half of the draws, and at one direction only
	for j := range s.Visited[0][0] {
		if stats.Disagreement(coordinate(s.Visited, j)) > errors {
			return true
		}
	}
	return stats.Disagreement(acrossWalkers(s.Visited)) > errorsAcross
}

// acrossWalkers is where walkers are in their second halves along the direction in which the means of their first
// halves differ most, in standard deviations. Two modes in hundreds of dimensions can be far apart although no
// coordinate shows it; and a direction that only noise has chosen shows nothing in other draws. None where windows are
// too short.
func acrossWalkers(visited [][][]float64) [][]float64 {
	half, dim := len(visited[0])/2, len(visited[0][0])
	if half < 4 || len(visited) < 2 || dim < 2 {
		return nil
	}
	direction := widestDirection(visited, half)
	out := make([][]float64, len(visited))
	for lane, xs := range visited {
		for _, x := range xs[half:] {
			out[lane] = append(out[lane], floats.Dot(direction, x))
		}
	}
	return out
}

// widestDirection is that in which the means of walkers' first draws differ most, where coordinates are measured in
// standard deviations of a walker. A coordinate in which walkers stand still does not count.
func widestDirection(visited [][][]float64, first int) []float64 {
	dim := len(visited[0][0])
	means, scale := mat.NewDense(len(visited), dim, nil), make([]float64, dim)
	for j := range dim {
		column, variance := make([]float64, len(visited)), 0.0
		for lane, xs := range coordinate(visited, j) {
			m, v := stat.MeanVariance(xs[:first], nil)
			column[lane], variance = m, variance+v/float64(len(visited))
		}
		if variance > 0 {
			scale[j] = 1 / math.Sqrt(variance)
		}
		floats.AddConst(-stat.Mean(column, nil), column)
		floats.Scale(scale[j], column)
		means.SetCol(j, column)
	}
	var svd mat.SVD
	var v mat.Dense
	if !svd.Factorize(means, mat.SVDThinV) {
		return make([]float64, dim)
	}
	svd.VTo(&v)
	return floats.MulTo(scale, scale, mat.Col(nil, 0, &v))
}

// disagreement is the worst R-hat − 1 of log density and coordinates over the walkers of a window.
func disagreement(s *visits) float64 { return adapt.WorstRHat(s.Density, s.Visited) - 1 }

// warmUpAlone goes on with one walker a chain: it learns the metric, unless it is known, then the step.
func (r *warmup) warmUpAlone(metricKnown bool) error {
	r.modes.remember(nil) // what looked like several turned out to be one
	old, at := r.walkers, r.walkers.positions()
	if err := r.reopen(old.Rungs, 1); err != nil {
		return err
	}
	if err := r.moveFrom(at, old.PerChain, func(int) int { return 0 }); err != nil {
		return err
	}
	r.notef("%d walkers agree on where the target is, so no temperature ladder is used", old.lanes())
	left := r.iterationsLeft()
	if !metricKnown {
		if _, err := r.windows(
			window{sweeps: sweeps(.25, left), maxSteps: maxSteps, metric: true},
			window{sweeps: sweeps(.45, left), maxSteps: maxSteps, metric: true}); err != nil {
			return err
		}
	}
	last := window{sweeps: sweeps(.30, left), maxSteps: maxSteps}
	last.judge = func(t *warmupWindow, _ *windowResult) error {
		r.state.Before = t.places()
		return nil
	}
	if _, err := r.windows(last); err != nil {
		return err
	}
	found, err := r.searchModes()
	if found {
		r.notef("a search by climbs at the end of warm-up found modes that no walker was in; walkers jump there")
	}
	r.state.Before = nil
	return err
}

// refuseDivergence ends a run whose walkers move off to infinity at temperature 1, because nothing that follows would
// mean anything. At others they may, where tails are heavy.
func (r *warmup) refuseDivergence(seen *visits) error {
	var cold [][]float64
	for lane, xs := range seen.Visited {
		for i, x := range xs {
			if seen.Stood[lane][i] == 0 {
				cold = append(cold, x)
			}
		}
	}
	if at := r.state.Divergence.Watch(cold, infer.Bounded(r.phase.ends)); at >= 0 {
		return r.diverges(at)
	}
	return r.refuseInfiniteIntegral(cold)
}

// diverges ends a run whose walkers move off without end along a coordinate.
func (r *warmup) diverges(coordinate int) error {
	w := r.walkers
	if err := w.runEntry(r.ctx, dynamics.Values, nil); err != nil {
		return err
	}
	values, lane := w.read(dynamics.Values, nil), w.cold(0)
	size := w.exe.Size(dynamics.Values)
	return infer.DivergesToInfinity(r.phase.given, coordinate, values[lane*size:(lane+1)*size])
}

// A warmup takes walkers from their starts to where draws can be kept.
type warmup struct {
	*course
	swaps *swaps
	modes *knownModes
	rows  *subsampling
	state warmupState

	// recentred is whether a part of warm-up has changed the coordinates of effects, also one of the run
	// that is resumed.
	recentred bool
}

// warmupState is what warm-up has decided so far.
type warmupState struct {
	Divergence  adapt.Divergence // walkers that move off without end
	Temperature gradientTemperature
	Form        *adapt.Choice  // of the metric; nil if it was given
	FormFrom    int            // sweeps of the window that it was chosen in
	Chosen      types.Centring // what the centring was before a search in the coordinates of the model
	Before      *visits        // of the window before walkers are annealed; nil at other times
	Left        []leftPlace    // by explorers that were restarted elsewhere
	LeastStep   float64        // if the density jumps, and trajectories have to; else 0
}

// Numbers implements sized.
func (s *warmupState) Numbers() int {
	if s.Before == nil {
		return 0
	}
	return s.Before.Numbers()
}

// Name implements owner.
func (r *warmup) Name() string { return "warm-up" }

// State implements owner.
func (r *warmup) State() any { return &r.state }

// searchModes adds modes that no walker was in to those remembered, and places some of the walkers there.
func (r *warmup) searchModes() (found bool, err error) {
	return r.modes.search(r.modes.newSearch(func() *visits { return r.state.Before }, false))
}

// loadLadder opens perChain walkers for each chain, in turn on the rungs of a new ladder.
func (r *warmup) loadLadder(betas []float64, perChain int) error {
	err := r.load(betas, perChain)
	r.swaps.reset(len(betas), r.phase.options.Chains*perChain)
	return err
}

// reopen opens perChain walkers for each chain on other rungs.
func (r *warmup) reopen(rungs []rung, perChain int) error {
	err := r.population.reopen(rungs, perChain)
	r.swaps.reset(len(rungs), r.phase.options.Chains*perChain)
	return err
}

// divergesAtEnd is the coordinate along which walkers move off without end, or −1.
func (r *warmup) divergesAtEnd() int { return r.state.Divergence.AtEnd() }

// leastStep is the bound of steps if the density jumps and trajectories have to cross the jumps; else 0.
func (r *warmup) leastStep() float64 { return r.state.LeastStep }

// newWarmup warms up a run that swaps, knows modes and reads rows by these.
func newWarmup(c *course, s *swaps, m *knownModes, rows *subsampling) *warmup {
	return &warmup{course: c, swaps: s, modes: m, rows: rows}
}
