package infer

import "ppl/lang/types"

// A Recorder receives a sampler's output during the run. Its methods are called from one goroutine. An error ends the
// run.
type Recorder interface {
	// Begin is called once, before the first draw. stats describes the statistics that accompany each draw.
	Begin(stats []types.Variable) error
	// Draw receives the next draw of a chain (0-based). values are in the order of Target.Saved, stats in the order
	// given to Begin. The caller reuses both slices after the call.
	Draw(chain int, values, stats []float64) error
	// Progress receives the progress of the run, several times a second.
	Progress(p Progress)
}

// Phase is a part of a run.
type Phase int

// The phases of a run, in order.
const (
	Optimising Phase = iota // trains a network; progress counts steps, not iterations
	WarmingUp
	Sampling
	Predicting // computes predictions from the draws of a finished run
	Weighing   // evaluates the density at the draws of a finished run
	Copying    // copies rows of data that do not fit into memory, before a run; progress is in per cent
)

func (p Phase) String() string {
	return [...]string{"optimising", "warm-up", "sampling", "predicting", "estimating", "copying rows"}[p]
}

// Progress describes how far a phase is: Done of Total iterations. Divergences counts divergences since sampling began.
type Progress struct {
	Phase       Phase
	Done, Total int
	Part        string  // part of warm-up that runs, such as "mode search"; empty if the sampler has no parts
	Share       float64 // share of the rows that Part has read, if it reads all rows in several calls, else 0
	Gradients   int64   // gradients of the run so far; 0 if they are not counted
	Divergences int
	Thin        int       // in the sampling phase, iterations per kept draw; 0 until it is chosen
	SwapRates   []float64 // acceptance rate of swaps of each rung with the next; NaN before the first proposal

	// Epoch, Learned and HeldOut are for a network trained on minibatches: passes over the data in this phase, and the
	// mean log likelihood of training rows and of held-out rows. They are 0 if unknown.
	Epoch, Learned, HeldOut float64
	Steps                   int64 // total steps of each walker
}
