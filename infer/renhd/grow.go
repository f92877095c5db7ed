package renhd

import (
	"fmt"
	"math"
	"slices"

	"ppl/infer/dynamics"
)

// warmLadder warms up a ladder from the start, of the length asked for.
func (r *run) warmLadder() error {
	n := r.settings().Replicas
	if n == 0 {
		n = firstRungs
	}
	if err := r.load(r.firstBetas(n), n); err != nil {
		return err
	}
	if err := r.begin(); err != nil {
		return err
	}
	if err := r.opening(); err != nil {
		return err
	}
	return r.settleLadder(r.options.Warmup - r.swept)
}

func (r *run) firstBetas(n int) []float64 {
	if ratio := r.settings().Ratio; ratio > 0 {
		return geometric(n, ratio)
	}
	return firstGuess(r.system.Path, n, hottestGuess)
}

// growLadder puts the explorers, who disagree, on a ladder.
func (r *run) growLadder() error {
	old, at := r.walkers, r.walkers.positions()
	if err := r.load(r.firstBetas(firstRungs), firstRungs); err != nil {
		return err
	}
	for j := range r.walkers.rungs {
		r.walkers.rungs[j].metric, r.walkers.rungs[j].step = old.rungs[0].metric, old.rungs[0].step
	}
	r.walkers.settleAll()
	if err := r.move(at, old.per, func(walker int) int { return walker % old.per }); err != nil {
		return err
	}
	return r.settleLadder(r.options.Warmup - r.swept)
}

// move places walkers where others of the same chain were, per of them in each.
func (r *run) move(at [][]float64, per int, from func(walker int) int) error {
	var to [][]float64
	for chain := range r.walkers.chains {
		for walker := range r.walkers.per {
			to = append(to, at[chain*per+from(walker)])
		}
	}
	_, err := r.walkers.place(r.ctx, to)
	return err
}

// settleLadder learns metrics, steps, spacing and, where it is free, the number of rungs, in rounds of growing length.
func (r *run) settleLadder(left int) error {
	round := func(share float64) window {
		return window{sweeps: sweeps(share, left), most: mostSteps, metric: true, spacing: true}
	}
	tune := func(w window) error { _, err := r.windows(w); return err }
	for _, step := range []struct {
		share float64
		run   func(window) error
	}{{.05, tune}, {.10, r.reach}, {.15, r.reach}} {
		if err := step.run(round(step.share)); err != nil {
			return err
		}
		if err := r.resize(); err != nil {
			return err
		}
		r.shorten()
	}
	_, err := r.windows(round(.20), round(.25), window{sweeps: sweeps(.25, left), most: mostSteps})
	return err
}

// respace evens out the rejections of a ladder whose spacing is free.
func (r *run) respace() {
	w, s := r.walkers, r.settings()
	if s.Ratio > 0 || len(w.rungs) < 3 || r.exchange.pairs[0].proposed == 0 {
		return
	}
	for j, b := range respace(r.betas(), r.exchange.quiet(), len(w.rungs)) {
		w.rungs[j].beta = b
	}
	w.settleAll()
}

// shorten brings down the hot end of a ladder whose number of rungs was asked for and does not reach so far, until
// neighbours trade: one that does not is no better than its coldest rung alone. A hot end that was raised is needed
// where it is.
func (r *run) shorten() {
	const hardly = 0.05
	w, s := r.walkers, r.settings()
	if s.Replicas == 0 || s.Ratio > 0 || len(w.rungs) < 2 || r.exchange.pairs[0].proposed == 0 ||
		slices.Min(r.exchange.quiet()) > hardly {
		return
	}
	before := r.hottest()
	hottest := math.Sqrt(before)
	if math.IsInf(hottest, 1) {
		hottest = math.Max(1/w.rungs[len(w.rungs)-2].beta, hottestGuess)
	} else if r.system.Path == dynamics.Energy && before > hottestGuess {
		return
	}
	for j, b := range geometric(len(w.rungs), math.Pow(hottest, 1/float64(len(w.rungs)-1))) {
		w.rungs[j].beta = b
	}
	w.settleAll()
	r.note("%d rungs hardly trade places on the way to %s: these go up to temperature %.3g; leave out replicas to "+
		"have as many as it takes",
		len(w.rungs), place(before), hottest)
}

// place names the end of a ladder.
func place(temperature float64) string {
	if math.IsInf(temperature, 1) {
		return "the prior"
	}
	return fmt.Sprintf("temperature %.3g", temperature)
}

func (r *run) betas() []float64 {
	var out []float64
	for _, g := range r.walkers.rungs {
		out = append(out, g.beta)
	}
	return out
}

// resize gives the ladder the number of rungs that its barrier asks for: about 2Λ + 1 (Syed et al. 2021, section 4.3),
// more while neighbours hardly trade, for then Λ is only known from below.
func (r *run) resize() error {
	w := r.walkers
	if r.settings().Replicas > 0 || r.system.Path == dynamics.Plain || len(r.exchange.pairs) == 0 {
		return nil
	}
	rates, n := r.exchange.quiet(), len(w.rungs)
	want := int(math.Ceil(2*barrier(rates))) + 1
	want = min(max(want, 2), mostRungs)
	if want == n {
		return nil
	}
	betas, at, old := respace(r.betas(), rates, want), w.positions(), w
	same := func(j int) int { return int(math.Round(float64(j) * float64(n-1) / float64(want-1))) }
	rungs := make([]rung, want)
	for j := range rungs {
		rungs[j] = old.rungs[same(j)]
		rungs[j].beta = betas[j]
	}
	byRung := make([][]float64, len(at))
	for lane, g := range old.rungOf {
		byRung[lane/old.per*old.per+g] = at[lane]
	}
	if err := r.open(rungs, want, func(walker int) int { return walker }); err != nil {
		return err
	}
	if err := r.move(byRung, old.per, same); err != nil {
		return err
	}
	return r.pin()
}
