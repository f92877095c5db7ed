package store

import (
	"math"

	"ppl/lang/types"
)

// A Ladder holds draws of all rungs of a temperature ladder, cold to hot, for estimates of the evidence. If there are
// many iterations, it is thinned to every second, fourth and so on. The list of a chain concatenates its iterations or
// draws.
type Ladder struct {
	Betas    []float64   // inverse temperatures
	Energies [][]float64 // by chain: for each iteration and rung, the log likelihood or log density that β multiplies
	Dim      int         // number of coordinates of a position
	Hottest  [][]float64 // positions on the hottest rung, by chain; nil if its normalizing constant is known
}

// MaxLacking is the largest share of the target that draws may lack without a warning.
const MaxLacking = 0.02

// A SamplerReport holds what the sampler reports about a run, in the JSON form of run.json. Fields that a sampler does
// not report are empty or zero.
type SamplerReport struct {
	Dynamics    string `json:"dynamics,omitempty"` // rule that moves the walkers: "hmc", "nosehoover"
	Path        string `json:"path,omitempty"`     // tempered factor: "likelihood", "energy"; "" without a ladder
	Warmup      int    `json:"warmup,omitempty"`   // number of iterations per chain
	Thin        int    `json:"thin,omitempty"`     // number of iterations per kept draw
	StepSize    Number `json:"step_size"`          // on the rung of temperature 1, in whitened coordinates
	Steps       Number `json:"steps"`              // mean number of leapfrog or splitting steps per iteration
	Divergences int    `json:"divergences"`        // at temperature 1 after warm-up, including draws not kept
	// Escapes is the number of divergences after which the chain's next trajectory did not diverge. Not every sampler
	// reports it.
	Escapes int `json:"escapes,omitempty"`
	// NotFinite is the number of trajectories that ended where the log density or its gradient is not finite, on all
	// rungs after warm-up.
	NotFinite int `json:"not_finite,omitempty"`
	// NonFiniteTerms lists the parts of the model that were not finite there, most frequent first.
	NonFiniteTerms []types.NonFiniteTerm `json:"non_finite_terms,omitempty"`
	Looked         int                   `json:"looked,omitempty"`      // number of such ends examined
	Gradients      int64                 `json:"gradients"`             // summed over lanes, including warm-up
	Seconds        float64               `json:"seconds"`               // wall-clock time, including warm-up
	Sampling       float64               `json:"sampling_seconds"`      // part of Seconds after warm-up
	NoMean         []string              `json:"no_mean,omitempty"`     // parameters with tails too heavy for a mean
	NoIntegral     []string              `json:"no_integral,omitempty"` // parameters with tails too heavy to integrate
	Outlooks       []Outlook             `json:"outlooks,omitempty"`    // draws against density near divergences
	// EBFMI is the energy Bayesian fraction of missing information, by chain, over all iterations (stats.Energies).
	EBFMI Series `json:"ebfmi"`

	Trees
	Fits
	Exchange
	Minibatches

	// Positions is set for rules that reject no proposals.
	Positions PositionTemperature `json:"position_temperature,omitzero"`
	// Centring maps each effect whose parameterization warm-up chose to its number of centered elements.
	Centring map[string]int `json:"centring,omitempty"`
	// Weights names variables that are weights of a network sampled as such. Each chain stays near a different optimum
	// of these.
	Weights []string `json:"weights,omitempty"`

	Notes    []string  `json:"notes"`    // decisions of the sampler, in sentences
	Warnings []Warning `json:"warnings"` // problems that affect whether the draws can be trusted
}

// Trees holds what NUTS reports about its trajectories after warm-up.
type Trees struct {
	TreeDepth Number `json:"tree_depth,omitempty"` // mean number of doublings of a trajectory
	Saturated int    `json:"saturated,omitempty"`  // number of trajectories cut at the maximum depth
	Held      int    `json:"held,omitempty"`       // number of trajectories that hardly moved, like their predecessor
}

// Fits holds what variational samplers report about their fits.
type Fits struct {
	ELBO     Series `json:"elbo,omitempty"`     // evidence lower bound, by chain
	Weighted bool   `json:"weighted,omitempty"` // draws were chosen by importance weights, relative to all fits
	ParetoK  Number `json:"pareto_k,omitempty"` // k̂ of the importance weights of all draws (stats.ParetoK)
	// EvidenceGap is the log of the mean weight minus the mean of the log weights: an estimate, from below, of the
	// Kullback-Leibler divergence from the fit to the target.
	EvidenceGap Number `json:"evidence_gap,omitempty"`
	// Elsewhere compares the draws with walkers that began at other points; nil if there were none.
	Elsewhere *Elsewhere `json:"elsewhere,omitempty"`
}

// Exchange holds what a temperature ladder and jumps between modes report. With fewer than two temperatures there is no
// replica exchange, and the other fields are empty or zero.
type Exchange struct {
	// Temperatures is ordered from cold to hot. On the likelihood path, temperatures are 1/β, which is infinite at the
	// prior.
	Temperatures Temperatures `json:"temperatures"`
	// SwapRates is the share of proposed swaps accepted between neighbouring rungs, over all chains after warm-up; NaN
	// if none was proposed.
	SwapRates  Series `json:"swap_rates"`
	RoundTrips int    `json:"round_trips"` // number of round trips of replicas, cold to hot and back, over all ladders
	Barrier    Number `json:"barrier"`     // Λ = Σ (1 − swap rate)
	// JumpRate is the share of proposed jumps between known modes accepted, or 0 if there are none.
	JumpRate Number `json:"jump_rate,omitempty"`
	// Lacking is the share of the target that draws lack because its modes were found only after sampling had begun.
	Lacking Number `json:"lacking,omitempty"`
	// LackingAt holds a point, in the target's coordinates, in each such mode with a notable share.
	LackingAt [][]float64 `json:"lacking_at,omitempty"`
	// Halves is the barrier in the first and the second half of the draws. The two agree once the ladder has settled.
	Halves Series  `json:"barrier_halves"`
	Rungs  Rungs   `json:"rungs"`
	Ladder *Ladder `json:"-"` // draws of all rungs, stored in separate files; nil if not kept
}

// Minibatches describes the minibatches; it is zero if there are none.
type Minibatches struct {
	Batch int `json:"batch,omitempty"` // number of rows in a minibatch
	// NoiseNormal is the Shapiro–Wilk statistic W of the gradient noise along its main direction; 1 is normal.
	NoiseNormal Number `json:"noise_normal,omitempty"`
}

// Elsewhere describes a separate exploration of the target, and how the draws compare with it.
type Elsewhere struct {
	Walkers int     `json:"walkers"`
	Apart   bool    `json:"apart"`   // whether walkers disagree about where the target is
	Cut     bool    `json:"cut"`     // whether walkers did not converge within their limit of gradients
	Outside float64 `json:"outside"` // share of the walkers' positions that the draws do not reach
	Shifted float64 `json:"shifted"` // distance between distribution functions, beyond what chance explains
	Spread  float64 `json:"spread"`  // log ratio of widths, beyond what chance explains
}

// An Outlook compares how much of the posterior lies beyond a value of a parameter, according to the draws and
// according to the marginal density.
type Outlook struct {
	Parameter string  `json:"parameter"`
	Above     bool    `json:"above,omitempty"` // whether "beyond" means above the value
	Value     float64 `json:"value"`
	Drawn     float64 `json:"drawn"`    // share of the draws beyond the value
	Expected  float64 `json:"expected"` // share of the posterior beyond the value, from the density
	Error     float64 `json:"error"`    // standard error of the difference
}

// Missing returns the share of the posterior that the draws lack there, or 0 if it is within three standard errors.
func (o Outlook) Missing() float64 {
	if m := o.Expected - o.Drawn; m > 3*o.Error {
		return m
	}
	return 0
}

// Rungs describes each rung of the ladder after warm-up, over all chains. Each list is as long as Temperatures, or
// empty.
type Rungs struct {
	Acceptance Series `json:"acceptance,omitempty"` // acceptance rate of trajectories
	Divergence Series `json:"divergence,omitempty"` // share of trajectories that diverged
	// Injected is the expected value of Thermostat, given friction and noise: c + εV/2; NaN if V is unknown.
	Injected   Series `json:"injected,omitempty"`
	StepSizes  Series `json:"step_size,omitempty"`
	Thermostat Series `json:"thermostat,omitempty"` // mean of s = ξΔt
	// Upward is the share of walkers that last visited the cold end, among those that visited an end. On a good ladder
	// it falls evenly from 1 to 0.
	Upward Series `json:"upward,omitempty"`
}

// A PositionTemperature holds the configurational temperature of the draws, which is 1 for draws of the target, with
// its standard error. Noise is the theoretical rise of it by gradient noise in the noisiest coordinate. Value − 1,
// Error and Noise are relative errors of variances.
type PositionTemperature struct {
	Value Number `json:"value"`
	Error Number `json:"error"`
	Noise Number `json:"noise"`
}

// Temperatures is a Series in which null is read as infinity, the temperature of the prior, for which JSON has no
// number.
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
