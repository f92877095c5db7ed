package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/cmd/ppl/terminal"

	"gonum.org/v1/gonum/stat/distuv"
)

// Leave-one-out results that R's package loo gave, published by B. Behrman in the tidyverse version of the examples of
// Gelman, Hill & Vehtari, Regression and Other Stories (github.com/behrman/ros, files KidIQ: CrossValidation/
// crossvalidation_tv.md, and Mesquite/mesquite_tv.md). Fits are rstanarm's with default priors: coefficients
// Normal(0, 2.5 sd(y) / sd(x)), the intercept at the mean of the predictors Normal(mean(y), 2.5 sd(y)), sigma
// Exponential(1 / sd(y)). The data are those of posteriordb.

// A publishedModel has the published results of a model: elpd_loo, its standard error, p_loo, and the Monte Carlo
// standard error of elpd_loo; "0.0" is less than .05.
type publishedModel struct {
	name, data, text string
	refit            bool // rows with k̂ > .7 were refitted
	elpd, se, p, mc  float64
}

// regression returns a regression of a response on predictors, which are expressions of row i.
func regression(data, response string, predictors ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nwhy[i in N] = %s\nsdy = sd(why)\na ~ Normal(mean(why), 2.5 * sdy)\n"+
		"sigma ~ Exponential(1 / sdy)\n", data, response)
	sum := "a"
	for k, x := range predictors {
		fmt.Fprintf(&b, "x%[1]d[i in N] = %[2]s\nb%[1]d ~ Normal(0, 2.5 * sdy / sd(x%[1]d))\n", k, x)
		sum += fmt.Sprintf(" + b%[1]d * (x%[1]d[i] - mean(x%[1]d))", k)
	}
	return b.String() + "why[i in N] ~ Normal(" + sum + ", sigma)\n"
}

func publishedModels() []publishedModel {
	const kids, bushes = "data kid_score[N], mom_hs[N], mom_iq[N]", "data weight[N], diam1[N], diam2[N], " +
		"canopy_height[N], total_height[N], density[N], group[N]"
	return []publishedModel{
		{"kid1", "kidiq", regression(kids, "kid_score[i]", "mom_hs[i]"), false, -1914.8, 13.8, 3, .05},
		{"kid3", "kidiq", regression(kids, "kid_score[i]", "mom_hs[i]", "mom_iq[i]"), false, -1876, 14.2, 4, .05},
		// of kid4 only the difference to kid3 was published, from which its elpd_loo follows
		{"kid4", "kidiq", regression(kids, "kid_score[i]", "mom_hs[i]", "mom_iq[i]", "mom_hs[i] * mom_iq[i]"), false,
			-1872.5, math.NaN(), math.NaN(), .05},
		{"bush2", "mesquite", regression(bushes, "log(weight[i])", "log(diam1[i])", "log(diam2[i])",
			"log(canopy_height[i])", "log(total_height[i])", "log(density[i])", "group[i]"), true, -19.3, 5.3, 7.5, .1},
		{"bush3", "mesquite", regression(bushes, "log(weight[i])", "log(diam1[i] * diam2[i] * canopy_height[i])"),
			false, -26.6, 5, 2.5, .05},
	}
}

// A publishedPair is a row of loo_compare.
type publishedPair struct {
	better, worse string
	diff, se      float64
}

func publishedPairs() []publishedPair {
	return []publishedPair{{"kid3", "kid1", 38.7, 8.4}, {"kid4", "kid3", 3.5, 2.8}, {"bush2", "bush3", 7.3, 5}}
}

// TestPublishedLOO compares elpd_loo, p_loo, standard errors and differences with published ones, within the Monte
// Carlo errors of both and the printed digits. (The regression of weight itself in the same file is omitted: one of its
// rows is so extreme that the Monte Carlo error of a refit is about 5, in both programs.)
func TestPublishedLOO(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	runs := map[string]string{}
	for _, m := range publishedModels() {
		data, err := filepath.Abs("../../../shared/posteriordb/data/" + m.data + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(data); err != nil {
			t.Skip("../shared/posteriordb is not beside the repository")
		}
		path := filepath.Join(dir, m.name+".ppl")
		if err := os.WriteFile(path, []byte(m.text), 0o600); err != nil {
			t.Fatal(err)
		}
		runs[m.name] = filepath.Join(dir, m.name+".run")
		pplJSON(t, nil, "sample", path, "--data", data, "--seed", "1", "--out", runs[m.name], "--quiet", "--json")
		m.check(t, runs[m.name])
	}
	for _, p := range publishedPairs() {
		var got struct {
			Models []struct {
				Diff float64 `json:"elpd_diff"`
				SE   float64 `json:"se_diff"`
			}
		}
		pplJSON(t, &got, "compare", runs[p.worse], runs[p.better], "--refit", "--json")
		agrees(t, p.worse+": difference", -got.Models[1].Diff, p.diff, bound(.1))
		agrees(t, p.worse+": its standard error", got.Models[1].SE, p.se, bound(.05))
	}
}

// check compares a run with the published results.
func (m publishedModel) check(t *testing.T, run string) {
	var got struct {
		ELPD float64 `json:"elpd_loo"`
		SE   float64 `json:"se"`
		P    float64 `json:"p_loo"`
	}
	args := []string{"loo", run, "--json"}
	if m.refit {
		args = append(args, "--refit")
	}
	pplJSON(t, &got, args...)
	agrees(t, m.name+": elpd_loo", got.ELPD, m.elpd, bound(m.mc))
	agrees(t, m.name+": standard error", got.SE, m.se, bound(m.mc))
	agrees(t, m.name+": p_loo", got.P, m.p, bound(m.mc))
}

// bound returns half of the last printed digit, plus four standard errors of the difference of two estimates that each
// have the given Monte Carlo error.
func bound(mc float64) float64 { return .05 + 4*math.Sqrt2*mc }

func agrees(t *testing.T, what string, got, want, bound float64) {
	t.Helper()
	if math.IsNaN(want) {
		return // it was not published
	}
	if !(math.Abs(got-want) <= bound) {
		t.Errorf("%s is %.2f, published is %.1f: further than %.2f", what, got, want, bound)
	}
	if math.Abs(got+2*bound-want) <= bound {
		t.Errorf("%s: a fault of twice the bound would not be seen", what)
	}
}

// TestRefitIsExact uses a normal mean and variance with conjugate priors, for which the prediction of a row that is
// left out is Student's t. A row with a high k̂ gets it by sampling again, within Monte Carlo error; importance weights
// do not.
func TestRefitIsExact(t *testing.T) {
	t.Parallel()
	y, last := []float64{1.29, 1.45, 0.07, -0.76, 0.4, -0.2}, 5.0
	n, k, sum, squares := float64(len(y)), 1.0/9, 0.0, 0.0
	for _, x := range y {
		sum, squares = sum+x, squares+x*x
	}
	a, b := 2+n/2, 1+(squares-sum*sum/(k+n))/2
	predictive := distuv.StudentsT{Mu: sum / (k + n), Sigma: math.Sqrt(b * (k + n + 1) / (a * (k + n))), Nu: 2 * a}
	exact := predictive.LogProb(last)
	dir := t.TempDir()
	path, run := filepath.Join(dir, "m.ppl"), filepath.Join(dir, "m.run")
	text := "data y[N] = [1.29, 1.45, 0.07, -0.76, 0.4, -0.2, 5]\nv ~ InverseGamma(2, 1)\n" +
		"mu ~ Normal(0, 3 * sqrt(v))\ny[i in N] ~ Normal(mu, sqrt(v))\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	pplJSON(t, nil, "sample", path, "--seed", "1", "--draws", "5000", "--out", run, "--quiet", "--json")
	type result struct {
		Each []struct {
			ELPD  float64 `json:"elpd_loo"`
			Refit float64 `json:"refit_mcse"`
		}
	}
	var weights, refits result
	pplJSON(t, &weights, "loo", run, "--json")
	pplJSON(t, &refits, "loo", run, "--json", "--refit")
	got, mcse := refits.Each[6].ELPD, refits.Each[6].Refit
	if math.Abs(got-exact) > 4*mcse || !(mcse > 0 && mcse < .15) {
		t.Errorf("sampled without the row it has elpd %.3f (mcse %.3f), exactly %.3f", got, mcse, exact)
	}
	if off := weights.Each[6].ELPD; math.Abs(off-exact) < 4*mcse {
		t.Errorf("importance weights give %.3f, exact is %.3f: nothing is tested", off, exact)
	}
}

// pplJSON runs a command in this process and decodes its output.
func pplJSON(t *testing.T, into any, args ...string) {
	t.Helper()
	var out, err bytes.Buffer
	root := newRoot(terminal.Plain(&out, &err))
	root.SetArgs(args)
	if e := root.ExecuteContext(context.Background()); e != nil {
		t.Fatalf("ppl %s: %v\n%s", strings.Join(args, " "), e, err.String())
	}
	if into == nil {
		return
	}
	if e := json.Unmarshal(out.Bytes(), into); e != nil {
		t.Fatal(e)
	}
}
