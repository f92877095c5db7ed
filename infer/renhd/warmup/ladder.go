package warmup

import (
	"fmt"
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
)

// WarmUpLadder warms up on a ladder from the start, with the number of rungs given in the settings.
func (r *Warmup) WarmUpLadder() error {
	n := r.Phase.Settings().Replicas
	if n == 0 {
		n = firstRungs
	}
	if err := r.loadLadder(ladder.FirstBetas(&r.Phase, n), n); err != nil {
		return err
	}
	if err := r.Disperse(); err != nil {
		return err
	}
	if err := r.leaveStarts(); err != nil {
		return err
	}
	return r.adaptLadder()
}

// GrowLadder moves the walkers to a ladder of temperatures, which it then adapts. It is for walkers that do not agree
// after Explore.
func (r *Warmup) GrowLadder() error {
	old, at := r.Walkers, r.Walkers.Positions()
	if err := r.loadLadder(ladder.FirstBetas(&r.Phase, firstRungs), firstRungs); err != nil {
		return err
	}
	for j := range r.Walkers.Rungs {
		r.Walkers.Rungs[j].Metric, r.Walkers.Rungs[j].Step = old.Rungs[0].Metric, old.Rungs[0].Step
	}
	r.Walkers.WriteAllRungs()
	if err := r.MoveFrom(at, old.PerChain, func(walker int) int { return walker % old.PerChain }); err != nil {
		return err
	}
	return r.adaptLadder()
}

// adaptLadder learns metrics, steps, spacing and, if it is not given, the number of rungs, in windows of growing
// length.
func (r *Warmup) adaptLadder() error {
	left := max(r.iterationsLeft(), r.Phase.Options.Warmup/2) // the search for modes may have used the rest
	round := func(share float64) window {
		return window{sweeps: sweeps(share, left), maxSteps: population.MaxSteps, metric: true, spacing: true}
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
	_, err := r.windows(round(.20), round(.25), window{sweeps: sweeps(.25, left), maxSteps: population.MaxSteps})
	return err
}

// respaceLadder makes rejection rates equal along the ladder, if its spacing is not given.
func (r *Warmup) respaceLadder() {
	w := r.Walkers
	if r.Phase.Settings().Ratio > 0 || len(w.Rungs) < 3 || !r.swaps.Counts().ProposedAll() {
		return
	}
	for j, b := range ladder.Respace(w.Betas(), r.swaps.NoiselessRates(), len(w.Rungs)) {
		w.Rungs[j].Beta = b
	}
	w.WriteAllRungs()
}

// shortenLadder lowers the hottest temperature if the number of rungs was given and is too small for neighbours to
// swap. A ladder without swaps is no better than its coldest rung alone. A hottest temperature that was raised is not
// lowered.
func (r *Warmup) shortenLadder() {
	const hardly = 0.05
	w, s := r.Walkers, r.Phase.Settings()
	if s.Replicas == 0 || s.Ratio > 0 || len(w.Rungs) < 2 || !r.swaps.Counts().ProposedAll() ||
		slices.Min(r.swaps.NoiselessRates()) > hardly {
		return
	}
	before := w.Hottest()
	hottest := math.Sqrt(before)
	if math.IsInf(hottest, 1) {
		hottest = math.Max(1/w.Rungs[len(w.Rungs)-2].Beta, ladder.HottestGuess)
	} else if r.Phase.System.Path == dynamics.Energy && before > ladder.HottestGuess {
		return
	}
	for j, b := range ladder.Geometric(len(w.Rungs), math.Pow(hottest, 1/float64(len(w.Rungs)-1))) {
		w.Rungs[j].Beta = b
	}
	w.WriteAllRungs()
	r.Notef("the %d rungs hardly swap on a ladder up to %s, so the hottest temperature is lowered to %.3g; leave out "+
		"replicas to get as many rungs as are needed", len(w.Rungs), endOfLadder(before), hottest)
}

// endOfLadder describes a hottest temperature.
func endOfLadder(temperature float64) string {
	if math.IsInf(temperature, 1) {
		return "the prior"
	}
	return fmt.Sprintf("temperature %.3g", temperature)
}

// resizeLadder gives the ladder the number of rungs that its barrier Λ needs: about 2Λ + 1 (Syed et al. 2021, section
// 4.3). While neighbours hardly swap, the estimate is a lower bound of Λ, and the ladder grows again later.
func (r *Warmup) resizeLadder() error {
	if r.Phase.Settings().Replicas > 0 || r.Phase.System.Path == dynamics.Plain || !r.swaps.Counts().ProposedAll() {
		return nil
	}
	rates, n := r.swaps.NoiselessRates(), len(r.Walkers.Rungs)
	want := int(math.Ceil(2*ladder.Barrier(rates))) + 1
	want = min(max(want, 2), population.MaxRungs)
	if want == n {
		return nil
	}
	old, at := r.Walkers, byRung(r.Walkers)
	nearest := func(j int) int { return int(math.Round(float64(j) * float64(n-1) / float64(want-1))) }
	rungs := make([]population.Rung, want)
	for j, b := range ladder.Respace(old.Betas(), rates, want) {
		rungs[j] = old.Rungs[nearest(j)]
		rungs[j].Beta = b
	}
	if err := r.reopen(rungs, want); err != nil {
		return err
	}
	if err := r.MoveFrom(at, old.PerChain, nearest); err != nil {
		return err
	}
	return r.rows.AnchorAtColdWalkers()
}

// byRung returns the positions of walkers, those of each chain in the order of rungs.
func byRung(w *population.Walkers) [][]float64 {
	at := w.Positions()
	out := make([][]float64, len(at))
	for lane, rung := range w.RungOf {
		out[lane/w.PerChain*w.PerChain+rung] = at[lane]
	}
	return out
}
