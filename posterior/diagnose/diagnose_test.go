package diagnose

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ppl/lang/types"
	"ppl/posterior/report"
	"ppl/posterior/store"
	"ppl/posterior/summary"
	"ppl/runtime/sys/files"

	"github.com/google/go-cmp/cmp"
)

// A scene describes a run for tests: at(chain, draw, element) gives the draws of a scalar mu (element 0) and a vector
// theta.
type scene struct {
	chains, draws int
	thetas        int
	drawn         []string // names of the parameters
	at            func(r *rand.Rand, chain, draw, element int) float64
	replica       func(chain, draw int) int // walker of the ladder that gives a draw
	diverging     int                       // draws of each chain, the first ones
	follows       float64                   // up to this value of mu trajectories do not diverge
	status        store.Status
	report        store.SamplerReport
	effects       []types.Effect
	exchangeable  []string
}

// twoModes returns a run of 4 chains with 12 walkers each, which take turns at temperature 1, and with two modes that
// overlap in each of 200 elements. Before a draw, its walker chooses a mode again with probability rate.
func twoModes(rate float64) scene {
	const walkers, apart = 12, 0.85
	s := good()
	s.draws, s.thetas = 900, 200
	s.replica = func(_, draw int) int { return draw * 7 % walkers }
	random, in := rand.New(rand.NewPCG(21, 22)), map[[2]int]float64{}
	s.at = func(r *rand.Rand, chain, draw, element int) float64 {
		at := [2]int{chain, s.replica(chain, draw)}
		if _, known := in[at]; element == 0 && (!known || random.Float64() < rate) {
			in[at] = 0
			if random.Float64() < .25 {
				in[at] = apart
			}
		}
		return in[at] + r.NormFloat64()
	}
	return s
}

// effects draws a scale of about 2 and elements with standard deviation 2.1/part.
func effects(part float64) func(r *rand.Rand, _, _, element int) float64 {
	return func(r *rand.Rand, _, _, element int) float64 {
		if element == 0 {
			return 2 + 0.1*r.NormFloat64()
		}
		return 2.1 / part * r.NormFloat64()
	}
}

// good returns a run without faults.
func good() scene {
	return scene{chains: 4, draws: 1000, thetas: 3, status: store.Finished, follows: math.Inf(1),
		at:      func(r *rand.Rand, _, _, element int) float64 { return float64(element) + r.NormFloat64() },
		replica: func(_, draw int) int { return draw / 7 % 3 },
		report: store.SamplerReport{Gradients: 1_204_000, Seconds: 3.2,
			Exchange: store.Exchange{Temperatures: []float64{1, 2, 7.389}, SwapRates: []float64{.42, .83},
				RoundTrips: 31, Barrier: .75}}}
}

func (s scene) write(t *testing.T) *store.Run {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "eight.run")
	layout := store.Layout{Chains: s.chains, Parameters: s.drawn, Effects: s.effects, Exchangeable: s.exchangeable,
		Posterior:   []types.Variable{{Name: "mu"}, {Name: "theta", Shape: []int{s.thetas}, Dims: []string{"J"}}},
		SampleStats: []types.Variable{{Name: "lp"}, {Name: "diverging", Bool: true}, {Name: "replica", Int: true}}}
	w, err := store.Create(files.Disk{}, dir, layout,
		store.Options{Model: "eight.ppl", Sampler: "renhd", Device: "host", Seed: 42})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	for chain := range s.chains {
		for d := range s.draws {
			var values []float64
			for e := range 1 + s.thetas {
				values = append(values, s.at(r, chain, d, e))
			}
			diverging := 0.
			if d < s.diverging || values[0] > s.follows {
				diverging = 1
			}
			if err := w.Append(chain, values,
				[]float64{r.NormFloat64(), diverging, float64(s.replica(chain, d))}); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Report(s.report)
	var cause error
	if s.status == store.Failed {
		cause = errors.New("the device went away")
	}
	if err := w.Close(s.status, cause); err != nil {
		t.Fatal(err)
	}
	run, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func (s scene) summary(t *testing.T) summary.Report {
	t.Helper()
	report, err := Summarize(s.write(t), summary.View{})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// words returns the warnings of a report, one per line.
func words(r summary.Report) string {
	var lines []string
	for _, w := range r.Warnings {
		lines = append(lines, w.String())
	}
	return strings.Join(lines, "\n")
}

// TestWeightsAreNotJudged checks that R-hat and effective sizes of the weights of a network bring no warnings, since
// chains are near different optima, and that those of other parameters do.
func TestWeightsAreNotJudged(t *testing.T) {
	apart := func(first int) scene {
		s := good()
		s.report.Temperatures, s.report.SwapRates = []float64{1}, nil
		s.at = func(r *rand.Rand, chain, _, element int) float64 {
			if element >= first {
				return float64(10*chain) + r.NormFloat64()
			}
			return r.NormFloat64()
		}
		return s
	}
	network := apart(1)
	if got := network.summary(t); !got.Unusable {
		t.Errorf("parameters that are no weights: %q", got.Warnings)
	}
	network.report.Weights = []string{"theta"}
	if got := network.summary(t); got.Unusable || len(got.Warnings) > 0 || len(got.Parameters) != 4 {
		t.Errorf("weights: %q", got.Warnings)
	}
	all := apart(0)
	all.report.Weights = []string{"theta"}
	if got := all.summary(t); !got.Unusable || !strings.Contains(words(got), "mu averages") {
		t.Errorf("a parameter next to weights: %q", got.Warnings)
	}
}

func TestGoodRunHasNoWarnings(t *testing.T) {
	r := good().summary(t)
	if len(r.Warnings) != 0 {
		t.Errorf("warnings: %q", r.Warnings)
	}
	var names []string
	for _, p := range r.Parameters {
		names = append(names, p.Name)
	}
	if d := cmp.Diff([]string{"mu", "theta[1]", "theta[2]", "theta[3]"}, names); d != "" {
		t.Error(d)
	}
}

// tiny draws numbers of which some are below the smallest normal number.
func tiny(r *rand.Rand, _, _, _ int) float64 { return math.Exp(-400 * math.Abs(r.NormFloat64())) }

// TestGeneratedQuantitiesMayUnderflow checks that generated quantities may underflow, as probabilities of distant modes
// do.
func TestGeneratedQuantitiesMayUnderflow(t *testing.T) {
	s := good()
	s.drawn, s.at = []string{"theta"}, tiny
	if got := words(s.summary(t)); !strings.Contains(got, "3 of 4 parameters have draws that underflow") {
		t.Errorf("drawn: %q", got)
	}
	s.drawn = nil
	if got := words(s.summary(t)); strings.Contains(got, "that underflow") {
		t.Errorf("generated: %q", got)
	}
}

// TestCarriedChainsHaveNoWarnings checks that a low swap rate brings no warning if chains agree and either replicas
// pass the ladder often or chains jump between modes without it.
func TestCarriedChainsHaveNoWarnings(t *testing.T) {
	for name, carry := range map[string]func(r *store.SamplerReport){
		"round trips": func(r *store.SamplerReport) { r.RoundTrips = 900 },
		"jumps":       func(r *store.SamplerReport) { r.RoundTrips, r.JumpRate = 0, .4 },
		"neither":     func(r *store.SamplerReport) { r.RoundTrips, r.JumpRate = 5, .01 },
	} {
		s := good()
		s.report.SwapRates = []float64{.5, .02}
		carry(&s.report)
		if w := s.summary(t).Warnings; (len(w) > 0) != (name == "neither") {
			t.Errorf("%s: %q", name, w)
		}
	}
}

// TestFewDivergences checks that a few divergences of a sound run bring no warning if they are spread over the draws,
// or if most trajectories at an end of the draws do not diverge.
func TestFewDivergences(t *testing.T) {
	for name, change := range map[string]func(s *scene){
		"at a wall of density 0, everywhere": func(s *scene) {
			s.follows, s.report.Divergences, s.report.NotFinite, s.report.Looked = -1, 9000, 9000, 20
			s.report.NonFiniteTerms = []types.NonFiniteTerm{{Part: "the log likelihood of `y`", Points: 20, Zeros: 20}}
		},
		"anywhere": func(s *scene) { s.diverging = 15 },
		"where next to nothing is missing": func(s *scene) {
			s.diverging, s.report.Outlooks = 15, []store.Outlook{{Parameter: "mu", Value: .05, Drawn: .011,
				Expected: .013, Error: .0004}, {Parameter: "mu", Value: .1, Drawn: .011, Expected: .02, Error: .004}}
		},
		"at an end":                 func(s *scene) { s.follows = 2.85 },
		"many, which hold no chain": func(s *scene) { s.report.Divergences, s.report.Escapes = 1000, 620 },
		"at an end that holds none": func(s *scene) {
			s.follows, s.report.Divergences, s.report.Escapes = 2.5, 100, 62
		},
	} {
		s := good()
		s.report.Thin = 10
		change(&s)
		if got := s.summary(t); len(got.Warnings) > 0 || got.Divergences < leastEdge {
			t.Errorf("%s: %d divergences, %q", name, got.Divergences, got.Warnings)
		}
	}
}

// TestWarnings checks that each planted fault brings its warning and advice. TestGoodRunHasNoWarnings checks the run
// without faults.
func TestWarnings(t *testing.T) {
	ar := func(phi float64) func(*rand.Rand, int, int, int) float64 {
		x := 0.
		return func(r *rand.Rand, _, _, _ int) float64 { x = phi*x + r.NormFloat64(); return x }
	}
	for name, c := range map[string]struct {
		change func(s *scene)
		want   []string
	}{
		"modes": {func(s *scene) {
			s.at = func(r *rand.Rand, chain, _, _ int) float64 { return 9*float64(chain/2) + r.NormFloat64() }
		}, []string{"different places", "averages -0.", "9.0", "--set replicas=5", "R-hat is above 1.01 for 4 of 4"}},
		"modes without ladder": {func(s *scene) {
			s.report.Temperatures = nil
			s.at = func(r *rand.Rand, chain, _, _ int) float64 { return 9*float64(chain/2) + r.NormFloat64() }
		}, []string{"different places", "--set replicas=8"}},
		"improper": {func(s *scene) {
			s.at = func(_ *rand.Rand, chain, draw, _ int) float64 { return 1e9 * float64(1+chain) * float64(draw) }
		}, []string{"4 of 4 parameters grow without limit", "improper", "(mu: "}},
		"improper at 0": {func(s *scene) {
			s.at = func(r *rand.Rand, chain, _, _ int) float64 {
				return math.Exp(-60 - 20*float64(chain) + r.NormFloat64())
			}
		}, []string{"4 of 4 parameters run towards 0 without limit (the median of", "identical data", "Gamma(2, 1)"}},
		"underflow": {func(s *scene) {
			s.drawn = []string{"mu", "theta"}
			s.at = tiny
		}, []string{"4 of 4 parameters have draws that underflow", "lost some or all of their digits"}},
		"drift": {func(s *scene) {
			s.at = func(r *rand.Rand, _, draw, _ int) float64 { return float64(draw)/300 + r.NormFloat64() }
		}, []string{"R-hat is above 1.01", "longer warm-up", "pairs", "are not reliable"}},
		"slow": {func(s *scene) { s.thetas = 0; s.at = ar(.95) }, []string{"below 400", "Run longer: --draws"}},
		"a bit slow": {func(s *scene) { s.thetas = 0; s.at = ar(.7) },
			[]string{"mu has an ess_bulk of", "below the 1,000", "About --draws"}},
		"NaN": {func(s *scene) {
			s.at = func(r *rand.Rand, _, draw, element int) float64 {
				if element == 2 && draw == 500 {
					return math.NaN()
				}
				return r.NormFloat64()
			}
		}, []string{"1 of 4 parameters has infinite or not-a-number draws (theta[2]: 4 of 4000)", "logarithm of 0"}},
		"divergences": {func(s *scene) { s.diverging = 6 },
			[]string{"24 trajectories diverged", "--set accept=0.95"}},
		"divergences at an end": {func(s *scene) { s.follows, s.report.Thin = 2.5, 10 },
			[]string{"Among the 40 draws with the largest mu, 2", "what lies beyond", "--set accept=0.95"}},
		"a part of the posterior that draws lack": {func(s *scene) {
			s.report.Outlooks = []store.Outlook{{Parameter: "mu", Value: .05, Drawn: .004, Expected: .021, Error: .003},
				{Parameter: "tau", Above: true, Value: 9, Drawn: .01, Expected: .012, Error: .003}}
		}, []string{"About 1.7 % of the posterior is missing", "2.1 % with mu below 0.05, and 0.4 % of the draws"}},
		"not a number": {func(s *scene) {
			s.report.Divergences, s.report.NotFinite, s.report.Looked = 9000, 9000, 20
			s.report.NonFiniteTerms = []types.NonFiniteTerm{{Part: "the log likelihood of `y`", Points: 20, Zeros: 19}}
		}, []string{"9,000 trajectories after warm-up came where the log density or its gradient is not finite"}},
		"cut trajectories": {func(s *scene) { s.report.Saturated = 41 },
			[]string{"41 trajectories were cut", "--set max_depth=12"}},
		"chains that are held": {func(s *scene) { s.report.Held = 13 },
			[]string{"13 trajectories after warm-up hardly moved", "too long for a part", "--set accept=0.95"}},
		"heavy weights": {func(s *scene) { s.report.ELBO, s.report.ParetoK = []float64{-3.1, -3, -3, -3}, 0.9 },
			[]string{"misses some of the posterior", "Pareto k̂ 0.90, limit 0.7"}},
		"divergent fit": {func(s *scene) { s.report.ELBO, s.report.EvidenceGap = []float64{-3, -3, -3, -3}, 0.3 },
			[]string{"lower bound 0.3 below the evidence"}},
		"heavy weights, and walkers were elsewhere": {func(s *scene) {
			s.report.ELBO, s.report.ParetoK = []float64{-3, -3, -3, -3}, 0.9
			s.report.Elsewhere = &store.Elsewhere{Walkers: 16, Apart: true}
		}, []string{"misses some of the posterior", "seems to have several modes"}},
		"a fit that misses a third": {func(s *scene) {
			s.report.ELBO, s.report.Elsewhere = []float64{-3, -3, -3, -3}, &store.Elsewhere{Walkers: 16, Outside: .33}
		}, []string{"do not reach 33 % of their positions"}},
		"a fit that is too narrow": {func(s *scene) {
			s.report.ELBO, s.report.Elsewhere = []float64{-3, -3, -3, -3}, &store.Elsewhere{Walkers: 16, Spread: .5}
		}, []string{"widths by a factor of 1.6"}},
		"a fit that nothing was compared with": {func(s *scene) {
			s.report.ELBO, s.report.Elsewhere = []float64{-3, -3, -3, -3}, &store.Elsewhere{Cut: true}
		}, []string{"The posterior away from the fits was not explored"}},
		"unequal fits": {func(s *scene) { s.report.ELBO = []float64{-3, -5, -3, -3} },
			[]string{"not equally good (evidence lower bounds from -5 to -3)"}},
		"divergences between kept draws": {func(s *scene) { s.report.Divergences = 90 },
			[]string{"90 trajectories diverged"}},
		"divergences that hold chains": {func(s *scene) { s.report.Divergences, s.report.Escapes = 1000, 500 },
			[]string{"1000 trajectories diverged"}},
		"one divergence in a bad run": {func(s *scene) {
			s.report.Divergences = 1
			s.at = func(r *rand.Rand, chain, _, _ int) float64 { return float64(chain/2) + r.NormFloat64() }
		}, []string{"1 trajectory diverged"}},
		"small steps": {func(s *scene) {
			s.report.Dynamics, s.report.StepSize = "hmc", .008
			s.at = func(r *rand.Rand, chain, _, _ int) float64 { return float64(chain/2) + r.NormFloat64() }
		}, []string{"had to shrink to 0.008"}},
		"small steps, and divergences": {func(s *scene) {
			s.report.Dynamics, s.report.StepSize, s.report.Divergences = "hmc", .008, 90
		}, []string{"had to shrink to 0.008"}},
		"no round trip": {func(s *scene) {
			s.report.RoundTrips = 0
			s.at = func(r *rand.Rand, chain, _, _ int) float64 { return float64(chain/2) + r.NormFloat64() }
		},
			[]string{"No replica made a round trip", "--set replicas=5"}},
		"rare swaps": {func(s *scene) { s.report.SwapRates = []float64{.5, .02} },
			[]string{"Only 2.0 %", "2 and 7.39", "more rungs"}},
		"low energy": {func(s *scene) {
			s.report.EBFMI = []float64{.9, .21, .8, 1}
			s.at = func(r *rand.Rand, chain, _, _ int) float64 { return float64(chain/2) + r.NormFloat64() }
		},
			[]string{"E-BFMI is below 0.3 in 1 of 4", "0.21", "--set accept=0.95"}},
		"centred effects": {func(s *scene) {
			s.diverging, s.effects = 30, []types.Effect{{Name: "theta", Scale: "mu"}}
			s.at = effects(2)
		}, []string{"Mark `theta` `noncentered`", "posterior sd is 0.5"}},
		"effects of which the data say much": {func(s *scene) {
			s.diverging, s.effects = 30, []types.Effect{{Name: "theta", Scale: "mu", NonCentered: true}}
			s.at = effects(20)
		}, []string{"Write `theta` without `noncentered`"}},
		"effects in the right coordinates": {func(s *scene) {
			s.diverging, s.effects = 30, []types.Effect{{Name: "theta", Scale: "mu", NonCentered: true}}
			s.at = effects(2)
		}, []string{"diverged", "--set accept=0.95"}},
		"effects whose coordinates warm-up chose": {func(s *scene) {
			s.diverging, s.effects = 30, []types.Effect{{Name: "theta", Scale: "mu"}}
			s.at, s.report.Centring = effects(2), map[string]int{"theta": 0}
		}, []string{"diverged", "--set accept=0.95"}},
		"components that change places": {func(s *scene) {
			s.exchangeable = []string{"theta"}
			s.at = func(r *rand.Rand, chain, _, _ int) float64 { return 9*float64(chain/2) + r.NormFloat64() }
		}, []string{"different places", "`theta` can change places"}},
		"stuck": {func(s *scene) {
			s.drawn, s.at = []string{"mu", "theta"}, func(*rand.Rand, int, int, int) float64 { return 3 }
		}, []string{"All draws of mu, theta are the same: the sampler has not moved", "--warmup"}},
		"at an end": {func(s *scene) {
			s.drawn, s.at = []string{"mu", "theta"}, func(*rand.Rand, int, int, int) float64 { return 0 }
		}, []string{"All draws of mu, theta are the same, so the summaries are meaningless", "Give `mu`", "proper " +
			"prior"}},
		"unsettled": {func(s *scene) { s.report.Halves = []float64{4, 2.5} },
			[]string{"4.00 in the first half", "--warmup"}},
		"hot thermostat": {func(s *scene) {
			s.report.Dynamics = "nosehoover"
			s.report.Rungs.Thermostat, s.report.Rungs.Injected = []float64{.5, .1, .1}, []float64{.1, .1, .1}
		}, []string{"thermostat is at 0.5", "--set step_size"}},
		"heavy noise": {func(s *scene) { s.report.Batch, s.report.NoiseNormal = 128, .7 },
			[]string{"far from normal", "W = 0.70", "--set batch"}},
		"bottleneck": {func(s *scene) {
			s.report.Temperatures, s.report.SwapRates = []float64{1, 2, 4, 8}, []float64{.5, .4, .5}
			s.report.Rungs.Upward = []float64{1, .95, .05, 0}
		}, []string{"turn back between the temperatures 2 and 4", "40 %"}},
		"trading": {func(s *scene) {
			s.replica = func(_, draw int) int { return draw % 3 }
			s.at = func(r *rand.Rand, _, draw, _ int) float64 { return 9*float64(draw%3) + r.NormFloat64() }
		}, []string{"Each replica stays in one region", "--set replicas=6 --set ratio=2.7"}},
		"one chain":   {func(s *scene) { s.chains = 1 }, []string{"One chain", "--chains 4"}},
		"few":         {func(s *scene) { s.draws = 4 }, []string{"too few"}},
		"interrupted": {func(s *scene) { s.status = store.Interrupted }, []string{"interrupted", "1000 draws"}},
		"failed":      {func(s *scene) { s.status = store.Failed }, []string{"failed (the device went away)"}},
		"killed":      {func(s *scene) { s.status = store.Killed }, []string{"was killed", "--resume"}},
		"running":     {func(s *scene) { s.status = store.Running }, []string{"still in progress"}},
		"none":        {func(s *scene) { s.draws = 0 }, []string{"Not every chain has draws yet"}},
		"told": {func(s *scene) { s.report.Warnings = []store.Warning{{Fact: "The prior is improper."}} },
			[]string{"The prior is improper."}},
	} {
		s := good()
		c.change(&s)
		all := words(s.summary(t))
		for _, want := range c.want {
			if !strings.Contains(all, want) {
				t.Errorf("%s: no %q in:\n%s", name, want, all)
			}
		}
	}
}

// TestConstantsDoNotWarn checks that a constant element, such as a 1 on the diagonal of a correlation matrix, brings no
// warning.
func TestConstantsDoNotWarn(t *testing.T) {
	s := good()
	s.at = func(r *rand.Rand, _, _, element int) float64 {
		if element == 1 {
			return 1
		}
		return r.NormFloat64()
	}
	r := s.summary(t)
	if len(r.Warnings) > 0 {
		t.Errorf("%q", r.Warnings)
	}
	var b bytes.Buffer
	if err := errors.Join(report.Table(&b, r, 0), report.JSON(&b, r)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `"rhat": null`) {
		t.Errorf("no null in\n%s", b.String())
	}
}

// TestSoundRunsAreNotAccused checks that rare divergences, a ladder without round trips, and small steps bring no
// warning if the chains agree.
func TestSoundRunsAreNotAccused(t *testing.T) {
	s := good()
	s.report.Divergences, s.report.NotFinite, s.report.RoundTrips = 7, 5, 0
	if r := s.summary(t); len(r.Warnings) > 0 || r.Divergences != 7 {
		t.Errorf("%d divergences, warnings %q", r.Divergences, r.Warnings)
	}
	s.report.Divergences, s.report.NotFinite = 0, 0
	s.report.Dynamics, s.report.StepSize = "hmc", .008 // as for kinks
	if r := s.summary(t); len(r.Warnings) > 0 {
		t.Errorf("small steps: %q", r.Warnings)
	}
}

// TestMotionlessParametersAreReported checks that a parameter whose draws are all equal is reported by name, and that a
// generated quantity is not.
func TestMotionlessParametersAreReported(t *testing.T) {
	for name, c := range map[string]struct {
		fixed func(element int) bool
		drawn []string
		want  string
	}{
		"all of theta": {func(e int) bool { return e > 0 }, []string{"mu", "theta"}, "All draws of theta are the same"},
		"mu and theta": {func(int) bool { return true }, []string{"mu", "theta"}, "All draws of mu, theta are"},
		"ten of them": {func(int) bool { return true }, strings.Fields("a b c d e f g h i j"),
			"e, f, g, h and 2 more are"},
		"one element": {func(e int) bool { return e == 1 }, []string{"mu", "theta"}, ""},
		"generated":   {func(e int) bool { return e > 0 }, []string{"mu"}, ""},
	} {
		s := good()
		s.drawn = c.drawn
		s.at = func(r *rand.Rand, _, _, element int) float64 {
			if c.fixed(element) {
				return 0
			}
			return r.NormFloat64()
		}
		report := s.summary(t)
		said := strings.Contains(words(report), "All draws of")
		if said != (c.want != "") || !strings.Contains(words(report), c.want) ||
			report.Unusable != said {
			t.Errorf("%s: %q", name, report.Warnings)
		}
	}
}

// TestWalkersThatStay checks that walkers are reported if they stay in one of two modes, and not if they choose again
// about three times in a run. In the latter case some walkers are in the rarer mode all the time, and some means are
// more than five standard errors apart, so that a test of standard errors alone would report them.
func TestWalkersThatStay(t *testing.T) {
	for name, c := range map[string]struct {
		rate float64
		want bool
	}{"stay": {0, true}, "move": {1. / 25, false}} {
		if got := strings.Contains(words(twoModes(c.rate).summary(t)), "stays in one region"); got != c.want {
			t.Errorf("walkers that %s: flagged as staying in one region: %t", name, got)
		}
	}
}

// TestDamagedRun checks that the error for a missing chunk names its file.
func TestDamagedRun(t *testing.T) {
	run := good().write(t)
	if err := os.Remove(filepath.Join(run.Dir, "posterior", "theta", "1.0.0")); err != nil {
		t.Fatal(err)
	}
	if _, err := Summarize(run, summary.View{}); err == nil || !strings.Contains(err.Error(), "1.0.0") {
		t.Errorf("error: %v", err)
	}
}

// TestWarningsAreRanked checks that grave warnings come first, and that the summary names the command that shows the
// rest.
func TestWarningsAreRanked(t *testing.T) {
	said := func(facts ...string) (all []store.Warning) {
		for _, fact := range facts {
			all = append(all, store.Warning{Fact: fact})
		}
		return all
	}
	topics := []summary.Topic{{Name: "run", Warnings: said("It was interrupted."), Grave: 0}, {Name: "modes",
		Warnings: said("Chains differ.", "One."), Grave: 1},
		{Name: "energy", Warnings: said("Low."), Grave: 0}, {Name: "convergence", Warnings: said("R-hat."), Grave: 1}}
	warnings, unusable := ranked(topics)
	want := said("Chains differ.", "R-hat.", "It was interrupted.", "One.", "Low.")
	if !unusable || !reflect.DeepEqual(warnings, want) {
		t.Errorf("warnings %q, unusable %t", warnings, unusable)
	}
	var b strings.Builder
	if err := report.Table(&b, summary.Report{Dir: "m.run", Warnings: warnings}, 80); err != nil {
		t.Fatal(err)
	}
	if text := b.String(); strings.Count(text, "warning: ") != 3 || strings.Contains(text, "One.") ||
		!strings.Contains(text, "ppl diagnose m.run shows the reasons and 2 less serious warnings.") {
		t.Errorf("the summary says\n%s", text)
	}
	if _, unusable := ranked(topics[:1]); unusable {
		t.Error("a run that was interrupted is said to be of no use")
	}
}
