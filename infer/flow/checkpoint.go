package flow

import (
	"ppl/infer"
	"ppl/infer/optimize"
)

// A checkpoint is the state of a run between two steps of its fits, or between two draws.
type checkpoint struct {
	State  state
	Report infer.Report
}

// A state is the state of the fits. Slices have one element for each chain.
type state struct {
	Peaks    []optimize.Peak
	Phi      [][]float64
	Climbers []*adam
	Steps    int         // number of steps of the fits
	Clock    uint64      // next noise step of the fits; those of draws follow
	Weights  [][]float64 // log p − log q of the draws so far
}

// loadCheckpoint restores the latest checkpoint, and reports whether there is one.
func (r *fit) loadCheckpoint() (found bool, err error) {
	var c checkpoint
	if found, err = infer.LoadCheckpoint(r.options.Checkpoints, &c); found && err == nil {
		r.state, r.report = c.State, c.Report
	}
	return found, err
}

// saveIfDue saves a checkpoint if it is time, or if the run is about to be interrupted.
func (r *fit) saveIfDue() error {
	if !infer.CheckpointIsDue(r.ctx, r.options.Checkpoints, r.numbers) {
		return nil
	}
	return r.saveLast()
}

// numbers returns about how many numbers a checkpoint will hold: coefficients, two running means of each, and weights.
func (r *fit) numbers() (n int) {
	for chain := range r.state.Phi {
		n += 3 * len(r.state.Phi[chain])
	}
	for _, w := range r.state.Weights {
		n += len(w)
	}
	return n
}

// saveLast saves a checkpoint of the current state.
func (r *fit) saveLast() error {
	return infer.SaveCheckpoint(r.options.Checkpoints, checkpoint{r.state, r.report})
}
