package examples_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"ppl/compiler"
	"ppl/infer/stats"
)

// truths is what simulate/ drew the data with: for every simulated example the values of its parameters, row-major.
func truths(t *testing.T) map[string]map[string][]float64 {
	t.Helper()
	text, err := os.ReadFile("simulate/truth.json")
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]map[string][]float64
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// byElement names every element of the truth as the draws name it. A name the run does not keep, or of another size, is an error.
func byElement(t *testing.T, p *compiler.Program, truth map[string][]float64) map[string]float64 {
	t.Helper()
	out, found := map[string]float64{}, 0
	for _, v := range p.Saved() {
		values, ok := truth[v.Name]
		if !ok {
			continue
		}
		found++
		if len(values) != v.Size() {
			t.Fatalf("%s has %d elements, the truth %d", v.Name, v.Size(), len(values))
		}
		for i, x := range values {
			out[v.Element(i)] = x
		}
	}
	if found != len(truth) {
		t.Fatalf("the run keeps %d of the %d true values' names", found, len(truth))
	}
	return out
}

// The truth names what the models keep, with their sizes.
func TestTruthFits(t *testing.T) {
	for model, truth := range truths(t) {
		t.Run(model, func(t *testing.T) { byElement(t, load(t, model+".ppl"), truth) })
	}
}

// At default settings the simulated examples recover what they were simulated with: every posterior mean within 4 posterior
// sds of the truth, all but a fifth of them, and one, within 2 (a calibrated posterior has 95 %), R-hat below 1.01 for all.
func TestRecover(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	for model, truth := range truths(t) {
		t.Run(model, func(t *testing.T) {
			p := load(t, model+".ppl")
			recovers(t, sample(t, p, defaults(20260104)), byElement(t, p, truth))
		})
	}
}

func recovers(t *testing.T, draws map[string][][]float64, truth map[string]float64) {
	t.Helper()
	near, worst := 0, 1.0
	for name, want := range truth {
		s := stats.Summarize(draws[name])
		d := math.Abs(s.Mean-want) / s.SD
		if !(d < 4) {
			t.Errorf("%s: %.4g ± %.4g, simulated with %.4g", name, s.Mean, s.SD, want)
		}
		if d < 2 {
			near++
		}
		worst = math.Max(worst, s.RHat)
	}
	if !(float64(near) >= 0.8*float64(len(truth))-1) {
		t.Errorf("%d of %d within 2 sds of the truth", near, len(truth))
	}
	if !(worst < 1.01) {
		t.Errorf("R-hat up to %.4f", worst)
	}
	t.Logf("%d of %d within 2 sds, R-hat up to %.4f", near, len(truth), worst)
}
