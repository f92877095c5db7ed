package infer

import "ppl/lang/types"

// A Recorder receives a sampler's output during the run. Its methods are called from one goroutine. An error ends the
// run.
type Recorder interface {
	// Begin is called once, before the first draw, with the layout of the statistics that go with each draw.
	Begin(stats []types.Variable) error
	// Draw gives the next draw of a chain (0-based): values laid out as Target.Saved, stats as in Begin. Both are
	// reused after the call.
	Draw(chain int, values, stats []float64) error
	// Progress reports how far the run is, several times a second.
	Progress(p Progress)
}

// Phase is a part of a run.
type Phase int

// The phases of a run, in order.
const (
	Optimising Phase = iota // of networks: steps, not iterations
	WarmingUp
	Sampling
	Predicting // after a run, from its draws
	Weighing   // draws of a run, by the density
	Copying    // rows of data that are too large for memory, before a run: in per cent, not iterations
)

func (p Phase) String() string {
	return [...]string{"optimising", "warm-up", "sampling", "predicting", "estimating", "copying rows"}[p]
}

// Progress is the progress of one phase: Done of Total iterations. Divergences counts those since sampling began.
type Progress struct {
	Phase       Phase
	Done, Total int
	Divergences int
	Thin        int       // of sampling: iterations per kept draw; 0 before that is chosen
	SwapRates   []float64 // between each rung of a ladder and the next; NaN if no swap has been proposed yet

	// Of minibatches of a network: passes over the data in this phase, and the mean log likelihood of a row that was
	// learned from and of one that was held out; 0 if they are not known.
	Epoch, Learned, HeldOut float64
	Steps                   int64 // of each walker in all
}
