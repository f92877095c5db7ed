package infer

// A Report is what a sampler says of its own run, beside the draws.
type Report struct {
	Sampler     string  // "renhd"
	Dynamics    string  // what moved the walkers: "hmc", "nosehoover"
	Path        string  // what was tempered: "likelihood", "energy"; "" without a ladder
	Chains      int     // ladders run
	Draws       int     // draws kept per chain
	Warmup      int     // warm-up iterations per chain
	Thin        int     // iterations per kept draw
	Gradients   int64   // lane-steps, warm-up included
	Divergences int     // trajectories of the T = 1 rung that diverged after warm-up
	StepSize    float64 // of the T = 1 rung, in whitened coordinates
	Steps       float64 // leapfrog or splitting steps per iteration

	// Of nuts.
	TreeDepth float64   // doublings of a trajectory, on average
	Saturated int       // trajectories cut at the greatest depth, after warm-up
	EBFMI     []float64 // by chain (package stats)

	// The ladder, coldest first. One rung: temperatures is [1] and the rest is empty or zero. On the likelihood path they are 1/β, infinite
	// at the prior; a rate is NaN where nothing was proposed.
	Temperatures []float64
	SwapRates    []float64 // between neighbours, averaged over chains, after warm-up
	RoundTrips   int       // journeys cold → hot → cold, all chains together
	Barrier      float64   // Λ = Σ (1 − swap rate)

	Notes    []string // what was decided, in words
	Warnings []string // what the user should know before trusting the draws, in words
}
