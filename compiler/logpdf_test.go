package compiler

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The log density of a vector inside an expression is that of the law: a mixture of multivariate normals by hand, and
// summed out.
func TestDensityOfAVectorInAnExpression(t *testing.T) {
	const head = "data y[N, D] = [[0.3, -1], [2, 1.5], [-0.4, 0.1]]\nw ~ Dirichlet([2, 2])\nm[k in 1..2, D] ~ " +
		"Normal(0, 2)\nOmega[D, D] ~ LKJ(2)\n"
	want := load(t, head+"z[i in N] ~ Categorical(w)\ny[i in N] ~ MvNormal(m[z[i]], sd = [1, 2], corr = Omega)\n")
	p := load(t, head+"data none[N] = [0, 0, 0]\n"+
		"none[i in N] ~ Density(logsumexp(k in 1..2: log(w[k]) + logpdf(MvNormal(m[k], sd = [1, 2], corr = "+
		"Omega), y[i])))\n")
	r := rand.New(rand.NewPCG(5, 6))
	for range 3 {
		theta := make([]float64, p.Dim())
		for i := range theta {
			theta[i] = r.NormFloat64()
		}
		got, slope := joint(p, theta)
		exact, tangent := joint(want, theta)
		if !close(got, exact, 1e-12*(1+math.Abs(exact))) {
			t.Errorf("log density %v, of the law %v", got, exact)
		}
		for i := range slope {
			if !close(slope[i], tangent[i], 1e-10*(1+math.Abs(tangent[i]))) {
				t.Errorf("its derivative %d is %v, of the law %v", i, slope[i], tangent[i])
			}
		}
	}
	if err := splitAgrees(p, r); err != nil {
		t.Error(err)
	}
	for text, code := range map[string]string{
		"logpdf(MvNormal(0, [[1, 0], [0, 1]]), y)":                  "E42",
		"logpdf(MvNormal(0, 1), y[1])":                              "E42",
		"logpdf(MvNormal([1, 2, 3], cov = [[1, 0], [0, 1]]), y[1])": "E40",
		"logcdf(MvNormal(0, [[1, 0], [0, 1]]), y[1])":               "E58",
	} {
		if codes := refusal(t, head+"none ~ Density("+text+")\n"); len(codes) != 1 || codes[0] != code {
			t.Errorf("%s: refused with %v, want %s", text, codes, code)
		}
	}
}
