package infer

import (
	"slices"

	"ppl/posterior/stats"
)

// Options are the options of a run. On the same device, the same options give the same draws for any value of Threads.
type Options struct {
	Chains   int // independent ladders; each yields one chain
	Draws    int // kept draws per chain
	Warmup   int // warm-up iterations per chain; they are not kept
	Thin     int // iterations per kept draw; 0: chosen at the end of warm-up
	Seed     uint64
	Threads  int // 0: all cores
	Device   Device
	Settings Settings

	// Judged is the number of the target's values, counted from the first, that thinning is based on; 0 means all. It
	// excludes the log likelihoods of rows that a run records: there may be very many, and they are not quantities of
	// the model.
	Judged int

	// Starts lists starting points for each chain, in the target's coordinates. Walker k of a chain starts at point k
	// modulo the number of its points. If Starts is empty, the target chooses the points.
	Starts [][][]float64

	// Ladder requests a ladder of temperatures, if one is possible, even if the walkers agree. It is set after a run
	// whose chains disagreed.
	Ladder bool

	// Known lists points, in the target's coordinates, in modes that a previous run found but did not sample. The
	// search for modes begins with them.
	Known [][]float64

	// WholeCalls forbids a sampler to split calls of the device according to elapsed time. Runs on several processes
	// set it, since processes would split differently.
	WholeCalls bool

	// Checkpoints may be nil. Samplers that save no checkpoints ignore it.
	Checkpoints Checkpoints
}

// StartOf returns the starting point of a walker. walkers is the number of walkers of all chains; those of a chain have
// consecutive numbers. The numbers walker + walkers, walker + 2·walkers and so on give further candidates for the same
// walker. All chains of a superchain start at the same points.
func (o Options) StartOf(t Target, walkers, walker int) []float64 {
	perChain := walkers / o.Chains
	first := stats.FirstOfSuperchain(walker%walkers/perChain, o.Chains)
	if len(o.Starts) == 0 {
		return t.Start(o.Seed, walker/walkers*walkers+first*perChain+walker%perChain)
	}
	points, candidate := o.Starts[first], walker%perChain+walker/walkers*perChain
	return slices.Clone(points[candidate%len(points)])
}

// Defaults returns the default options: 4 chains of 1,000 draws each after 1,000 iterations of warm-up. The caller must
// set the device.
func Defaults() Options { return Options{Chains: 4, Draws: 1000, Warmup: 1000} }

// AutoBatch lets the sampler choose the size of minibatches, or choose to use all rows.
const AutoBatch = -1

// Settings are the settings of `infer renhd(…)` and `--set name=value`; package settings parses them. A zero value
// lets the sampler choose.
type Settings struct {
	Replicas      int     // number of rungs of the ladder; 0: chosen in warm-up
	Ratio         float64 // T_{j+1}/T_j of a geometric ladder; 0: spacing adapts in warm-up
	Path          string  // "auto", "likelihood" (prior → posterior) or "energy" (U/T)
	Noise         float64 // variance of normal noise added to each gradient component and potential evaluation
	Dynamics      string  // "auto" or a name of package dynamics
	Exchange      string  // "auto", "penalty", "barker", "paper" or "uncorrected"
	Batch         int     // rows of a minibatch; 0: all rows; AutoBatch: chosen in warm-up
	ExchangeBatch int     // rows added per step of the energy estimate of a swap; 0: chosen
	// StepSize is the fixed step in whitened coordinates (√ε for nosehoover), and Adam's first rate for flow samplers;
	// 0: adapted, or the flow sampler's own.
	StepSize float64
	Steps    int     // fixed number of steps per iteration; 0: adapted
	Friction float64 // c = CΔt of nosehoover; 0: chosen
	Accept   float64 // acceptance rate that warm-up aims at; 0: 0.9 for renhd, 0.8 for nuts
	MaxDepth int     // maximum tree depth of nuts; 0: 10
	// MaxEnergyError is the energy error above which a trajectory of nuts counts as divergent; 0: 1000.
	MaxEnergyError float64
	Precision      int // bits of the density and its gradient: 32 or 64; 0: 32 for networks with minibatches, else 64
	// Metric is the metric of the coordinates: "auto" (adapted; dense, or of low rank above 200 dimensions),
	// "diagonal", "low_rank", "dense" or "identity".
	Metric string
	// ControlVariates states whether minibatch gradients use control variates: "on", "off", or "auto" if they reduce
	// the cost.
	ControlVariates string
	// LogLikelihood states whether the log likelihood of each row is stored: "on", "off", or "auto", which decides by
	// the number of rows and draws.
	LogLikelihood string
}
