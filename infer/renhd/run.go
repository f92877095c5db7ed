package renhd

import (
	"context"
	"fmt"
	"slices"

	"ppl/infer"
	"ppl/posterior/store"
)

// A run is one call of Sample.
type run struct {
	ctx      context.Context
	recorder infer.Recorder
	shared   shared
	state    state
	stats    statistics
	walkers  *walkers // those of state, on the device; nil before warm-up
	swaps    *swaps
	replay   replay

	// recentred is whether a part of warm-up has changed the coordinates of effects, also one of the run
	// that is resumed.
	recentred bool
}

func newRun(ctx context.Context, s shared, rec infer.Recorder) *run {
	r := &run{ctx: ctx, recorder: rec, shared: s, state: state{Length: 1}}
	r.swaps = newSwaps(&r.shared, &r.state.Swaps, &r.stats.Swaps)
	return r
}

// loadLadder compiles the system and opens perChain walkers for each chain, in turn on the rungs of a new ladder.
func (r *run) loadLadder(betas []float64, perChain int) error {
	program, err := r.shared.compile()
	if err != nil {
		return err
	}
	rungs := r.shared.newRungs(betas)
	return r.open(program, rungs, perChain)
}

// reopen puts perChain walkers for each chain on new lanes of the program that runs.
func (r *run) reopen(rungs []rung, perChain int) error {
	return r.open(r.walkers.program, rungs, perChain)
}

// open loads a program for walkers in turn on the rungs. Noise steps and counts go on from the walkers before.
func (r *run) open(program program, rungs []rung, perChain int) error {
	lanes := r.shared.options.Chains * perChain
	r.close()
	exe, err := r.loadDevice(program, lanes)
	if err != nil {
		return err
	}
	p := &population{PerChain: perChain, Rungs: rungs, RungOf: make([]int, lanes),
		AnchorOf: slices.Repeat([]int{-1}, lanes)}
	for lane := range p.RungOf {
		p.RungOf[lane] = lane % perChain % len(rungs)
	}
	w := newWalkers(&r.shared, program, exe, p)
	if r.replay.replaying() {
		w.loader = nil // a blank device reads no rows
	}
	if old := r.walkers; old != nil {
		p.NoiseStep, p.Gradients, w.perStep = old.NoiseStep, old.Gradients, old.perStep*2
		p.Anchors = old.Anchors
	}
	r.walkers, r.state.Walkers = w, p
	w.numberLanes()
	r.swaps.reset(len(rungs), w.lanes())
	w.writeAllRungs()
	return nil
}

// close gives back the memory of the program that runs, which may hold a copy of all rows: before there is another one.
func (r *run) close() {
	if r.walkers != nil && r.walkers.exe != nil {
		_ = r.walkers.exe.Close() // no result depends on it any more
		r.walkers.exe = nil
	}
}

// disperse places every walker at a start of its own where the density is finite.
func (r *run) disperse() error {
	o, lanes := r.shared.options, r.walkers.lanes()
	start := func(walker int) []float64 { return o.StartOf(r.shared.target, lanes, walker) }
	return infer.Disperse(lanes, start, func(at [][]float64) ([]int, error) {
		return r.walkers.place(r.ctx, at)
	})
}

// moveFrom places each walker of a chain where a walker of that chain was, of perChain then; from says which.
func (r *run) moveFrom(at [][]float64, perChain int, from func(walker int) int) error {
	var to [][]float64
	for chain := range r.walkers.chains {
		for walker := range r.walkers.PerChain {
			to = append(to, at[chain*perChain+from(walker)])
		}
	}
	_, err := r.walkers.place(r.ctx, to)
	return err
}

// notef adds a remark to the report.
func (r *run) notef(format string, args ...any) {
	r.stats.Report.Notes = append(r.stats.Report.Notes, fmt.Sprintf(format, args...))
}

// warn adds a warning to the report.
func (r *run) warn(w store.Warning) { r.stats.Report.Warnings = append(r.stats.Report.Warnings, w) }

// showProgress hands the number of iterations to the recorder.
func (r *run) showProgress(p infer.Phase) {
	report, o := &r.stats.Report, r.shared.options
	done, total := r.state.Iterations+1, o.Warmup
	if p == infer.Sampling {
		done, total = min(r.stats.Iterations, (report.Draws+1)*report.Thin), o.Draws*report.Thin
	}
	progress := infer.Progress{Phase: p, Done: min(done, total), Total: total, Divergences: report.Divergences,
		SwapRates: r.stats.Swaps.rates()}
	if p == infer.Sampling {
		progress.Thin = report.Thin
	}
	if r.shared.blocks != nil {
		progress.Steps = r.walkers.Gradients / int64(r.walkers.lanes())
		progress.Epoch = r.stats.Steps / float64(r.shared.epoch(true))
	}
	r.recorder.Progress(progress)
}
