package store

import (
	"math"

	"ppl/lang/types"
)

// MaxLacking is the share of the target that draws may lack before it is said.
const MaxLacking = 0.02

// A SamplerReport has facts about a run that only its sampler knows, in the form in which run.json has them. Fields
// that a sampler did not report are empty or zero.
type SamplerReport struct {
	Dynamics    string `json:"dynamics,omitempty"` // what moved the walkers: "hmc", "nosehoover"
	Path        string `json:"path,omitempty"`     // what was tempered: "likelihood", "energy"; "" without a ladder
	Warmup      int    `json:"warmup,omitempty"`   // iterations per chain
	Thin        int    `json:"thin,omitempty"`     // iterations per kept draw
	StepSize    Number `json:"step_size"`          // of the T = 1 rung, in whitened coordinates
	Steps       Number `json:"steps"`              // leapfrog or splitting steps per iteration
	Divergences int    `json:"divergences"`        // diverged trajectories of the T = 1 rung after warm-up, kept or not
	// divergences after which the chain's next trajectory did not diverge; not of every sampler
	Escapes int `json:"escapes,omitempty"`
	// trajectories that ended where the log density or its gradient is not finite, of all rungs after warm-up
	NotFinite int `json:"not_finite,omitempty"`
	// parts of the model that were not finite there, the most frequent first
	NonFiniteTerms []types.NonFiniteTerm `json:"non_finite_terms,omitempty"`
	Looked         int                   `json:"looked,omitempty"`      // at how many of those ends
	Gradients      int64                 `json:"gradients"`             // of the log density, warm-up included: lane-steps
	Seconds        float64               `json:"seconds"`               // wall clock, with warm-up
	Sampling       float64               `json:"sampling_seconds"`      // of Seconds: after warm-up
	NoMean         []string              `json:"no_mean,omitempty"`     // parameters with tails too heavy for a mean
	NoIntegral     []string              `json:"no_integral,omitempty"` // those whose tails have no integral
	Outlooks       []Outlook             `json:"outlooks,omitempty"`    // towards where trajectories diverge
	// energy Bayesian fraction of missing information, by chain, over all iterations (stats.EBFMI)
	EBFMI Series `json:"ebfmi"`

	Trees
	Fits
	Exchange
	Minibatches

	// of rules that reject nothing; zero elsewhere
	Positions PositionTemperature `json:"position_temperature,omitzero"`
	// of effects whose coordinates warm-up chose: how many elements are centred
	Centring map[string]int `json:"centring,omitempty"`
	// variables that are weights of a network that was sampled as one: each chain stays near an optimum of its own
	Weights []string `json:"weights,omitempty"`

	Notes    []string  `json:"notes"`    // what was decided, in sentences
	Warnings []Warning `json:"warnings"` // problems to know before trusting the draws
}

// Trees is what nuts reports of its trajectories after warm-up.
type Trees struct {
	TreeDepth Number `json:"tree_depth,omitempty"` // doublings of a trajectory, on average
	Saturated int    `json:"saturated,omitempty"`  // trajectories cut at the greatest depth
	Held      int    `json:"held,omitempty"`       // trajectories that hardly moved, as the one before
}

// Fits is what variational samplers report of their fits.
type Fits struct {
	ELBO     Series `json:"elbo,omitempty"`     // evidence lower bound, by chain
	Weighted bool   `json:"weighted,omitempty"` // draws were chosen by importance weights, relative to all fits together
	ParetoK  Number `json:"pareto_k,omitempty"` // k̂ of the importance weights of all draws (stats.ParetoK)
	// log of the mean weight − mean of the log weights: of the divergence from the target, what the weights know of
	EvidenceGap Number `json:"evidence_gap,omitempty"`
	// how the draws compare with walkers that began elsewhere; nil if there were none
	Elsewhere *Elsewhere `json:"elsewhere,omitempty"`
}

// Exchange is what a ladder of temperatures and jumps between modes report. With fewer than two temperatures there is
// no replica exchange, and the rest is empty or zero.
type Exchange struct {
	// cold to hot; on the likelihood path they are 1/β, infinite at the prior
	Temperatures Temperatures `json:"temperatures"`
	// accepted share of proposed swaps, between neighbouring rungs, all chains together, after warm-up; NaN where
	// nothing was proposed
	SwapRates  Series `json:"swap_rates"`
	RoundTrips int    `json:"round_trips"` // of replicas from cold to hot and back, all ladders together
	Barrier    Number `json:"barrier"`     // Λ = Σ (1 − swap rate)
	// accepted share of proposed jumps between known modes; 0 if there are none
	JumpRate Number `json:"jump_rate,omitempty"`
	// share of the target that the draws lack, since modes were found when there were some already
	Lacking Number `json:"lacking,omitempty"`
	// a point of the target's coordinates in each of those modes, where the share is notable
	LackingAt [][]float64 `json:"lacking_at,omitempty"`
	// the barrier in the first and in the second half of the draws: they agree once the ladder has settled
	Halves Series  `json:"barrier_halves"`
	Rungs  Rungs   `json:"rungs"`
	Ladder *Ladder `json:"-"` // draws of all rungs, in files of their own; nil where none are kept
}

// Minibatches is what is known of the batches; zero if there are none.
type Minibatches struct {
	Batch int `json:"batch,omitempty"` // rows of one
	// Shapiro–Wilk's W of the gradient noise along its main direction; 1 is normal
	NoiseNormal Number `json:"noise_normal,omitempty"`
}

// Elsewhere is what an exploration besides a fit has seen of the target, and how draws compare with it.
type Elsewhere struct {
	Walkers int     `json:"walkers"`
	Apart   bool    `json:"apart"`   // they do not agree on where the target is
	Cut     bool    `json:"cut"`     // they did not arrive within the gradients that they were allowed
	Outside float64 `json:"outside"` // share of their places that is out of the reach of the draws
	Shifted float64 `json:"shifted"` // distance of the distribution functions, beyond what chance explains
	Spread  float64 `json:"spread"`  // logarithm of the ratio of the widths, beyond what chance explains
}

// An Outlook is how much of the posterior is beyond a value of a parameter, by the draws and by the density, in which
// the other parameters are integrated out.
type Outlook struct {
	Parameter string  `json:"parameter"`
	Above     bool    `json:"above,omitempty"` // beyond is above the value, else below it
	Value     float64 `json:"value"`
	Drawn     float64 `json:"drawn"`    // share of the draws
	Expected  float64 `json:"expected"` // share of the posterior, by the density
	Error     float64 `json:"error"`    // standard error of the difference
}

// Missing returns the share of the posterior that draws lack there; 0 if the error is about as large.
func (o Outlook) Missing() float64 {
	if m := o.Expected - o.Drawn; m > 3*o.Error {
		return m
	}
	return 0
}

// Rungs is what each rung of the ladder was like after warm-up, all chains together; each list is as long as
// Temperatures, or empty.
type Rungs struct {
	Acceptance Series `json:"acceptance,omitempty"` // of trajectories
	Divergence Series `json:"divergence,omitempty"` // share of trajectories
	// what s is expected to be from the friction and noise put in: c + εV/2; NaN where V is not known
	Injected   Series `json:"injected,omitempty"`
	StepSizes  Series `json:"step_size,omitempty"`
	Thermostat Series `json:"thermostat,omitempty"` // mean of s = ξΔt
	// of the walkers that have been at an end: the share that came from the cold one; falls evenly from 1 to 0 on a
	// good ladder
	Upward Series `json:"upward,omitempty"`
}

// A PositionTemperature is the configurational temperature of the draws, which is 1 for draws of the target, with its
// standard error, and by how much the noise of gradients heats the coordinate that has most of it, by theory. All of
// these are relative errors of variances.
type PositionTemperature struct {
	Value Number `json:"value"`
	Error Number `json:"error"`
	Noise Number `json:"noise"`
}

// Temperatures are a Series in which null is infinite: the rung of the prior, which JSON has no number for.
type Temperatures []float64

// MarshalJSON writes the list.
func (ts Temperatures) MarshalJSON() ([]byte, error) { return Series(ts).MarshalJSON() }

// UnmarshalJSON reads the list.
func (ts *Temperatures) UnmarshalJSON(text []byte) error {
	err := (*Series)(ts).UnmarshalJSON(text)
	for i, t := range *ts {
		if math.IsNaN(t) {
			(*ts)[i] = math.Inf(1)
		}
	}
	return err
}
