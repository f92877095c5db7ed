// Package examples_test tests the examples: each runs unchanged, and the results of some agree with published values.
package examples_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/renhd"
	"ppl/infer/settings"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/posterior/stats"
	"ppl/runtime/host"
	"ppl/runtime/native"
)

const shared = "../../shared/posteriordb"

// A memory is an infer.Recorder that keeps draws by chain and element.
type memory struct{ chains [][][]float64 } // [element][chain][draw]

func newMemory(elements, chains int) *memory {
	m := &memory{make([][][]float64, elements)}
	for e := range m.chains {
		m.chains[e] = make([][]float64, chains)
	}
	return m
}

func (m *memory) Begin([]types.Variable) error { return nil }
func (m *memory) Progress(infer.Progress)      {}
func (m *memory) Draw(chain int, values, _ []float64) error {
	for e, x := range values {
		m.chains[e][chain] = append(m.chains[e][chain], x)
	}
	return nil
}

func load(t *testing.T, path string, data ...compiler.DataArg) *compiler.Program {
	t.Helper()
	p, ds := compiler.Load(compiler.Request{Path: path, Data: data})
	if len(ds) > 0 {
		var text strings.Builder
		diag.Render(&text, ds, false)
		t.Log(text.String())
	}
	if p == nil {
		t.Fatalf("%s does not compile", path)
	}
	return p
}

// sample runs a program with the settings in its `infer` statement, and returns the draws by parameter name.
func sample(t *testing.T, p *compiler.Program, o infer.Options) map[string][][]float64 {
	t.Helper()
	draws, _ := sampleBy(t, renhd.Sample, p, o)
	return draws
}

func sampleBy(t *testing.T, s infer.Sampler, p *compiler.Program, o infer.Options) (map[string][][]float64,
	infer.Report) {
	t.Helper()
	_, values := p.Infer()
	settings, err := settings.Parse(values)
	if err != nil {
		t.Fatal(err)
	}
	if o.Settings = settings; o.Device == nil {
		o.Device = infer.Lowered(host.Device{})
	}
	names := elements(p)
	m := newMemory(len(names), o.Chains)
	report, err := s(context.Background(), target{p}, o, m)
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string][][]float64{}
	for e, name := range names {
		byName[name] = m.chains[e]
	}
	return byName, report
}

// A target is a program whose effects can be recentred, as package app creates it.
type target struct{ *compiler.Program }

func (t target) Recentred(c types.Centring) infer.Recentrable { return target{t.Program.Recentred(c)} }

// defaults returns the default options, with the native device if there is a C compiler.
func defaults(seed uint64) infer.Options {
	o := infer.Defaults()
	o.Seed = seed
	if d, err := native.New(); err == nil {
		o.Device = infer.Lowered(d)
	}
	return o
}

// examples lists the models of this folder; with -short every fourth, since make check runs all of them.
func examples(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob("*.ppl")
	if err != nil || len(all) < 8 {
		t.Fatalf("%d examples, %v", len(all), err)
	}
	if !testing.Short() {
		return all
	}
	var some []string
	for i := 0; i < len(all); i += 4 {
		some = append(some, all[i])
	}
	return some
}

// TestExamplesRun runs every example briefly, unchanged.
func TestExamplesRun(t *testing.T) {
	for _, path := range examples(t) {
		t.Run(path, func(t *testing.T) { runBriefly(t, load(t, path)) })
	}
}

func runBriefly(t *testing.T, p *compiler.Program) {
	o := infer.Options{Chains: 2, Draws: 10, Warmup: 30, Thin: 1, Seed: 1}
	for name, chains := range sample(t, p, o) {
		for _, chain := range chains {
			if len(chain) != o.Draws {
				t.Errorf("%s has %d draws, want %d", name, len(chain), o.Draws)
			}
			for _, x := range chain {
				if math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("%s has a draw %v", name, x)
				}
			}
		}
	}
}

// A reference is a file of posteriordb's reference draws, summarised.
type reference struct {
	Data       string
	Parameters map[string]struct{ Mean, SD float64 }
}

func posteriors(t *testing.T) []string {
	paths, err := filepath.Glob("posteriordb/*.ppl")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d models found, %v", len(paths), err)
	}
	return paths
}

func loadPosterior(t *testing.T, path string) (*compiler.Program, reference) {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(path), ".ppl")
	text, err := os.ReadFile(filepath.Join(shared, "reference", name+".json"))
	if err != nil {
		t.Skip("../shared/posteriordb does not exist next to the repository")
	}
	var r reference
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return load(t, path, compiler.DataArg{Path: filepath.Join(shared, "data", r.Data+".json")}), r
}

// TestPosteriordbRuns checks the models of posteriordb without data, and runs them with posteriordb's files unchanged.
func TestPosteriordbRuns(t *testing.T) {
	for _, path := range posteriors(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			if m, ds := compiler.Check(path); m == nil {
				t.Fatalf("does not check: %v", ds)
			}
			p, r := loadPosterior(t, path)
			for name := range r.Parameters {
				if !slices.Contains(elements(p), name) {
					t.Errorf("does not save %s", name)
				}
			}
			runBriefly(t, p)
		})
	}
}

// elements returns the names of all elements of a draw, in order.
func elements(p *compiler.Program) (names []string) {
	for _, v := range p.Saved() {
		for i := range v.Size() {
			names = append(names, v.Element(i))
		}
	}
	return names
}

// TestPosteriordbReference compares every posterior of posteriordb, at default settings, with its reference draws:
// means within 0.1 sd, sds within a tenth, R-hat below 1.01. The tolerances are about three Monte Carlo errors of a
// thousand effective draws on each side.
func TestPosteriordbReference(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	for _, path := range posteriors(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, r := loadPosterior(t, path)
			got, report := sampleBy(t, renhd.Sample, p, defaults(20260101))
			agrees(t, got, r)
			t.Logf("%d gradients, thin %d, %d rungs, %d divergent; %q", report.Gradients, report.Thin,
				len(report.Temperatures), report.Divergences, report.Notes)
		})
	}
}

func agrees(t *testing.T, got map[string][][]float64, r reference) {
	t.Helper()
	for name, want := range r.Parameters {
		compare(t, name, stats.Summarize(got[name]), want.Mean, want.SD)
	}
}

func compare(t *testing.T, name string, s stats.Summary, mean, sd float64) {
	t.Helper()
	if d := math.Abs(s.Mean-mean) / sd; !(d < 0.1) {
		t.Errorf("%s: mean %.6g, reference %.6g: %.2f sd apart", name, s.Mean, mean, d)
	}
	if r := s.SD / sd; !(r > 0.9 && r < 1.1) {
		t.Errorf("%s: sd %.6g, reference %.6g", name, s.SD, sd)
	}
	if !(s.RHat < 1.01) {
		t.Errorf("%s: R-hat %.4f", name, s.RHat)
	}
	t.Logf("%-10s mean off by %+.3f sd, sd ratio %.3f, R-hat %.4f, ess %.0f", name, (s.Mean-mean)/sd, s.SD/sd,
		s.RHat, s.ESSBulk)
}

// A published number is the expected posterior mean of a parameter, with a tolerance.
type published struct {
	name            string
	mean, tolerance float64
}

// TestPublished compares examples with the literature. Tolerances cover the rounding of published numbers, different
// priors, and about four Monte Carlo standard errors.
func TestPublished(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	tests := []struct {
		model  string
		source string
		want   []published
	}{
		{"pumps.ppl", "the BUGS manual, Examples I, Pumps", []published{
			{"alpha", 0.70, 0.04}, {"beta", 0.93, 0.08}, {"rate[1]", 0.060, 0.004}, {"rate[5]", 0.60, 0.05},
			{"rate[10]", 1.99, 0.06}}},
		{"rats.ppl", "the BUGS manual, Examples I, Rats (vaguer priors)", []published{
			{"mu_a", 242.5, 0.4}, {"mu_b", 6.19, 0.02}, {"sigma", 6.1, 0.12}, {"birth_weight", 106.6, 0.5}}},
		{"lynx.ppl", "Moran 1953: least squares 1.41 and -0.77", []published{
			{"phi[1]", 1.38, 0.06}, {"phi[2]", -0.75, 0.06}}},
		{"eight_schools.ppl", "posteriordb, reference draws", []published{
			{"mu", 4.41, 0.35}, {"tau", 3.60, 0.35}, {"theta[1]", 6.15, 0.55}}},
		{"five_modes.ppl", "the weights that the model states", []published{
			{"in_mode[1]", 0.30, 0.035}, {"in_mode[2]", 0.10, 0.035}, {"in_mode[3]", 0.25, 0.035},
			{"in_mode[4]", 0.15, 0.035}, {"in_mode[5]", 0.20, 0.035}}},
		{"deaths.ppl", "Hasselblad 1969: maximum likelihood 1.26, 2.66, 0.36; the posterior is wide", []published{
			{"rate[1]", 1.2, 0.3}, {"rate[2]", 2.66, 0.3}}},
		{"earthquakes.ppl", "Zucchini, MacDonald 2009: maximum likelihood 15.47, 26.13, standing at 0.93 and 0.88",
			[]published{
				{"rate[1]", 15.5, 0.7}, {"rate[2]", 26.1, 1.2}, {"stay[1,1]", 0.93, 0.06}, {"stay[2,2]", 0.88, 0.08}}},
		{"nile.ppl", "Durbin, Koopman 2001: maximum likelihood 122.9 and 38.3; the posterior of drift is skew",
			[]published{
				{"noise", 122.9, 6}, {"drift", 38.3, 8}}},
		{"coal.ppl", "the closed form: rates are conjugate, summed over the years", []published{
			{"early", 3.064, 0.03}, {"late", 0.9224, 0.015}}},
		{"seeds.ppl", "the BUGS manual, Examples I, Seeds (vaguer priors)", []published{
			{"b[1]", -0.55, 0.08}, {"b[2]", 0.08, 0.12}, {"b[3]", 1.35, 0.12}, {"b[4]", -0.82, 0.15},
			{"sigma", 0.29, 0.07}}},
		{"remission.ppl", "maximum likelihood, as of R's survreg: 1.366, 2.248, 1.267", []published{
			{"shape", 1.366, 0.12}, {"base", 2.248, 0.08}, {"effect", 1.267, 0.12}}},
		{"ryegrass.ppl", "least squares, as of R's drc: 0.48, 7.79, 3.06, 2.98", []published{
			{"low", 0.48, 0.12}, {"high", 7.79, 0.1}, {"half", 3.06, 0.1}, {"steep", 2.98, 0.25}}},
		{"influenza.ppl", "Grinsztajn et al. 2021: 3.2 and 1.85 days", []published{
			{"R0", 3.2, 0.2}, {"days_ill", 1.85, 0.1}}},
		{"fishing.ppl", "the values that the data were simulated with, within about three posterior sds", []published{
			{"fishes", 0.7, 0.12}, {"b[1]", -0.5, 0.3}, {"b[2]", 0.8, 0.3}}},
	}
	for _, test := range tests {
		t.Run(test.model, func(t *testing.T) {
			got := sample(t, load(t, test.model), defaults(20260102))
			for _, w := range test.want {
				s := stats.Summarize(got[w.name])
				if !(math.Abs(s.Mean-w.mean) < w.tolerance) {
					t.Errorf("%s: mean %.4g (mcse %.2g), want %.4g within %.2g: %s", w.name, s.Mean, s.MCSEMean, w.mean,
						w.tolerance, test.source)
				}
				t.Logf("%-12s %.4g ± %.4g, R-hat %.4f", w.name, s.Mean, s.SD, s.RHat)
			}
		})
	}
}
