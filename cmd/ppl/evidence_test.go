package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const schoolsData = "data y[J] = [28, 8, -3, 7, -1, 1, 18, 12]\ndata sigma[J] = [15, 10, 16, 11, 9, 11, 10, 18]\n" +
	"mu ~ Normal(0, 5)\n"

const twoGroups = "data y[N] = [-2.1, -1.6, -2.6, -1.2, -2.0, 1.7, 2.2, 2.9, 1.4, 2.3]\n"

// A knownModel is a model with a log evidence that was computed without draws.
type knownModel struct {
	text  string
	logZ  float64
	flags []string // of ppl sample
}

func knownEvidence() map[string]knownModel {
	return map[string]knownModel{
		// Quadrature over mu and log tau, 1,201 × 5,201 points, the effects in closed form.
		"hierarchy": {schoolsData + "tau ~ HalfCauchy(5)\ntheta[j in J] ~ Normal(mu, tau) noncentered\n" +
			"y[j in J] ~ Normal(theta[j], sigma[j])\n", -31.311347520779, nil},
		"hierarchy on a ladder": {schoolsData + "tau ~ HalfCauchy(5)\ntheta[j in J] ~ Normal(mu, tau) noncentered\n" +
			"y[j in J] ~ Normal(theta[j], sigma[j])\n", -31.311347520779, []string{"--set", "replicas=6"}},
		// A normal with covariance diag(sigma²) + 25.
		"pooled": {schoolsData + "y[j in J] ~ Normal(mu, sigma[j])\n", -30.844238125981, nil},
		// Quadrature over both means: the posterior has two modes, and `ordered` keeps half of the prior, which is
		// normalised anew, so that the evidence is the same.
		"labels": {twoGroups + "m[1..2] ~ Normal(0, 5)\nz[i in N] ~ Categorical([0.5, 0.5])\n" +
			"y[i in N] ~ Normal(m[z[i]], 0.7)\n", -20.076109250513, nil},
		"labels at high temperatures": {twoGroups + "m[1..2] ~ Normal(0, 5)\nz[i in N] ~ Categorical([0.5, 0.5])\n" +
			"y[i in N] ~ Normal(m[z[i]], 0.7)\n", -20.076109250513, []string{"--set", "path=energy", "--set",
			"replicas=6"}},
		"ordered on a ladder": {twoGroups + "m[k in 1..2] ~ Normal(0, 5) ordered\n" +
			"z[i in N] ~ Categorical([0.5, 0.5])\ny[i in N] ~ Normal(m[z[i]], 0.7)\n", -20.076109250513,
			[]string{"--set", "replicas=5"}},
		"ordered": {twoGroups + "m[k in 1..2] ~ Normal(0, 5) ordered\nz[i in N] ~ Categorical([0.5, 0.5])\n" +
			"y[i in N] ~ Normal(m[z[i]], 0.7)\n", -20.076109250513, nil},
		// Priors alone integrate to 1, whatever their supports.
		"priors": {"w ~ Dirichlet([1, 1, 2])\ns ~ HalfNormal(1)\nv ~ Normal(0, s) in -1..2\n" +
			"z[i in 1..4] ~ Normal(0, s) zerosum\na[g in 1..2, k in 1..3] ~ Normal(0, 1) in 0..inf ordered\n", 0, nil},
	}
}

type evidenceRow struct {
	Run    string
	LogZ   float64 `json:"log_evidence"`
	SE     float64
	Factor float64 `json:"log_bayes_factor"`

	FactorSE float64 `json:"log_bayes_factor_se"`

	NoLadder  string `json:"no_ladder"`
	Estimates []evidenceRow
	Curve     []struct{ Mean *float64 }
	Warnings  []string
}

// off returns the error of an estimate in standard errors.
func (e evidenceRow) off(want float64) float64 { return math.Abs(e.LogZ-want) / e.SE }

func TestEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	dir := t.TempDir()
	run := func(name string) string { return filepath.Join(dir, name+".run") }
	for name, m := range knownEvidence() {
		path := filepath.Join(dir, name+".ppl")
		if err := os.WriteFile(path, []byte(m.text), 0o600); err != nil {
			t.Fatal(err)
		}
		pplJSON(t, nil, append([]string{"sample", path, "--seed", "3", "--out", run(name), "--device", "host",
			"--quiet", "--json"}, m.flags...)...)
		var got []evidenceRow
		pplJSON(t, &got, "evidence", run(name), "--json")
		e := got[0]
		if !(e.off(m.logZ) < 4) || !(e.SE < 0.05) || len(e.Warnings) > 0 {
			t.Errorf("%s: log evidence %.4f ± %.4f, not %.4f: %q", name, e.LogZ, e.SE, m.logZ, e.Warnings)
		}
		for _, x := range e.Estimates {
			if !(x.off(m.logZ) < 4) {
				t.Errorf("%s: estimate %+v, not %.4f", name, x, m.logZ)
			}
		}
		if m.flags != nil && (len(e.Estimates) != 4 || len(e.Curve) < 2) {
			t.Errorf("%s: nothing along the ladder: %+v", name, e)
		}
	}
	var got []evidenceRow
	pplJSON(t, &got, "evidence", run("hierarchy"), run("pooled"), "--json")
	if want := -30.844 + 31.311; got[0].Run != run("pooled") || !(math.Abs(got[1].Factor-want) < 0.1) {
		t.Errorf("pooling against a hierarchy: log Bayes factor %.3f, not %.3f", got[1].Factor, want)
	}
}

// evidenceOfSquares samples seven numbers of which only the squares were measured, with the given prior, and estimates
// the evidence.
func evidenceOfSquares(t *testing.T, prior string) (run string, got []evidenceRow) {
	t.Helper()
	dir := t.TempDir()
	path, run := filepath.Join(dir, "squares.ppl"), filepath.Join(dir, "run")
	text := "data y[D] = [1, 2, 0.5, 1.5, 1, 3, 1]\nx[D] ~ " + prior + "\ny[i in D] ~ Normal(x[i]^2, 0.2)\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pplJSON(t, nil, "sample", path, "--seed", "3", "--out", run, "--device", "host", "--quiet", "--json")
	pplJSON(t, &got, "evidence", run, "--json")
	return run, got
}

// Seven squares have 128 modes, more than a mixture of 16 normals covers. Along the ladder, the estimate is accurate.
// The true value is by quadrature, one coordinate at a time.
func TestEvidenceAlongALadder(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	const truth = -15.354385400825
	run, got := evidenceOfSquares(t, "Normal(0.5, 3)")
	mixture, ladder := got[0].Estimates[0], got[0].Estimates[1]
	if !(ladder.SE < .06) || !(ladder.SE < .7*mixture.SE) || !(ladder.off(truth) < 4) || got[0].LogZ != ladder.LogZ {
		t.Errorf("along the ladder %+v, by a mixture %+v, truth %v; %v is said", ladder, mixture, truth, got[0].LogZ)
	}
	// A run without the file, as of an earlier version, has the bridge alone, and says why.
	if err := os.Remove(filepath.Join(run, "ladder_energies.npy")); err != nil {
		t.Fatal(err)
	}
	var older []evidenceRow
	pplJSON(t, &older, "evidence", run, "--json")
	if len(older[0].Estimates) != 1 || older[0].LogZ != mixture.LogZ {
		t.Errorf("without draws of the ladder: %+v", older[0])
	}
}

// If the 128 modes are equal by symmetry, one of them suffices, without a ladder.
func TestEvidenceOfImages(t *testing.T) {
	t.Parallel()
	const truth = -15.272327512464
	_, got := evidenceOfSquares(t, "Normal(0, 3)")
	if e := got[0]; len(e.Estimates) != 1 || !(e.SE < .02) || !(e.off(truth) < 4) || len(e.Warnings) > 0 {
		t.Errorf("%+v, truth %v", e, truth)
	}
}

// The powers of a density that falls as x^-4 have an integral if the exponent is above 1/4: at temperatures up to 2.2,
// but not at those up to 8. The prior alone integrates to 1.
func TestEvidenceOfHeavyTails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "t.ppl")
	if err := os.WriteFile(path, []byte("x[1..2] ~ StudentT(3, 0, 1)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for ratio, estimates := range map[string]int{"1.3": 4, "2": 1} {
		run := filepath.Join(dir, ratio)
		pplJSON(t, nil, "sample", path, "--seed", "3", "--out", run, "--device", "host", "--quiet", "--json",
			"--set", "path=energy", "--set", "replicas=4", "--set", "ratio="+ratio)
		var got []evidenceRow
		pplJSON(t, &got, "evidence", run, "--json")
		e := got[0]
		if len(e.Estimates) != estimates || (estimates == 1) != strings.Contains(e.NoLadder, "has no finite integral") {
			t.Errorf("ratio %s: %d estimates along the ladder: %q", ratio, len(e.Estimates), e.NoLadder)
		}
		for _, x := range append(e.Estimates, e) {
			if !(x.off(0) < 4) || !(x.SE < .3) {
				t.Errorf("ratio %s: log evidence %.4f ± %.4f, not 0", ratio, x.LogZ, x.SE)
			}
		}
	}
}

type evidenceComparison struct {
	Models     []struct{ Run string }
	Evidence   []evidenceRow
	NoEvidence string `json:"no_evidence"`
}

// The evidence of coin throws is B(a + heads, b + tails)/B(a, b) under a Beta(a, b) prior. There is one row per throw:
// 6 heads of 9.
func TestCompareByEvidence(t *testing.T) {
	t.Parallel()
	const heads, tails = 6, 3
	dir := t.TempDir()
	run := func(name string) string { return filepath.Join(dir, name+".run") }
	for name, prior := range map[string]string{"even": "Beta(20, 20)", "flat": "Beta(1, 1)",
		"improper": "Density(-log(p)) in 0..1"} {
		path := filepath.Join(dir, name+".ppl")
		text := "data y[N] = [1, 1, 0, 1, 1, 0, 1, 0, 1]\np ~ " + prior + "\ny[i in N] ~ Bernoulli(p)\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		pplJSON(t, nil, "sample", path, "--seed", "5", "--out", run(name), "--device", "host", "--quiet", "--json")
	}
	var got evidenceComparison
	pplJSON(t, &got, "compare", run("flat"), run("even"), "--evidence", "--json")
	logZ := func(a, b float64) float64 { return logBeta(a+heads, b+tails) - logBeta(a, b) }
	want := logZ(20, 20) - logZ(1, 1)
	if len(got.Models) != 2 || len(got.Evidence) != 2 || got.Evidence[0].Run != run("even") {
		t.Fatalf("%+v", got)
	}
	flat := got.Evidence[1]
	if !(math.Abs(flat.Factor-want) < 4*flat.FactorSE) || !(flat.FactorSE < .02) {
		t.Errorf("log Bayes factor %.4f ± %.4f, not %.4f", flat.Factor, flat.FactorSE, want)
	}
	if 4*flat.FactorSE > want/2 {
		t.Errorf("± %.4f would let half of the factor pass", flat.FactorSE)
	}
	var none evidenceComparison
	pplJSON(t, &none, "compare", run("flat"), run("improper"), "--evidence", "--json")
	if len(none.Models) != 2 || none.Evidence != nil || !strings.Contains(none.NoEvidence, "the prior of `p`") {
		t.Errorf("an improper prior: %+v", none)
	}
	var plain evidenceComparison
	pplJSON(t, &plain, "compare", run("flat"), run("even"), "--json")
	if plain.Evidence != nil || plain.NoEvidence != "" {
		t.Errorf("not asked for: %+v", plain)
	}
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}
