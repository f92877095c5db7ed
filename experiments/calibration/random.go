package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"ppl/experiments/lab"
)

// A random model has groups theta with a location m and a scale s, and more or less informative data, as in:
//
//	m ~ Normal(0, 1)
//	s ~ Exponential(1)
//	theta[j in J] ~ Gamma(1 / s^2, exp(-m) / s^2)
//	y[i in N] ~ Poisson(theta[group[i]])
//
// Families, scales, outcomes and sizes are drawn from tables. The ranks of all models are tested together: each run
// contributes one rank of each kind, so that the ranks of a kind are independent.
type family struct {
	prior    string // statement that declares theta[j in J] or theta[J]
	outcomes []outcome
	shift    bool // outcomes depend on m + theta
}

// An outcome is a distribution of observations given the value %s of a group. zero is a valid observation.
type outcome struct{ text, zero string }

// Outcomes by the range of theta.
var (
	ofReals = []outcome{{"Normal(%s, 0.5)", "0.0"}, {"Normal(%s, 2)", "0.0"}, {"StudentT(4, %s, 0.7)", "0.0"},
		{"Bernoulli(logits = %s)", "0"}, {"Poisson(exp(0.5 * %s))", "0"}}
	ofPositives = []outcome{{"Normal(%s, 0.5)", "0.0"}, {"Poisson(%s)", "0"}, {"Gamma(2, 2 / %s)", "1.0"}}
	ofShares    = []outcome{{"Binomial(4, %s)", "0"}, {"Bernoulli(%s)", "0"}, {"Normal(%s, 0.2)", "0.0"}}
)

func families() []family {
	return []family{
		{prior: "theta[j in J] ~ Normal(m, s)", outcomes: ofReals},
		{prior: "theta[j in J] ~ Normal(m, s) noncentered", outcomes: ofReals},
		{prior: "theta[j in J] ~ StudentT(4, m, s)", outcomes: ofReals},
		{prior: "theta[j in J] ~ Normal(0, s) zerosum", outcomes: ofReals, shift: true},
		{prior: "theta[J] ~ GaussianRandomWalk(0, s)", outcomes: ofReals, shift: true},
		{prior: "theta[j in J] ~ LogNormal(m, s)", outcomes: ofPositives},
		{prior: "theta[j in J] ~ Gamma(1 / s^2, exp(-m) / s^2)", outcomes: ofPositives},
		{prior: "theta[j in J] ~ Weibull(1 / s, exp(m))", outcomes: ofPositives},
		{prior: "theta[j in J] ~ InverseGamma(2 + 1 / s^2, exp(m) * (1 + 1 / s^2))", outcomes: ofPositives},
		{prior: "theta[j in J] ~ Normal(1 + m, s) in 0..inf", outcomes: ofPositives},
		{prior: "theta[j in J] ~ Beta(sigmoid(m) / s^2, sigmoid(-m) / s^2)", outcomes: ofShares},
		{prior: "theta[j in J] ~ Normal(sigmoid(m), s) in 0..1", outcomes: ofShares},
	}
}

// scales returns priors of s. Each has a second form that is half as wide: the deliberate error.
func scales() [][2]string {
	return [][2]string{{"HalfNormal(1)", "HalfNormal(0.5)"}, {"HalfNormal(0.3)", "HalfNormal(0.15)"},
		{"Exponential(2)", "Exponential(4)"}, {"Gamma(2, 4)", "Gamma(2, 8)"},
		{"LogNormal(-1, 1)", "LogNormal(-1.7, 1)"}}
}

// randomText returns the text of a model. If wrong is true, the prior of the scale is half as wide.
func randomText(number int, wrong bool) string {
	r := rand.New(rand.NewPCG(uint64(number), 51))
	f, s := families()[r.IntN(len(families()))], scales()[r.IntN(len(scales()))]
	o, groups, each := f.outcomes[r.IntN(len(f.outcomes))], 2+r.IntN(9), 1+r.IntN(6)
	var group, zeros []string
	for j := range groups {
		for range each {
			group, zeros = append(group, fmt.Sprint(j+1)), append(zeros, o.zero)
		}
	}
	scale, value := s[0], "theta[group[i]]"
	if wrong {
		scale = s[1]
	}
	if f.shift {
		value = "(m + theta[group[i]])"
	}
	return fmt.Sprintf("# Random model %d\nJ = %d\ndata group[N]: index(J) = [%s]\ndata y[N] = [%s]\n"+
		"m ~ Normal(0, 1)\ns ~ %s\n%s\ny[i in N] ~ %s\n", number, groups, strings.Join(group, ", "),
		strings.Join(zeros, ", "), scale, f.prior, fmt.Sprintf(o.text, value))
}

// randomModels writes the texts of the first n models.
func randomModels(b *lab.Bench, n int, planted bool) (all []model, err error) {
	for k := range n {
		m := model{name: fmt.Sprintf("random_%03d", k), seed: k + 1}
		if m.file, err = b.File(m.name+".ppl", randomText(k, false)); err != nil {
			return nil, err
		}
		if planted {
			if m.sampled, err = b.File(m.name+"_wrong.ppl", randomText(k, true)); err != nil {
				return nil, err
			}
		}
		all = append(all, m)
	}
	return all, nil
}

// kinds returns the quantities whose ranks are tested.
func kinds() []string { return []string{"m", "s", "theta[1]", "log likelihood"} }

// poolBins is the number of bins for the pooled ranks of all models. errorRate is the probability of rejecting correct
// draws.
const (
	poolBins  = 20
	errorRate = 0.01
)

// A pooled has the tests of one quantity over all models.
type pooled struct {
	kind           string
	n              int
	squares, curve float64 // p of the χ² test, and of the test of the empirical distribution function
}

// pool tests each quantity over all runs.
func pool(runs []run) (all []pooled) {
	for _, kind := range kinds() {
		counts, ranks := make([]float64, poolBins), []float64{}
		for _, r := range runs {
			if rank, ok := r.Ranks[kind]; ok {
				counts[min(int(rank*poolBins), poolBins-1)]++
				ranks = append(ranks, rank)
			}
		}
		if len(ranks) > 0 {
			p := pooled{kind: kind, n: len(ranks), curve: kolmogorov(ranks)}
			_, p.squares = lab.Uniform(counts)
			all = append(all, p)
		}
	}
	return all
}

// least returns the smallest p, adjusted for the number of tests.
func least(all []pooled) float64 {
	p := 1.0
	for _, k := range all {
		p = min(p, k.squares, k.curve)
	}
	return min(1, p*float64(2*len(all)))
}

// kolmogorov returns the p of the Kolmogorov–Smirnov test of uniformity (Stephens 1970).
func kolmogorov(xs []float64) float64 {
	xs = slices.Sorted(slices.Values(xs))
	n, most := float64(len(xs)), 0.0
	for i, x := range xs {
		most = max(most, x-float64(i)/n, float64(i+1)/n-x)
	}
	z, p := (math.Sqrt(n)+.12+.11/math.Sqrt(n))*most, 0.0
	for k := 1.0; k <= 100; k++ {
		p += 2 * math.Pow(-1, k-1) * math.Exp(-2*k*k*z*z)
	}
	return min(1, max(0, p))
}

// writeRandom writes the page, or prints the table if there is a deliberate error.
func writeRandom(done []run, planted bool) error {
	table := lab.Table{Columns: []string{"sampler", "models", "runs", "failed", "flagged", "of", "p of χ²",
		"p of the distribution function", "processor s"}}
	verdicts := ""
	for _, s := range samplers() {
		of := slices.DeleteFunc(slices.Clone(done), func(r run) bool {
			return r.Sampler != s.name || !strings.HasPrefix(r.Model, "random_")
		})
		if len(of) == 0 {
			continue
		}
		names, c, all := map[string]bool{}, calibrated(of), pool(of)
		for _, r := range of {
			names[r.Model] = true
		}
		for _, p := range all {
			table.Add(s.name, len(names), len(of), c.failed, c.flagged, "`"+p.kind+"`", p.squares, p.curve, c.seconds)
		}
		verdict := "not refuted"
		if least(all) < errorRate {
			verdict = "wrong"
		}
		verdicts += fmt.Sprintf("%s: the least p, times %d, is %.3g: %s. Flagged: %.1f %% (95 %% interval %s).\n",
			s.name, 2*len(all), least(all), verdict, 100*float64(c.flagged)/float64(len(of)),
			interval(c.flagged, len(of)))
	}
	if planted {
		fmt.Print(table.String(), verdicts)
		return nil
	}
	return lab.Section(filepath.Join(home, "RANDOM.md"), fmt.Sprintf(randomPreface, lab.Machine()), "Ranks",
		fmt.Sprintf(aboutRandom, poolBins, 100*errorRate, table.String(), verdicts))
}

// interval returns the Clopper–Pearson interval of a share, in percent.
func interval(k, n int) string {
	lo, hi := 0.0, 1.0
	if k > 0 {
		lo = distuv.Beta{Alpha: float64(k), Beta: float64(n - k + 1)}.Quantile(0.025)
	}
	if k < n {
		hi = distuv.Beta{Alpha: float64(k + 1), Beta: float64(n - k)}.Quantile(0.975)
	}
	return fmt.Sprintf("%.1f to %.1f", 100*lo, 100*hi)
}
