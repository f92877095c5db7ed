package simulate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// moments returns the means and standard deviations of each drawn element over n draws.
func moments(p *compiler.Program, n int, parameters ...float64) (mean, sd map[string][]float64) {
	sums, squares := map[string][]float64{}, map[string][]float64{}
	r := rand.New(rand.NewPCG(11, 12))
	for range n {
		values := make([]float64, compilertest.Size(p))
		copy(values, parameters)
		p.Complete(r, values)
		for name, v := range compilertest.ByName(p, values) {
			if sums[name] == nil {
				sums[name], squares[name] = make([]float64, len(v)), make([]float64, len(v))
			}
			for i, x := range v {
				sums[name][i] += x / float64(n)
				squares[name][i] += x * x / float64(n)
			}
		}
	}
	for name, m := range sums {
		for i := range m {
			squares[name][i] = math.Sqrt(max(0, squares[name][i]-m[i]*m[i]))
		}
	}
	return sums, squares
}

// strays reports whether a mean of n draws is more than 5 standard errors from its expectation.
func strays(mean, sd, want []float64, n int) bool {
	for i := range want {
		if !(math.Abs(mean[i]-want[i]) <= 5*sd[i]/math.Sqrt(float64(n))+1e-12) {
			return true
		}
	}
	return len(mean) != len(want)
}

// TestReplicates compares replicates of data at given parameters with closed-form expectations. Elements without a
// distribution remain as observed.
func TestReplicates(t *testing.T) {
	t.Parallel()
	const n, a, rate = 4000, 0.6, 0.8
	density, below := math.Exp(-a*a/2)/math.Sqrt(2*math.Pi), math.Erfc(-a/math.Sqrt2)/2
	upTo := func(l float64) float64 { return (1 - math.Exp(-rate*l)) / rate }
	p := compilertest.Predictive(t, `
data x[N] = [0, 1, 2], y[N] = [1, 2, 3], w[N] = [1, 2, 3], t[N] = [1, 2.5, 3], died[N] = [1, 0, 0], k[M] = [5, 0, 1],
	c[L] = [1, 2, 2, 3]
data len[R] = [2, 1], q[R, K] = [[4, 1], [2, 7]], v[J] = [1, 2], g[N] = [0, 1, 2]
a ~ Normal(0, 1)
rate ~ HalfNormal(1)
y[i in N] ~ Normal(a + rate * x[i], 2)
w ~ Normal(a, 1) in 0..inf
limit[i in N] = died[i] == 1 ? inf : t[i]
t[i in N] ~ Exponential(rate) censored 0..limit[i]
z[1] ~ Bernoulli(0.3)
z[j in 2..M] ~ Bernoulli(z[j-1] == 1 ? 0.8 : 0.1)
k[j in 2..M] ~ Bernoulli(0.1 + 0.8 * z[j])
c ~ Categorical([0.2, 0.3, 0.5])
q[r in R, j in 1..len[r]] ~ Poisson(3 * r)
v ~ MvNormal([a, -a], [[1, 0.5], [0.5, 1]])
Twice(m) ~ Normal(2 * m, 1)
g[1] ~ Normal(a, 1)
g[i in 2..N] ~ Twice(g[i-1])
`, compiler.FromParameters)
	mean, sd := moments(p, n, a, rate)
	for _, c := range []struct {
		name string
		want []float64
	}{
		{"y", []float64{a, a + rate, a + 2*rate}},
		{"w", []float64{a + density/below, a + density/below, a + density/below}},
		{"t", []float64{1 / rate, upTo(2.5), upTo(3)}},
		{"k", []float64{5, 0.1 + 0.8*0.31, 0.1 + 0.8*0.317}},
		{"c", []float64{2.3, 2.3, 2.3, 2.3}},
		{"q", []float64{3, 3, 6, 7}},
		{"v", []float64{a, -a}},
		{"g", []float64{a, 0, 2}}, // one step ahead: the distribution reads the observed values 0 and 1
	} {
		if strays(mean[c.name], sd[c.name], c.want, n) {
			t.Errorf("%s: means %v, want %v", c.name, mean[c.name], c.want)
		}
		c.want[1] += 0.25
		if !strays(mean[c.name], sd[c.name], c.want, n) {
			t.Errorf("%s: the test does not see a mean that is off by 0.25", c.name)
		}
	}
}

// TestReplicatesByFormula checks that counts whose log density is a formula are drawn by their probabilities between
// the bounds, also in a template, and for any first value. Data whose density is not a formula of one count remain as
// observed.
func TestReplicatesByFormula(t *testing.T) {
	t.Parallel()
	const n, rate = 4000, 1.7
	p := compilertest.Predictive(t, `
data y[N]: int = [1, 2, 5], k[N]: int = [2, 2, 2], w[N]: int = [1, 2, 2], all[N]: int = [1, 1, 2], x[N] = [1, 2, 3]
data last = 5
rate ~ HalfNormal(1)
f(k, by) = k * log(rate * by) - lgamma(k + 1)
Counts(by) ~ {
    c ~ Density(f(c, by)) in 0..last
    return c
}
y[i in N] ~ Density(f(y[i], x[i])) in 1..5
k[i in N] ~ Counts(x[i])
w[i in N] ~ Density(f(w[i], w[1])) in 1..5
all ~ Density(sum(all) * log(rate)) in 1..2
x ~ Normal(rate, 1)
`, compiler.FromParameters)
	mean, sd := moments(p, n, rate)
	expected := func(first int) (out []float64) {
		for _, by := range []float64{1, 2, 3} {
			total, sum := 0.0, 0.0
			for k := first; k <= 5; k++ {
				p := math.Exp(float64(k)*math.Log(rate*by) - math.Log(math.Gamma(float64(k)+1)))
				total, sum = total+p, sum+p*float64(k)
			}
			out = append(out, sum/total)
		}
		return out
	}
	for name, want := range map[string][]float64{"y": expected(1), "k": expected(0)} {
		if strays(mean[name], sd[name], want, n) {
			t.Errorf("%s: means %v, want %v", name, mean[name], want)
		}
		want[1] += 0.25
		if !strays(mean[name], sd[name], want, n) {
			t.Errorf("%s: the test does not see a mean that is off by 0.25", name)
		}
	}
	if len(mean["w"])+len(mean["all"]) > 0 {
		t.Errorf("drawn are %v and %v, which are not formulas of one count", mean["w"], mean["all"])
	}
}

// TestPriorPredictive checks draws from the prior: for a regression whose scale is drawn, and for a series that reads
// its own past. Their variances are known.
func TestPriorPredictive(t *testing.T) {
	t.Parallel()
	const n = 4000
	p := compilertest.Predictive(t, `
data x[N] = [0, 1, 2], y[N] = [1, 2, 3], u[N] = [1, 2, 3]
Scaled(s) ~ {
    e ~ Normal(0, 1)
    return s * e
}
a ~ Normal(0, 1) noncentered
b ~ Scaled(0.5)
s ~ HalfNormal(1)
y[i in N] ~ Normal(a + b * x[i], s)
h[1] ~ Normal(0, 1 / sqrt(0.75)) noncentered
h[t in 2..N] ~ Normal(0.5 * h[t-1], 1) noncentered
u[t in N] ~ Normal(h[t], 1)
generate later ~ Normal(a, 1)
`, compiler.FromPrior)
	if p.Dim() != 0 || p.Replicas() == len(p.Saved()) {
		t.Fatalf("%d parameters left to infer, %d replicas", p.Dim(), len(p.Saved())-p.Replicas())
	}
	_, sd := moments(p, n)
	if _, there := sd["later"]; there {
		t.Error("what is generated was drawn")
	}
	series := math.Sqrt(4.0 / 3)
	const tol = 0.09 // 5 standard errors of a standard deviation from 4000 draws of kurtosis 6 or less
	for name, want := range map[string][]float64{
		"a": {1}, "b": {0.5}, "y": {math.Sqrt(2), math.Sqrt(2.25), math.Sqrt(3)}, "h": {series, series, series},
		"u": {math.Sqrt(7.0 / 3), math.Sqrt(7.0 / 3), math.Sqrt(7.0 / 3)},
	} {
		for i := range want {
			got := sd[name][i]
			if math.Abs(got/want[i]-1) > tol {
				t.Errorf("%s: standard deviations %v, want %v", name, sd[name], want)
			}
			if math.Abs(got/(1.2*want[i])-1) <= tol {
				t.Errorf("%s: the test does not see a standard deviation that is off by a fifth", name)
			}
		}
	}
}

// TestReplicatesWithHoles checks that missing values that are parameters are taken from the draws.
func TestReplicatesWithHoles(t *testing.T) {
	t.Parallel()
	const n = 2000
	p := compilertest.Predictive(t,
		"data x[N] missing -1 = [1, -1, 3], y[N] = [1, 2, 3]\nx[i in N] ~ Normal(2, 1)\ny[i in N] ~ "+
			"Normal(10 * x[i], 1)\n", compiler.FromPosterior)
	var sum float64
	r := rand.New(rand.NewPCG(1, 2))
	first := p.Replicas()
	for range n {
		values := make([]float64, compilertest.Size(p))
		values[0] = 7 // the missing value
		p.Complete(r, values)
		at := 0
		for i, v := range p.Saved() {
			if i >= first && v.Name == "y" {
				sum += values[at+1] / n
			}
			at += v.Size()
		}
	}
	if math.Abs(sum-70) > 5/math.Sqrt(n) {
		t.Errorf("the mean of a replicate beside a hole is %v, want 70", sum)
	}
}

// TestReplicatesBesideDrawnHoles checks that missing values that are not parameters are drawn, both discrete ones and,
// for draws from the prior, continuous ones. Other statements read observed values unchanged, and the replicate of the
// array draws them again.
func TestReplicatesBesideDrawnHoles(t *testing.T) {
	t.Parallel()
	const n = 4000
	const text = "data s[N] missing -1 = [1, -1, 0], x[N] missing -9 = [2, 4, -9], y[N] = [1, 2, 3]\nu ~ Normal(0, " +
		"1)\ns[i in N] ~ Bernoulli(0.3)\nx[i in N] ~ Normal(5, 2)\n" +
		"y[i in N] ~ Normal(10 * s[i] + x[i], 1)\n"
	want := map[string][]float64{"s": {0.3, 0.3, 0.3}, "y": {12, 7, 5}}
	mean, sd := moments(compilertest.Predictive(t, text, compiler.FromPrior), n)
	want["x"] = []float64{5, 5, 5}
	for name := range want {
		if strays(mean[name], sd[name], want[name], n) {
			t.Errorf("from the prior: means of %s %v, want %v", name, mean[name], want[name])
		}
	}
	if math.Abs(sd["y"][2]-math.Sqrt(5)) > 0.2 || math.Abs(sd["y"][0]-1) > 0.1 {
		t.Errorf("standard deviations of y %v, want 1 where x was observed, √5 where it was drawn", sd["y"])
	}
}

// TestDrawsInOrder checks ordered elements with different distributions, which are conditioned on their order. For two
// normals with means 1 and 0, the difference D ~ N(-1, √2) must be positive, and the sum is independent of it, so the
// means are 1/2 ∓ E[D | D > 0]/2.
func TestDrawsInOrder(t *testing.T) {
	t.Parallel()
	const n = 4000
	p := compilertest.Predictive(t,
		"data y = 1\nc[k in 1..2] ~ Normal(2 - k, 1) ordered\nd[1..2] ~ Normal(0, 1) ordered\ny ~ "+
			"Normal(c[1] + d[1], 1)\n", compiler.FromPrior)
	mean, sd := moments(p, n)
	a := 1 / math.Sqrt2
	half := (-1 + math.Sqrt2*math.Exp(-a*a/2)/math.Sqrt(2*math.Pi)/(math.Erfc(a/math.Sqrt2)/2)) / 2
	for name, want := range map[string][]float64{"c": {0.5 - half, 0.5 + half},
		"d": {-1 / math.Sqrt(math.Pi), 1 / math.Sqrt(math.Pi)}} {
		if strays(mean[name], sd[name], want, n) {
			t.Errorf("%s: means %v, want %v", name, mean[name], want)
		}
	}
	if !strays(mean["c"], sd["c"], []float64{-1 / math.Sqrt(math.Pi), 1 + 1/math.Sqrt(math.Pi)}, n) {
		t.Error("the test does not see means of sorted draws")
	}
}

// TestDrawsBetweenFarEnds checks draws far in a tail, where almost no draw of the distribution falls, against
// closed-form expectations (Mills' ratio; the exponential distribution has no memory; sums of Poisson probabilities).
func TestDrawsBetweenFarEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	const n = 3000
	p := compilertest.Predictive(t, `
data y[N] = [9, -9, 50.5, 41, 2.0000005]
y[1] ~ Normal(0, 1) in 8..inf
y[2] ~ Normal(0, 1) in -inf..-8
y[3] ~ Exponential(1) in 50..51
y[4] ~ Normal(0, 1) in 40..41
y[5] ~ Normal(2, 1) in 2..2.000001
data k[M] = [30, 12]
k[1] ~ Poisson(2) in 30..inf
k[2] ~ Binomial(12, 0.01) in 11..12
`, compiler.FromPrior)
	normal := func(a float64) float64 {
		return math.Exp(-a*a/2) / math.Sqrt(2*math.Pi) / (math.Erfc(a/math.Sqrt2) / 2)
	}
	sum, total := 0.0, 0.0
	for k, w := 30, 1.0; k < 100; k++ {
		sum, total = sum+w*float64(k), total+w
		w *= 2 / float64(k+1)
	}
	eleven, twelve := 12*0.99*math.Pow(0.01, 11), math.Pow(0.01, 12)
	mean, sd := moments(p, n)
	for name, want := range map[string][]float64{
		"y": {normal(8), -normal(8), 50 + 1 - 1/(math.E-1), 40 + 1/40.0 - 2/math.Pow(40, 3) + 10/math.Pow(40, 5),
			2.0000005},
		"k": {sum / total, (11*eleven + 12*twelve) / (eleven + twelve)},
	} {
		if strays(mean[name], sd[name], want, n) {
			t.Errorf("%s: means %v, want %v", name, mean[name], want)
		}
		want[0] *= 1.01
		if !strays(mean[name], sd[name], want, n) {
			t.Errorf("%s: the test does not see a mean that is off by a hundredth", name)
		}
	}
}
