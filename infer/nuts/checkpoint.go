package nuts

import (
	"errors"

	"ppl/infer"
	"ppl/infer/adapt"
)

// A checkpoint is the state of a run at any time between two calls of the device. At such a time most chains are within
// a trajectory. So each chain is stored at its last draw, with the number of steps of its current trajectory. A resumed
// run repeats these steps with the same result: momenta and decisions are noise addressed by (seed, chain, iteration).
type checkpoint struct {
	State  state
	Chains []chainState
	Report infer.Report
}

// A chainState is a chain at its last draw.
type chainState struct {
	Last      []float64 // State of the last draw
	Iteration uint64    // number of trajectories finished
	Left      int       // number of trajectories to be finished in this phase
	Done      int       // number of steps of the current trajectory
	Step      float64
	Adapt     adapt.StepSize
}

var (
	errOtherRun = errors.New("the checkpoint does not belong to this run: it has another number of chains or " +
		"parameters; start a new run")
	errNotRepeated = errors.New("the run cannot continue from its checkpoint: repeating the trajectories since the " +
		"last draws gives other results than before; start a new run")
)

// loadCheckpoint returns the latest checkpoint, or nil if there is none.
func (r *run) loadCheckpoint() (*checkpoint, error) {
	c := &checkpoint{}
	found, err := infer.LoadCheckpoint(r.options.Checkpoints, c)
	if err != nil || !found {
		return nil, err
	}
	return c, nil
}

// restore sets the chains to the last draws in a checkpoint.
func (r *run) restore(from *checkpoint) error {
	if len(from.Chains) != len(r.chains) || len(from.Chains[0].Last) != stateSize(r.target.Dim()) {
		return errOtherRun
	}
	for lane, c := range r.chains {
		s := from.Chains[lane]
		copy(c.state(), s.Last)
		c.iteration, c.left, c.repeat, c.step, c.adapt = s.Iteration, s.Left, s.Done, s.Step, s.Adapt
	}
	return nil
}

// repeatAndContinue repeats the steps of the current trajectories up to the checkpoint, and then continues. All chains
// reach the same relative progress as before, so trajectories end in the same order, and sums over chains are the same.
func (r *run) repeatAndContinue(after func(c *chain) error) error {
	clock, gradients, busy := r.state.Clock, r.report.Gradients, 0
	for _, c := range r.chains {
		if c.left > 0 {
			c.begin()
			busy++
		}
	}
	for {
		mask, behind := make([]bool, len(r.chains)), false
		for lane, c := range r.chains {
			mask[lane] = c.left > 0 && c.steps < c.repeat
			behind = behind || mask[lane]
		}
		if !behind {
			break
		}
		if err := r.call("step", mask); err != nil {
			return err
		}
		for lane, c := range r.chains {
			if mask[lane] && c.grow(r.stateOf(lane)) {
				return errNotRepeated
			}
		}
	}
	r.state.Clock, r.report.Gradients = clock, gradients
	return r.continueTrajectories(busy, after)
}

// saveIfDue saves a checkpoint if it is time, or if the run is about to be interrupted.
func (r *run) saveIfDue() error {
	if !infer.CheckpointIsDue(r.ctx, r.options.Checkpoints, r.numbers) {
		return nil
	}
	return r.save(r.options.Checkpoints)
}

// numbers returns the approximate number of float64 values in a checkpoint.
func (r *run) numbers() int {
	dim, seen := r.target.Dim(), &r.state.Seen
	n := len(r.chains)*stateSize(dim) + len(r.state.Metric.Factor) + len(r.state.Metric.Vectors) +
		2*seen.Points.Len()*dim
	for _, xs := range seen.Visited {
		n += len(xs) * (1 + min(dim, adapt.MaxDense))
	}
	return n
}

func (r *run) save(keep infer.Checkpoints) error {
	out := checkpoint{State: r.state, Report: r.report}
	for _, c := range r.chains {
		s := chainState{Last: c.state(), Iteration: c.iteration, Step: c.step, Adapt: c.adapt}
		if c.left > 0 {
			s.Last, s.Iteration, s.Left, s.Done = c.last, c.iteration-1, c.left, c.steps
		}
		out.Chains = append(out.Chains, s)
	}
	return keep.Save(out)
}
