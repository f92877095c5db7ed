package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/compilertest"
)

// TestDensityOfAVectorInAnExpression checks the log density of a vector in an expression: a mixture of multivariate
// normals written as a formula has the density of the model in which the component is summed out.
func TestDensityOfAVectorInAnExpression(t *testing.T) {
	t.Parallel()
	const head = "data y[N, D] = [[0.3, -1], [2, 1.5], [-0.4, 0.1]]\nw ~ Dirichlet([2, 2])\nm[k in 1..2, D] ~ " +
		"Normal(0, 2)\nOmega[D, D] ~ LKJ(2)\n"
	want := compilertest.Load(t,
		head+"z[i in N] ~ Categorical(w)\ny[i in N] ~ MvNormal(m[z[i]], sd = [1, 2], corr = Omega)\n")
	p := compilertest.Load(t, head+"data none[N] = [0, 0, 0]\n"+
		"none[i in N] ~ Density(logsumexp(k in 1..2: log(w[k]) + logpdf(MvNormal(m[k], sd = [1, 2], corr = "+
		"Omega), y[i])))\n")
	r := rand.New(rand.NewPCG(5, 6))
	for range 3 {
		theta := make([]float64, p.Dim())
		for i := range theta {
			theta[i] = r.NormFloat64()
		}
		prior, lik, slope := compilertest.Density(p, theta)
		wantPrior, wantLik, tangent := compilertest.Density(want, theta)
		got, exact := prior+lik, wantPrior+wantLik
		if !compilertest.Within(got, exact, 1e-12*(1+math.Abs(exact))) {
			t.Errorf("log density %v, of the law %v", got, exact)
		}
		for i := range slope {
			if !compilertest.Within(slope[i], tangent[i], 1e-10*(1+math.Abs(tangent[i]))) {
				t.Errorf("its derivative %d is %v, of the law %v", i, slope[i], tangent[i])
			}
		}
	}
	if err := compilertest.SplitAgrees(p, r); err != nil {
		t.Error(err)
	}
	for text, code := range map[string]string{
		"logpdf(MvNormal(0, [[1, 0], [0, 1]]), y)":                  "E42",
		"logpdf(MvNormal(0, 1), y[1])":                              "E42",
		"logpdf(MvNormal([1, 2, 3], cov = [[1, 0], [0, 1]]), y[1])": "E40",
		"logcdf(MvNormal(0, [[1, 0], [0, 1]]), y[1])":               "E58",
	} {
		if codes := compilertest.ErrorCodes(t, head+"none ~ Density("+text+")\n"); len(codes) != 1 || codes[0] != code {
			t.Errorf("%s: refused with %v, want %s", text, codes, code)
		}
	}
}

// TestDensityWithAVectorArgument compares the density of one number under a distribution with a vector argument with
// the formula: for numbers and for rows, with parameters and with data, for axes that start at 1 and for the type of
// the data.
func TestDensityWithAVectorArgument(t *testing.T) {
	t.Parallel()
	const head = "data y[N]: index(0..2) = [0, 2, 1, 2], g[N]: index(1..3) = [1, 3, 2, 3]\nv[k in 1..3] ~ " +
		"Normal(0, 1)\nu[k in 0..2] = v[k + 1]\nb[i in N, k in 1..3] = v[k] * i\ndata none = 0\n"
	v := []float64{0.3, -1.1, 0.4}
	logp := func(v []float64, k int) float64 { return math.Log(compilertest.Softmax(v)[k]) }
	scaled := func(s float64) []float64 { return []float64{s * v[0], s * v[1], s * v[2]} }
	below := []float64{0, compilertest.Logistic(-1 - v[2]), compilertest.Logistic(0.5 - v[2]), 1}
	classes := []int{0, 2, 1, 2}
	overRows := func(f func(i, k int) float64) (sum float64) {
		for i, k := range classes {
			sum += f(i, k)
		}
		return sum
	}
	byShared := overRows(func(_, k int) float64 { return logp(v, k) })
	byRow := overRows(func(i, k int) float64 { return logp(scaled(float64(i+1)), k) })
	byScale := overRows(func(i, _ int) float64 { return logp(scaled(float64(i+1)), 1) })
	ordered := overRows(func(_, k int) float64 { return math.Log(below[k+1] - below[k]) })
	p := compilertest.Softmax(v)
	for text, want := range map[string]float64{
		"logpdf(Categorical(logits = v), 2)":                                           logp(v, 1),
		"logpdf(Categorical(softmax(v)), 3)":                                           logp(v, 2),
		"logpdf(Categorical(logits = u), 0)":                                           logp(v, 0),
		"sum(i in N: logpdf(Categorical(logits = v), g[i]))":                           byShared,
		"sum(i in N: logpdf(Categorical(logits = v), y[i]))":                           byShared,
		"sum(i in N: logpdf(Categorical(logits = u), y[i]))":                           byShared,
		"sum(i in N: logpdf(Categorical(logits = b[i]), y[i]))":                        byRow,
		"sum(i in N: logpdf(Categorical(logits = b[i]), 2))":                           byScale,
		"logpdf(OrderedLogistic(v[3], [-1, 0.5]), 2)":                                  math.Log(below[2] - below[1]),
		"sum(i in N: logpdf(OrderedLogistic(v[3], [-1, 0.5]), y[i]))":                  ordered,
		"cdf(Categorical(softmax(v)), 2)":                                              p[0] + p[1],
		"cdf(Categorical(softmax(u)), 1)":                                              p[0] + p[1],
		"logcdf(Categorical(softmax(v)), y[3])":                                        math.Log(p[0] + p[1]),
		"quantile(Categorical(softmax(v)), 0.5)":                                       2,
		"quantile(Categorical(softmax(u)), 0.5)":                                       1,
		"logpdf(Categorical(softmax(v)), 4) == log(0) ? 5 : 0":                         5,
		"sum([k in 0..2: exp(logpdf(Categorical(logits = u), k))])":                    1,
		"sum([k in 1..3: exp(logpdf(Categorical(logits = v), k)) * (k == 2 ? 1 : 0)])": p[1],
	} {
		q := compilertest.Load(t, head+"none ~ Density("+text+")\n")
		x := autodiff.New().Input("theta", q.Dim())
		prior, lik := q.Density(x)
		got := autodiff.Eval(map[string][]float64{"theta": v}, autodiff.Add(prior, lik))[0][0]
		for _, z := range v {
			got += z*z/2 + math.Log(2*math.Pi)/2
		}
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s is %v, want %v", text, got, want)
		}
	}
	if codes := compilertest.ErrorCodes(t,
		head+"none ~ Density(logpdf(Categorical(softmax(v)), y))\n"); len(codes) != 1 ||
		codes[0] != "E42" {
		t.Errorf("an array of classes is refused with %v, want E42", codes)
	}
}
