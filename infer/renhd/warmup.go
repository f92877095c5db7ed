package renhd

import (
	"fmt"
	"math"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/stats"
)

// Walkers of each chain while it is not known whether the target has several modes, and of them the steps at most at
// first.
const (
	explorers    = 4
	firstRungs   = 8
	mostRungs    = 32
	mostAtFirst  = 16
	mostSteps    = 512
	hottestGuess = 16.0
)

// warm takes walkers from their starts to where draws can be kept, and leaves steps, metrics and ladder adapted.
func (r *run) warm() error {
	if r.batches.Some() || r.free() && r.settings().Noise == 0 {
		return r.warmFree()
	}
	if n := r.settings().Replicas; n > 0 || r.free() {
		return r.warmLadder()
	}
	agreed, err := r.explore()
	if err != nil {
		return err
	}
	if agreed {
		return r.warmAlone()
	}
	return r.growLadder()
}

// opening is the first part of warm-up: short windows in which every walker finds a step of its own and the metric is
// learned over and over, until all walkers have come down from where they started.
func (r *run) opening() error {
	const least, most, reheated = 4, 10, 3
	var heats []float64
	for k := range most {
		t, err := r.windows(window{sweeps: sweeps(.02, r.options.Warmup), alone: true, most: mostAtFirst, metric: true,
			heats: heats})
		if err != nil || t == nil || t.free() || k+1 >= least && !t.hot() {
			return err
		}
		if k+1 >= reheated {
			heats = t.heats
		}
	}
	return nil
}

func sweeps(share float64, total int) int { return int(math.Round(share * float64(total))) }

func (r *run) windows(ws ...window) (last *tuner, err error) {
	for _, w := range ws {
		if w.sweeps == 0 {
			continue
		}
		if last, err = r.tune(w); err != nil {
			return last, err
		}
		if err = r.stopRunaway(last); err != nil {
			return last, err
		}
		if err = r.rescue(last); err != nil {
			return last, err
		}
		if w.spacing {
			r.respace()
		}
	}
	return last, nil
}

// explore lets several walkers a chain loose on the target itself, and reports whether they come to agree on where it
// is.
func (r *run) explore() (agreed bool, err error) {
	tempered := r.system.Path
	r.system.Path = dynamics.Plain
	if err := r.load([]float64{1}, explorers); err != nil {
		return false, err
	}
	if err := r.begin(); err != nil {
		return false, err
	}
	if err := r.opening(); err != nil {
		return false, err
	}
	last, agreed, err := r.converge()
	if !agreed && err == nil {
		r.note("walkers from %d places do not agree on where the target is: a ladder is needed", r.walkers.lanes())
	}
	if agreed && err == nil {
		if agreed, err = r.venture(last); !agreed && err == nil {
			r.note("walkers from %d places agree, but heated and cooled again they come down elsewhere: a "+
				"ladder is needed", r.walkers.lanes())
		}
	}
	if !agreed {
		r.system.Path = tempered
	}
	return agreed, err
}

// converge runs growing windows until walkers agree, or until it no longer helps that they become longer: then
// something stands between the walkers, unless they only know their own places too badly to tell. It gives the last
// window.
func (r *run) converge() (last *tuner, agreed bool, err error) {
	before := math.Inf(1)
	for _, share := range []float64{.05, .05, .10, .15, .20} {
		t, err := r.windows(window{sweeps: sweeps(share, r.options.Warmup), most: mostSteps, metric: true})
		if err != nil || t == nil {
			return t, true, err
		}
		now := t.disagreement()
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
	return last, !last.separate(), nil
}

// load compiles the system as it is and opens walkers on a ladder.
func (r *run) load(betas []float64, per int) (err error) {
	if r.program, err = compile(r.rule, r.system); err != nil {
		return err
	}
	rungs := r.newRungs(betas)
	return r.open(rungs, per, func(walker int) int { return walker % len(rungs) })
}

// agreement is the largest R-hat − 1 at which walkers count as being in the same place.
const agreement = 0.2

// separate reports whether some walker is in a place of its own: further from the others than how slowly each of them
// moves explains. A ladder is no remedy for slow mixing in one place; longer runs are.
func (t *tuner) separate() bool {
	const errors = 10
	for j := range t.visited[0][0] {
		if stats.Disagreement(coordinate(t.visited, j)) > errors {
			return true
		}
	}
	return false
}

// disagreement is the worst R-hat − 1 of log density and coordinates over the walkers of a window.
func (t *tuner) disagreement() float64 {
	worst := stats.RHat(t.density)
	for j := range t.visited[0][0] {
		worst = math.Max(worst, stats.RHat(coordinate(t.visited, j)))
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

// warmAlone goes on with one walker a chain.
func (r *run) warmAlone() error {
	old, at := r.walkers, r.walkers.positions()
	if err := r.open(old.rungs, 1, func(int) int { return 0 }); err != nil {
		return err
	}
	var mine [][]float64
	for chain := range old.chains {
		mine = append(mine, at[chain*old.per])
	}
	if _, err := r.walkers.place(r.ctx, mine); err != nil {
		return err
	}
	r.note("walkers from %d places agree: one rung, no tempering", old.lanes())
	left := r.options.Warmup - r.swept
	_, err := r.windows(
		window{sweeps: sweeps(.25, left), most: mostSteps, metric: true},
		window{sweeps: sweeps(.45, left), most: mostSteps, metric: true},
		window{sweeps: sweeps(.30, left), most: mostSteps})
	return err
}

// note adds a remark to the report.
func (r *run) note(format string, args ...any) {
	r.report.Notes = append(r.report.Notes, fmt.Sprintf(format, args...))
}

// tell reports progress.
func (r *run) tell(p infer.Phase) {
	done, total := r.swept+1, r.options.Warmup
	if p == infer.Sampling {
		done, total = min(r.kept, (r.report.Draws+1)*r.report.Thin), r.options.Draws*r.report.Thin
	}
	r.recorder.Progress(infer.Progress{Phase: p, Done: min(done, total), Total: total,
		Divergences: r.report.Divergences})
}
