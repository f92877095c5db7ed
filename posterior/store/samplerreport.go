package store

import (
	"encoding/json"
	"math"

	"ppl/lang/types"
)

// MaxLacking is the share of the target that draws may lack before it is said.
const MaxLacking = 0.02

// A SamplerReport has facts about a run that only its sampler knows. Empty or zero fields were not reported by this
// sampler.
type SamplerReport struct {
	Dynamics    string  // what moved the walkers: "hmc", "nosehoover"
	Path        string  // what was tempered: "likelihood", "energy"; "" without a ladder
	Warmup      int     // iterations per chain
	Thin        int     // iterations per kept draw
	StepSize    float64 // of the T = 1 rung, in whitened coordinates
	Steps       float64 // leapfrog or splitting steps per iteration
	Divergences int     // trajectories of the T = 1 rung that diverged after warm-up, kept or not
	Escapes     int     // divergences after which the chain's next trajectory did not diverge; not of every sampler
	// trajectories that ended where the log density or its gradient is not finite, of all rungs after warm-up
	NotFinite      int
	NonFiniteTerms []types.NonFiniteTerm // parts of the model that were not finite there, the most frequent first
	Looked         int                   // at how many of those ends
	Gradients      int64                 // gradients of the log density computed, warm-up included: lane-steps
	Seconds        float64               // wall clock, with warm-up
	Sampling       float64               // of Seconds: after warm-up
	NoMean         []string              // parameters whose tails are too heavy for a mean (adapt.Meanless)
	NoIntegral     []string              // those whose tails have no integral
	Outlooks       []Outlook             // towards where trajectories diverge
	// energy Bayesian fraction of missing information, by chain, over all iterations (stats.EBFMI)
	EBFMI []float64

	// Of nuts; zero elsewhere.
	TreeDepth float64 // doublings of a trajectory, on average after warm-up
	Saturated int     // trajectories cut at the greatest depth, after warm-up
	Held      int     // those that hardly moved, as the one before, after warm-up

	// Of variational fits; empty or zero elsewhere.
	ELBO     []float64 // evidence lower bound, by chain
	Weighted bool      // draws were chosen by importance weights, relative to all fits together
	ParetoK  float64   // k̂ of the importance weights of all draws (stats.ParetoK)
	// log of the mean weight − mean of the log weights: of the divergence from the target, what the weights know of
	EvidenceGap float64
	Elsewhere   *Elsewhere // how the draws compare with walkers that began elsewhere; nil where there were none

	// The ladder, cold to hot. Fewer than two temperatures: no replica exchange, and the rest is empty or zero. On the
	// likelihood path they are 1/β, infinite at the prior; a rate is NaN where nothing was proposed.
	Temperatures []float64
	// accepted share of proposed swaps, between neighbouring rungs, all chains together, after warm-up
	SwapRates  []float64
	RoundTrips int     // of replicas from cold to hot and back, all ladders together
	Barrier    float64 // Λ = Σ (1 − swap rate)
	JumpRate   float64 // accepted share of proposed jumps between known modes; 0 where there are none
	Lacking    float64 // share of the target that the draws lack, since modes were found when there were some already
	// a point of the target's coordinates in each of those modes, where the share is notable
	LackingAt [][]float64
	// the barrier in the first and in the second half of the draws: they agree once the ladder has settled
	Halves []float64
	Rungs  Rungs
	Ladder *Ladder // draws of all rungs, in files of their own; nil where none are kept

	// Of minibatches; zero where there are none.
	Batch       int     // rows of one
	NoiseNormal float64 // Shapiro–Wilk's W of the gradient noise along its main direction; 1 is normal

	Positions PositionTemperature // of rules that reject nothing; zero elsewhere

	// of effects whose coordinates warm-up chose: how many elements are centred
	Centring map[string]int

	// variables that are weights of a network that was sampled as one: each chain stays near an optimum of its own
	Weights []string

	Notes    []string  // what was decided, in sentences
	Warnings []Warning // problems to know before trusting the draws
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

// Missing is the share of the posterior that draws lack there; 0 if the error is about as large.
func (o Outlook) Missing() float64 {
	if m := o.Expected - o.Drawn; m > 3*o.Error {
		return m
	}
	return 0
}

// Rungs is what each rung of the ladder was like after warm-up, all chains together; each list is as long as
// Temperatures, or empty.
type Rungs struct {
	StepSizes  []float64
	Acceptance []float64 // of trajectories
	Divergence []float64 // share of trajectories
	// of the walkers that have been at an end: the share that came from the cold one; falls evenly from 1 to 0 on a
	// good ladder
	Upward     []float64
	Thermostat []float64 // mean of s = ξΔt
	// what s is expected to be from the friction and noise put in: c + εV/2; NaN where V is not known
	Injected []float64
}

// A PositionTemperature is the configurational temperature of the draws, which is 1 for draws of the target, with its
// standard error, and by how much the noise of gradients heats the coordinate that has most of it, by theory. All of
// these are relative errors of variances.
type PositionTemperature struct {
	Value, Error, Noise float64
}

// positionTemperature is its JSON form.
type positionTemperature struct {
	Value Number `json:"value"`
	Error Number `json:"error"`
	Noise Number `json:"noise"`
}

// samplerReport is the JSON form.
type samplerReport struct {
	Dynamics       string                `json:"dynamics,omitempty"`
	Path           string                `json:"path,omitempty"`
	Warmup         int                   `json:"warmup,omitempty"`
	Thin           int                   `json:"thin,omitempty"`
	StepSize       Number                `json:"step_size"`
	Steps          Number                `json:"steps"`
	Divergences    int                   `json:"divergences"`
	Escapes        int                   `json:"escapes,omitempty"`
	NotFinite      int                   `json:"not_finite,omitempty"`
	NonFiniteTerms []types.NonFiniteTerm `json:"non_finite_terms,omitempty"`
	Looked         int                   `json:"looked,omitempty"`
	Gradients      int64                 `json:"gradients"`
	Seconds        Number                `json:"seconds"`
	Sampling       Number                `json:"sampling_seconds"`
	NoMean         []string              `json:"no_mean,omitempty"`
	NoIntegral     []string              `json:"no_integral,omitempty"`
	Outlooks       []Outlook             `json:"outlooks,omitempty"`
	EBFMI          []Number              `json:"ebfmi"`
	TreeDepth      Number                `json:"tree_depth,omitempty"`
	Saturated      int                   `json:"saturated,omitempty"`
	Held           int                   `json:"held,omitempty"`
	ELBO           []Number              `json:"elbo,omitempty"`
	Weighted       bool                  `json:"weighted,omitempty"`
	ParetoK        Number                `json:"pareto_k,omitempty"`
	EvidenceGap    Number                `json:"evidence_gap,omitempty"`
	Elsewhere      *Elsewhere            `json:"elsewhere,omitempty"`
	Temperatures   []Number              `json:"temperatures"`
	SwapRates      []Number              `json:"swap_rates"`
	RoundTrips     int                   `json:"round_trips"`
	Barrier        Number                `json:"barrier"`
	JumpRate       Number                `json:"jump_rate,omitempty"`
	Lacking        Number                `json:"lacking,omitempty"`
	LackingAt      [][]float64           `json:"lacking_at,omitempty"`
	Halves         []Number              `json:"barrier_halves"`
	Rungs          map[string][]Number   `json:"rungs"`
	Batch          int                   `json:"batch,omitempty"`
	NoiseNormal    Number                `json:"noise_normal,omitempty"`
	Positions      positionTemperature   `json:"position_temperature,omitzero"`
	Centring       map[string]int        `json:"centring,omitempty"`
	Weights        []string              `json:"weights,omitempty"`
	Notes          []string              `json:"notes"`
	Warnings       []Warning             `json:"warnings"`
}

// columns are the lists of the rungs by their name in JSON.
func (r *Rungs) columns() map[string]*[]float64 {
	return map[string]*[]float64{"step_size": &r.StepSizes, "acceptance": &r.Acceptance, "divergence": &r.Divergence,
		"upward": &r.Upward, "thermostat": &r.Thermostat, "injected": &r.Injected}
}

// MarshalJSON writes the report; numbers that are not finite become null.
func (r SamplerReport) MarshalJSON() ([]byte, error) {
	rungs := map[string][]Number{}
	for name, column := range r.Rungs.columns() {
		if len(*column) > 0 {
			rungs[name] = Numbers(*column)
		}
	}
	p := positionTemperature{Number(r.Positions.Value), Number(r.Positions.Error), Number(r.Positions.Noise)}
	return json.Marshal(samplerReport{
		r.Dynamics, r.Path, r.Warmup, r.Thin, Number(r.StepSize), Number(r.Steps), r.Divergences, r.Escapes,
		r.NotFinite, r.NonFiniteTerms, r.Looked, r.Gradients, Number(r.Seconds), Number(r.Sampling),
		r.NoMean, r.NoIntegral, r.Outlooks, Numbers(r.EBFMI), Number(r.TreeDepth), r.Saturated,
		r.Held, Numbers(r.ELBO), r.Weighted, Number(r.ParetoK), Number(r.EvidenceGap), r.Elsewhere,
		Numbers(r.Temperatures), Numbers(r.SwapRates), r.RoundTrips, Number(r.Barrier), Number(r.JumpRate),
		Number(r.Lacking), r.LackingAt, Numbers(r.Halves), rungs,
		r.Batch, Number(r.NoiseNormal), p, r.Centring, r.Weights, r.Notes, r.Warnings,
	})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *SamplerReport) UnmarshalJSON(text []byte) error {
	var s samplerReport
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	*r = SamplerReport{
		Dynamics: s.Dynamics, Path: s.Path, Warmup: s.Warmup, Thin: s.Thin, StepSize: float64(s.StepSize),
		Steps:       float64(s.Steps),
		Divergences: s.Divergences, Escapes: s.Escapes,
		NotFinite: s.NotFinite, NonFiniteTerms: s.NonFiniteTerms, Looked: s.Looked,
		Gradients: s.Gradients, Seconds: float64(s.Seconds), Sampling: float64(s.Sampling),
		NoMean: s.NoMean, NoIntegral: s.NoIntegral, Outlooks: s.Outlooks,
		EBFMI: floats(s.EBFMI), TreeDepth: float64(s.TreeDepth),
		Saturated: s.Saturated, Held: s.Held, ELBO: floats(s.ELBO), Weighted: s.Weighted, ParetoK: float64(s.ParetoK),
		EvidenceGap: float64(s.EvidenceGap), Elsewhere: s.Elsewhere,
		Temperatures: temperatures(s.Temperatures), SwapRates: floats(s.SwapRates), RoundTrips: s.RoundTrips,
		Barrier: float64(s.Barrier), JumpRate: float64(s.JumpRate), Lacking: float64(s.Lacking),
		LackingAt: s.LackingAt, Halves: floats(s.Halves), Batch: s.Batch, NoiseNormal: float64(s.NoiseNormal),
		Positions: PositionTemperature{float64(s.Positions.Value), float64(s.Positions.Error),
			float64(s.Positions.Noise)}, Centring: s.Centring, Weights: s.Weights, Notes: s.Notes,
		Warnings: s.Warnings,
	}
	for name, column := range r.Rungs.columns() {
		*column = floats(s.Rungs[name])
	}
	return nil
}

// temperatures that are not finite are infinite: the rung of the prior, which JSON has no number for.
func temperatures(ns []Number) []float64 {
	ts := floats(ns)
	for i, t := range ts {
		if math.IsNaN(t) {
			ts[i] = math.Inf(1)
		}
	}
	return ts
}
