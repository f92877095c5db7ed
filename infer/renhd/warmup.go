package renhd

import (
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/stats"
)

// Warm-up takes walkers from their starts to where draws can be kept, and leaves steps, metrics and ladder adapted. For
// 1,000 iterations of a target whose gradients are exact:
//
//	explore    80 to 200   4 walkers a chain, 4 to 10 short windows, each walker with a step of its own
//	converge   up to 550   windows of 50, 50, 100, 150, 200, until all walkers agree on where the target is
//	anneal     90 + 50…    only where starts are a guess: heat all walkers, cool them, compare
//	then       the rest    agreed: one walker a chain goes on; else all go on, on a ladder of temperatures

const (
	explorers    = 4 // walkers of each chain while it is not known whether the target has several modes
	firstRungs   = 8
	maxRungs     = 32
	hottestGuess = 16.0 // temperature of the first ladder's last rung
)

// warmUp chooses between the ways to warm up.
func (r *run) warmUp() error {
	s := &r.shared
	if s.batches.Some() || s.free() && s.settings().Noise == 0 {
		return r.warmUpFree()
	}
	if n := s.settings().Replicas; n > 0 || s.free() {
		return r.warmUpLadder()
	}
	agreed, err := r.explore()
	if err != nil {
		return err
	}
	if agreed {
		return r.warmUpAlone()
	}
	return r.growLadder()
}

func (r *run) iterationsLeft() int { return r.shared.options.Warmup - r.state.Iterations }

// sweeps is a share of a number of iterations.
func sweeps(share float64, total int) int { return int(math.Round(share * float64(total))) }

// share is a window of a share of warm-up in which walkers adapt together.
func (r *run) share(part float64, metric bool) window {
	return window{sweeps: sweeps(part, r.shared.options.Warmup), maxSteps: maxSteps, metric: metric}
}

// explore runs several walkers a chain on the target itself, without a ladder, and reports whether they agree on where
// it is.
func (r *run) explore() (agreed bool, err error) {
	tempered := r.shared.system.Path
	r.shared.system.Path = dynamics.Plain
	if err := r.loadLadder([]float64{1}, explorers); err != nil {
		return false, err
	}
	if err := r.disperse(); err != nil {
		return false, err
	}
	if err := r.initialPhase(); err != nil {
		return false, err
	}
	last, agreed, err := r.converge()
	if !agreed && err == nil {
		r.notef("%d walkers do not agree on where the target is, so a temperature ladder is used", r.walkers.lanes())
	}
	if agreed && err == nil {
		if agreed, err = r.findMoreModes(last); !agreed && err == nil {
			r.notef("%d walkers agreed, but after heating and cooling they settled elsewhere; there are several modes, "+
				"so a temperature ladder is used", r.walkers.lanes())
		}
	}
	if !agreed {
		r.shared.system.Path = tempered
	}
	return agreed, err
}

// initialPhase is the first part of warm-up: short windows in which every walker finds a step of its own and the metric
// is learned over and over, until all walkers have come down from where they started.
func (r *run) initialPhase() error {
	const least, most, reheated = 4, 10, 3
	var heats []float64
	for k := range most {
		t, err := r.windows(window{sweeps: sweeps(.02, r.shared.options.Warmup), alone: true, maxSteps: maxFirstSteps,
			metric: true, heats: heats})
		if err != nil || t == nil || r.shared.free() || k+1 >= least && !hot(t.seen.Heats) {
			return err
		}
		if k+1 >= reheated {
			heats = t.seen.Heats
		}
	}
	return nil
}

// windows runs windows one after the other and returns the last one that was not empty.
func (r *run) windows(ws ...window) (last *warmupWindow, err error) {
	for _, w := range ws {
		if w.sweeps == 0 {
			continue
		}
		if last, err = r.runWindow(w); err != nil {
			return last, err
		}
		if err = r.refuseDivergence(last); err != nil {
			return last, err
		}
		if err = r.restartStuck(last); err != nil {
			return last, err
		}
		if w.spacing {
			r.respaceLadder()
		}
	}
	return last, nil
}

// converge runs growing windows until walkers agree, or until longer ones no longer help: then something separates the
// walkers, unless each knows its own surroundings too badly to decide that. It gives the last window.
func (r *run) converge() (last *warmupWindow, agreed bool, err error) {
	before := math.Inf(1)
	for _, share := range []float64{.05, .05, .10, .15, .20} {
		t, err := r.windows(r.share(share, true))
		if err != nil || t == nil {
			return t, true, err
		}
		now := t.seen.disagreement()
		if share < .10 {
			continue
		}
		if now < agreement {
			return t, true, nil
		}
		if last = t; now > 0.7*before {
			break
		}
		before = now
	}
	return last, !last.seen.separate(), nil
}

// agreement is the largest R-hat − 1 at which walkers count as being in the same mode.
const agreement = 0.2

// separate reports whether a walker is in another mode: farther from the rest than its autocorrelation explains. A
// ladder is no remedy for slow mixing in one mode; longer runs are.
func (s *windowState) separate() bool {
	const errors = 10
	for j := range s.Visited[0][0] {
		if stats.Disagreement(coordinate(s.Visited, j)) > errors {
			return true
		}
	}
	return false
}

// disagreement is the worst R-hat − 1 of log density and coordinates over the walkers of a window.
func (s *windowState) disagreement() float64 {
	worst := stats.RHat(s.Density)
	for j := range s.Visited[0][0] {
		worst = math.Max(worst, stats.RHat(coordinate(s.Visited, j)))
	}
	return worst - 1
}

// coordinate is one coordinate of chains of points.
func coordinate(chains [][][]float64, j int) [][]float64 {
	out := make([][]float64, len(chains))
	for c, xs := range chains {
		for _, x := range xs {
			out[c] = append(out[c], x[j])
		}
	}
	return out
}

// warmUpAlone goes on with one walker a chain.
func (r *run) warmUpAlone() error {
	old, at := r.walkers, r.walkers.positions()
	if err := r.reopen(old.Rungs, 1); err != nil {
		return err
	}
	if err := r.moveFrom(at, old.PerChain, func(int) int { return 0 }); err != nil {
		return err
	}
	r.notef("%d walkers agree on where the target is, so no temperature ladder is used", old.lanes())
	left := r.iterationsLeft()
	_, err := r.windows(
		window{sweeps: sweeps(.25, left), maxSteps: maxSteps, metric: true},
		window{sweeps: sweeps(.45, left), maxSteps: maxSteps, metric: true},
		window{sweeps: sweeps(.30, left), maxSteps: maxSteps})
	return err
}

// refuseDivergence ends a run whose walkers move off to infinity at temperature 1, because nothing that follows would
// mean anything. At others they may, where tails are heavy.
func (r *run) refuseDivergence(t *warmupWindow) error {
	var cold [][]float64
	for lane, xs := range t.seen.Visited {
		for i, x := range xs {
			if t.seen.Stood[lane][i] == 0 {
				cold = append(cold, x)
			}
		}
	}
	if !r.state.Divergence.Watch(cold) {
		return nil
	}
	w := r.walkers
	if err := w.runEntry(r.ctx, dynamics.Values, nil); err != nil {
		return err
	}
	return infer.DivergesToInfinity(r.shared.target, w.read(dynamics.Values, nil)[:w.exe.Size(dynamics.Values)])
}
