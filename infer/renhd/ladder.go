package renhd

import (
	"fmt"
	"math"
	"slices"

	"ppl/infer/dynamics"
)

// warmUpLadder warms up a ladder from the start, of the length asked for.
func (r *warmup) warmUpLadder() error {
	n := r.phase.settings().Replicas
	if n == 0 {
		n = firstRungs
	}
	if err := r.loadLadder(firstBetas(&r.phase, n), n); err != nil {
		return err
	}
	if err := r.disperse(); err != nil {
		return err
	}
	if err := r.comeDown(); err != nil {
		return err
	}
	return r.adaptLadder()
}

// growLadder puts the explorers, who disagree, on a ladder.
func (r *warmup) growLadder() error {
	old, at := r.walkers, r.walkers.positions()
	if err := r.loadLadder(firstBetas(&r.phase, firstRungs), firstRungs); err != nil {
		return err
	}
	for j := range r.walkers.Rungs {
		r.walkers.Rungs[j].Metric, r.walkers.Rungs[j].Step = old.Rungs[0].Metric, old.Rungs[0].Step
	}
	r.walkers.writeAllRungs()
	if err := r.moveFrom(at, old.PerChain, func(walker int) int { return walker % old.PerChain }); err != nil {
		return err
	}
	return r.adaptLadder()
}

// adaptLadder learns metrics, steps, spacing and, where it is free, the number of rungs, in rounds of growing length.
func (r *warmup) adaptLadder() error {
	left := max(r.iterationsLeft(), r.phase.options.Warmup/2) // the search for modes may have used up the rest
	round := func(share float64) window {
		return window{sweeps: sweeps(share, left), maxSteps: maxSteps, metric: true, spacing: true}
	}
	once := func(w window) error { _, err := r.windows(w); return err }
	for _, step := range []struct {
		share float64
		run   func(window) error
	}{{.05, once}, {.10, r.adaptHottest}, {.15, r.adaptHottest}} {
		if err := step.run(round(step.share)); err != nil {
			return err
		}
		if err := r.resizeLadder(); err != nil {
			return err
		}
		r.shortenLadder()
	}
	_, err := r.windows(round(.20), round(.25), window{sweeps: sweeps(.25, left), maxSteps: maxSteps})
	return err
}

// respaceLadder evens out the rejections of a ladder whose spacing is free.
func (r *warmup) respaceLadder() {
	w := r.walkers
	if r.phase.settings().Ratio > 0 || len(w.Rungs) < 3 || !r.swaps.counts().proposedAll() {
		return
	}
	for j, b := range respace(w.betas(), r.swaps.noiselessRates(), len(w.Rungs)) {
		w.Rungs[j].Beta = b
	}
	w.writeAllRungs()
}

// shortenLadder lowers the hottest temperature of a ladder whose number of rungs was asked for and does not suffice,
// until neighbours swap: one that does not is no better than its coldest rung alone. A hottest temperature that was
// raised is needed where it is.
func (r *warmup) shortenLadder() {
	const hardly = 0.05
	w, s := r.walkers, r.phase.settings()
	if s.Replicas == 0 || s.Ratio > 0 || len(w.Rungs) < 2 || !r.swaps.counts().proposedAll() ||
		slices.Min(r.swaps.noiselessRates()) > hardly {
		return
	}
	before := w.hottest()
	hottest := math.Sqrt(before)
	if math.IsInf(hottest, 1) {
		hottest = math.Max(1/w.Rungs[len(w.Rungs)-2].Beta, hottestGuess)
	} else if r.phase.system.Path == dynamics.Energy && before > hottestGuess {
		return
	}
	for j, b := range geometric(len(w.Rungs), math.Pow(hottest, 1/float64(len(w.Rungs)-1))) {
		w.Rungs[j].Beta = b
	}
	w.writeAllRungs()
	r.notef("%d rungs hardly swap on the way to %s, so their hottest temperature is lowered to %.3g; leave out "+
		"replicas to have as many rungs as are needed", len(w.Rungs), endOfLadder(before), hottest)
}

// endOfLadder names a hottest temperature.
func endOfLadder(temperature float64) string {
	if math.IsInf(temperature, 1) {
		return "the prior"
	}
	return fmt.Sprintf("temperature %.3g", temperature)
}

// resizeLadder gives the ladder the number of rungs that its barrier asks for: about 2Λ + 1 (Syed et al. 2021, section
// 4.3), more while neighbours hardly swap, because then Λ is only known from below.
func (r *warmup) resizeLadder() error {
	if r.phase.settings().Replicas > 0 || r.phase.system.Path == dynamics.Plain || !r.swaps.counts().proposedAll() {
		return nil
	}
	rates, n := r.swaps.noiselessRates(), len(r.walkers.Rungs)
	want := int(math.Ceil(2*barrier(rates))) + 1
	want = min(max(want, 2), maxRungs)
	if want == n {
		return nil
	}
	old, at := r.walkers, byRung(r.walkers)
	nearest := func(j int) int { return int(math.Round(float64(j) * float64(n-1) / float64(want-1))) }
	rungs := make([]rung, want)
	for j, b := range respace(old.betas(), rates, want) {
		rungs[j] = old.Rungs[nearest(j)]
		rungs[j].Beta = b
	}
	if err := r.reopen(rungs, want); err != nil {
		return err
	}
	if err := r.moveFrom(at, old.PerChain, nearest); err != nil {
		return err
	}
	return r.rows.anchorAtColdWalkers()
}

// byRung is the positions of walkers, each chain's in the order of rungs.
func byRung(w *walkers) [][]float64 {
	at := w.positions()
	out := make([][]float64, len(at))
	for lane, rung := range w.RungOf {
		out[lane/w.PerChain*w.PerChain+rung] = at[lane]
	}
	return out
}
