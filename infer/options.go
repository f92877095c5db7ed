package infer

import (
	"slices"

	"ppl/posterior/stats"
)

// Options are the options of a run. The same options on the same device give the same draws, whatever Threads is.
type Options struct {
	Chains   int // independent ladders; each yields one chain
	Draws    int // kept draws per chain
	Warmup   int // warm-up iterations per chain; they are not kept
	Thin     int // iterations per kept draw; 0 means choose at the end of warm-up
	Seed     uint64
	Threads  int // 0 means all cores
	Device   Device
	Settings Settings

	// Judged is how many of the target's values, from the first, decide thinning: a run also records log densities of
	// each row, which are not quantities of the model and may be very many. 0 means all.
	Judged int

	// Starts are where the walkers of each chain begin, in turn: points of the target's coordinates. Without them, the
	// target chooses.
	Starts [][][]float64

	// Ladder asks for a ladder of temperatures where one is possible, whatever walkers agree on: chains of a run before
	// did not.
	Ladder bool

	// Known are points in modes that a run before has found too late, in the target's coordinates: a search for modes
	// looks there first.
	Known [][]float64

	// WholeCalls forbids samplers to cut a call of the device by the clock: on several processes clocks differ.
	WholeCalls bool

	// Checkpoints may be nil. Samplers that keep none ignore them.
	Checkpoints Checkpoints
}

// StartOf returns the starting point of a walker; walkers of a chain have consecutive numbers. Numbers from walkers on
// give further candidates. All chains of a superchain start at the same points.
func (o Options) StartOf(t Target, walkers, walker int) []float64 {
	perChain := walkers / o.Chains
	first := stats.FirstOfSuperchain(walker%walkers/perChain, o.Chains)
	if len(o.Starts) == 0 {
		return t.Start(o.Seed, walker/walkers*walkers+first*perChain+walker%perChain)
	}
	chain, turn := first, walker%perChain+walker/walkers*perChain
	points := o.Starts[chain]
	return slices.Clone(points[turn%len(points)])
}

// Defaults returns the options nobody has to think about: 4 chains of 1,000 draws each after 1,000 of warm-up. The
// device is the caller's to choose.
func Defaults() Options { return Options{Chains: 4, Draws: 1000, Warmup: 1000} }

// AutoBatch lets the sampler choose the size of minibatches, or to use all rows.
const AutoBatch = -1

// Settings are the settings of `infer renhd(…)` and `--set name=value`; package settings parses them. A zero value
// lets the sampler choose.
type Settings struct {
	Replicas      int     // rungs of the ladder; 0: chosen in warm-up
	Ratio         float64 // T_{j+1}/T_j of a geometric ladder; 0: spacing adapts in warm-up
	Path          string  // "auto", "likelihood" (prior → posterior) or "energy" (U/T)
	Noise         float64 // variance of normal noise added to each gradient component and potential evaluation
	Dynamics      string  // "auto" or a name of package dynamics
	Exchange      string  // "auto", "penalty", "barker", "paper" or "uncorrected"
	Batch         int     // rows of a minibatch; 0: all rows; AutoBatch: chosen in warm-up
	ExchangeBatch int     // rows added per step of the energy estimate of a swap; 0: chosen
	StepSize      float64 // fixed step in whitened coordinates (√ε for nosehoover); 0: adapted
	Steps         int     // fixed number of steps per iteration; 0: adapted
	Friction      float64 // c = CΔt of nosehoover; 0: chosen
	Accept        float64 // acceptance rate that warm-up aims at; 0: 0.9
	MaxDepth      int     // of nuts: maximum tree depth; 0: 10
	// of nuts: the error of the energy from which on a trajectory counts as divergent; 0: 1000
	MaxEnergyError float64
	Precision      int // of density and gradient: 32, 64, or 0: 32 for networks with minibatches, else 64
	// coordinates: "auto" (adapted; dense, or of low rank above 200 dimensions), "diagonal" or "identity"
	Metric string
	// whether gradients of minibatches have control variates: "on", "off", or where they pay
	ControlVariates string
	// whether a run keeps the log likelihood of each row: "on", "off", or by size
	LogLikelihood string
}
