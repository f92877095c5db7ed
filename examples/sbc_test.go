package examples_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
)

// A calibration is a model that can either generate the data y or condition on them. watch names the parameters whose
// ranks are tested.
type calibration struct {
	name, y string // y with its axes, as it is declared
	model   string
	watch   []string
}

func calibrations() []calibration {
	return []calibration{
		{"normal", "y[1..10]", "mu ~ Normal(1, 2)\nsigma ~ Gamma(3, 2)\ny[1..10] ~ Normal(mu, sigma)\n",
			[]string{"mu", "sigma"}},
		{"counts", "y[1..6]", "a, b ~ Gamma(2, 1)\nrate[1..6] ~ Gamma(a, b)\ny[j in 1..6] ~ Poisson(3 * rate[j])\n",
			[]string{"a", "b", "rate[1]"}},
		{"schools", "y[1..8]", "mu ~ Normal(0, 5)\ntau ~ HalfNormal(5)\ntheta[1..8] ~ Normal(mu, tau) " +
			"noncentered\ny[j in 1..8] ~ Normal(theta[j], 10)\n",
			[]string{"mu", "tau", "theta[1]"}},
		{"logistic", "y[1..30]", "a ~ Normal(0, 1)\nb[1..2] ~ Normal(0, 1)\ny[i in 1..30] ~ Bernoulli(logits = a + " +
			"b[1] * sin(i) + b[2] * cos(2 * i))\n",
			[]string{"a", "b[1]", "b[2]"}},
		{"simplex", "y[1..12]", "w[1..3] ~ Dirichlet(fill(2, 3))\ny[1..12] ~ Categorical(w)\n",
			[]string{"w[1]", "w[3]"}},
	}
}

// TestCalibration is simulation-based calibration (Talts, Betancourt, Simpson, Vehtari, Gelman 2018): if parameters are
// drawn from the prior, and data given the parameters, the ranks of the parameters among posterior draws are uniform.
// With 200 replications and ten bins, a correct sampler exceeds the chi-square bound once in 10⁵. The planted fault,
// draws that are wider by half about their mean, must exceed it.
func TestCalibration(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	for name, s := range map[string]infer.Sampler{"nuts": nuts.Sample, "renhd": renhd.Sample} {
		for _, c := range calibrations() {
			t.Run(name+"/"+c.name, func(t *testing.T) { c.check(t, s) })
		}
	}
}

const (
	replications = 200
	rankBins     = 10
)

func (c calibration) check(t *testing.T, s infer.Sampler) {
	dir := t.TempDir()
	prior, given := filepath.Join(dir, "prior.ppl"), filepath.Join(dir, "given.ppl")
	write(t, prior, strings.ReplaceAll(c.model, "\ny[", "\ngenerate y["))
	write(t, given, "data "+c.y+"\n"+c.model)
	joint := load(t, prior)
	right, wide := map[string][]float64{}, map[string][]float64{}
	for rep := range replications {
		truth := c.draw(joint, uint64(rep))
		var y []float64
		for _, name := range elements(joint) {
			if strings.HasPrefix(name, "y[") {
				y = append(y, truth[name])
			}
		}
		text, err := json.Marshal(map[string][]float64{"y": y})
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "y.json"), string(text))
		o := infer.Options{Chains: 1, Draws: 99, Warmup: 300, Thin: 5, Seed: uint64(rep)}
		draws, _ := sampleBy(t, s, load(t, given, compiler.DataArg{Path: filepath.Join(dir, "y.json")}), o)
		for _, name := range c.watch {
			count(right, name, draws[name][0], truth[name], 1)
			count(wide, name, draws[name][0], truth[name], 1.5)
		}
	}
	bound := distuv.ChiSquared{K: rankBins - 1}.Quantile(1 - 1e-5)
	found := 0.0
	for _, name := range c.watch {
		t.Logf("%s: chi-square %.1f, spread draws %.1f, of at most %.1f", name, chiSquare(right[name]),
			chiSquare(wide[name]), bound)
		if chiSquare(right[name]) > bound {
			t.Errorf("%s: ranks %v are not uniform", name, right[name])
		}
		found = math.Max(found, chiSquare(wide[name]))
	}
	if found < bound {
		t.Errorf("draws that are too wide by half pass: the test shows nothing")
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// draw returns one draw of parameters and data by name. If the prior is proper, a starting point is a draw from it.
func (c calibration) draw(p *compiler.Program, seed uint64) map[string]float64 {
	theta := autodiff.New().Data("theta", p.Start(seed, 0), p.Dim())
	values := autodiff.Eval(nil, p.Values(theta))[0]
	p.Complete(rand.New(rand.NewPCG(seed, 1)), values)
	out := map[string]float64{}
	for i, name := range elements(p) {
		out[name] = values[i]
	}
	return out
}

// count adds the rank of the truth, among draws widened about their mean, to its bin.
func count(bins map[string][]float64, name string, draws []float64, truth, widen float64) {
	mean := stat.Mean(draws, nil)
	rank := 0
	for _, x := range draws {
		if mean+widen*(x-mean) < truth {
			rank++
		}
	}
	if bins[name] == nil {
		bins[name] = make([]float64, rankBins)
	}
	bins[name][rank*rankBins/(len(draws)+1)]++
}

func chiSquare(counts []float64) (sum float64) {
	for _, n := range counts {
		const want = float64(replications) / rankBins
		sum += (n - want) * (n - want) / want
	}
	return sum
}
