package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
)

const schoolsData = "data y[J] = [28, 8, -3, 7, -1, 1, 18, 12]\ndata sigma[J] = [15, 10, 16, 11, 9, 11, 10, 18]\n" +
	"mu ~ Normal(0, 5)\n"

const twoGroups = "data y[N] = [-2.1, -1.6, -2.6, -1.2, -2.0, 1.7, 2.2, 2.9, 1.4, 2.3]\n"

// A knownModel has a log evidence that was computed without draws.
type knownModel struct {
	text string
	logZ float64
}

func knownEvidence() map[string]knownModel {
	return map[string]knownModel{
		// Quadrature over mu and log tau, 1,201 × 5,201 points, the effects in closed form.
		"hierarchy": {schoolsData + "tau ~ HalfCauchy(5)\ntheta[j in J] ~ Normal(mu, tau) noncentered\n" +
			"y[j in J] ~ Normal(theta[j], sigma[j])\n", -31.311347520779},
		// A normal with covariance diag(sigma²) + 25.
		"pooled": {schoolsData + "y[j in J] ~ Normal(mu, sigma[j])\n", -30.844238125981},
		// Quadrature over both means: the posterior has two modes, and `ordered` keeps half of the prior, which is
		// normalised anew, so that the evidence is the same.
		"labels": {twoGroups + "m[1..2] ~ Normal(0, 5)\nz[i in N] ~ Categorical([0.5, 0.5])\n" +
			"y[i in N] ~ Normal(m[z[i]], 0.7)\n", -20.076109250513},
		"ordered": {twoGroups + "m[k in 1..2] ~ Normal(0, 5) ordered\nz[i in N] ~ Categorical([0.5, 0.5])\n" +
			"y[i in N] ~ Normal(m[z[i]], 0.7)\n", -20.076109250513},
		// Priors alone integrate to 1, whatever their supports.
		"priors": {"w ~ Dirichlet([1, 1, 2])\ns ~ HalfNormal(1)\nv ~ Normal(0, s) in -1..2\n" +
			"z[i in 1..4] ~ Normal(0, s) zerosum\na[g in 1..2, k in 1..3] ~ Normal(0, 1) in 0..inf ordered\n", 0},
	}
}

type evidenceRow struct {
	Run    string
	LogZ   float64 `json:"log_evidence"`
	SE     float64
	Factor float64 `json:"log_bayes_factor"`
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(name string) string { return filepath.Join(dir, name+".run") }
	for name, m := range knownEvidence() {
		path := filepath.Join(dir, name+".ppl")
		if err := os.WriteFile(path, []byte(m.text), 0o600); err != nil {
			t.Fatal(err)
		}
		pplJSON(t, nil, "sample", path, "--seed", "3", "--out", run(name), "--device", "host", "--quiet", "--json")
		var got []evidenceRow
		pplJSON(t, &got, "evidence", run(name), "--json")
		if e := got[0]; !(math.Abs(e.LogZ-m.logZ) < 4*e.SE) || !(e.SE < 0.05) {
			t.Errorf("%s: log evidence %.4f ± %.4f, not %.4f", name, e.LogZ, e.SE, m.logZ)
		}
	}
	var got []evidenceRow
	pplJSON(t, &got, "evidence", run("hierarchy"), run("pooled"), "--json")
	if want := -30.844 + 31.311; got[0].Run != run("pooled") || !(math.Abs(got[1].Factor-want) < 0.1) {
		t.Errorf("pooling against a hierarchy: log Bayes factor %.3f, not %.3f", got[1].Factor, want)
	}
}
