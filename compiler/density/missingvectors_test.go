package density_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"ppl/compiler/compilertest"
)

const na = -9.0

var vectorsWithGaps = [][]float64{{1, 2, 0.5}, {na, 1, -1}, {0.5, na, na}, {na, na, na}, {0.2, na, 1.5}, {na, 0.1, 0.4}}

// A vectorDensity is a distribution of vectors whose density depends on a parameter `a`, in ppl and by gonum.
type vectorDensity struct {
	text string // the arguments may read `a` and the row i
	nu   float64
	mu   func(a float64, i int) []float64
	cov  func(a float64, i int) []float64
}

var (
	baseCov   = []float64{2, 0.6, -0.4, 0.6, 1, 0.3, -0.4, 0.3, 1.5}
	constMean = func(a float64, _ int) []float64 { return []float64{a, 2 * a, -a} }
	scaledCov = func(a float64, _ int) []float64 { return scaled(math.Exp(a), baseCov) }
)

func scaled(c float64, x []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = c * x[i]
	}
	return out
}

var vectorDensities = map[string]vectorDensity{
	"cov":  {"MvNormal([a, 2*a, -a], exp(a) * S)", 0, constMean, scaledCov},
	"chol": {"MvNormal([a, 2*a, -a], chol = exp(a/2) * cholesky(S))", 0, constMean, scaledCov},
	"prec": {"MvNormal([a, 2*a, -a], prec = exp(-a) * inverse(S))", 0, constMean, scaledCov},
	"corr": {"MvNormal([a, 2*a, -a], exp(a) * [1, 2, 3], R)", 0, constMean, func(a float64, _ int) []float64 {
		return []float64{1 * math.Exp(2*a), 0.4 * 2 * math.Exp(2*a), -0.2 * 3 * math.Exp(2*a),
			0.4 * 2 * math.Exp(2*a), 4 * math.Exp(2*a), 0.1 * 6 * math.Exp(2*a),
			-0.2 * 3 * math.Exp(2*a), 0.1 * 6 * math.Exp(2*a), 9 * math.Exp(2*a)}
	}},
	"factor": {"MvNormal([a, 2*a, -a], cov_factor = [[1], [a], [2]], cov_diag = [1, 2, exp(a)])", 0, constMean,
		func(a float64, _ int) []float64 {
			return []float64{1 + 1, a, 2, a, a*a + 2, 2 * a, 2, 2 * a, 4 + math.Exp(a)}
		}},
	"by row": {"MvNormal(a * m[i], exp(a * w[i]) * S)", 0,
		func(a float64, i int) []float64 { return scaled(a, []float64{float64(i), 1, 2}) },
		func(a float64, i int) []float64 { return scaled(math.Exp(a*float64(i)/4), baseCov) }},
	"student":      {"MvStudentT(4, [a, 2*a, -a], exp(a) * S)", 4, constMean, scaledCov},
	"student chol": {"MvStudentT(4, [a, 2*a, -a], chol = exp(a/2) * cholesky(S))", 4, constMean, scaledCov},
}

const vectorModel = `data y[N, K] missing -9 = [[1, 2, 0.5], [-9, 1, -1], [0.5, -9, -9], [-9, -9, -9], [0.2, -9, 1.5], [-9, 0.1, 0.4]]
data S[K, K] = [[2, 0.6, -0.4], [0.6, 1, 0.3], [-0.4, 0.3, 1.5]], R[K, K] = [[1, 0.4, -0.2], [0.4, 1, 0.1], [-0.2, 0.1, 1]]
data w[N] = [0, 0.25, 0.5, 0.75, 1, 1.25], m[N, K] = [[0, 1, 2], [1, 1, 2], [2, 1, 2], [3, 1, 2], [4, 1, 2], [5, 1, 2]]
a ~ Normal(0, 1)
y[i in N] ~ `

// observedLogProb returns gonum's log density of the observed elements of a row.
func observedLogProb(d vectorDensity, a float64, i int) float64 {
	y, mu, cov := vectorsWithGaps[i], d.mu(a, i), d.cov(a, i)
	var at []int
	for k, v := range y {
		if v != na {
			at = append(at, k)
		}
	}
	if len(at) == 0 {
		return 0
	}
	x, mean, sigma := make([]float64, len(at)), make([]float64, len(at)), mat.NewSymDense(len(at), nil)
	for r, k := range at {
		x[r], mean[r] = y[k], mu[k]
		for c, j := range at {
			sigma.SetSym(r, c, cov[3*k+j])
		}
	}
	if d.nu > 0 {
		of, _ := distmv.NewStudentsT(mean, sigma, d.nu, nil)
		return of.LogProb(x)
	}
	of, _ := distmv.NewNormal(mean, sigma, nil)
	return of.LogProb(x)
}

// TestMissingElementsOfVectors checks that missing elements of vectors are marginalised: the density is gonum's
// marginal density of the observed elements.
func TestMissingElementsOfVectors(t *testing.T) {
	t.Parallel()
	for name, l := range vectorDensities {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, vectorModel+l.text+"\n")
			for _, a := range []float64{-0.7, 0.2, 1.1} {
				want, higher, lower := 0.0, 0.0, 0.0
				const h = 1e-5
				for i := range vectorsWithGaps {
					want += observedLogProb(l, a, i)
					higher += observedLogProb(l, a+h, i)
					lower += observedLogProb(l, a-h, i)
				}
				_, lik, slope := compilertest.Density(p, []float64{a})
				if !compilertest.Within(lik, want, 1e-10*(1+math.Abs(want))) {
					t.Errorf("at %v: log likelihood %v, gonum %v", a, lik, want)
				}
				tangent := (higher-lower)/(2*h) - a
				if !compilertest.Within(slope[0], tangent, 1e-6*(1+math.Abs(tangent))) {
					t.Errorf("at %v: derivative %v, gonum %v", a, slope[0], tangent)
				}
			}
		})
	}
}

// TestMissingElementsOfVectorsThatAreRead checks that missing elements that a statement reads are parameters: prior and
// likelihood together are the density of complete vectors, and the likelihood is that of the observed elements. If the
// marginal density has no formula, the entire density of such a vector belongs to the prior.
func TestMissingElementsOfVectorsThatAreRead(t *testing.T) {
	t.Parallel()
	const read = "generate total = sum(i in N, k in K: y[i, k])\n"
	whole := strings.NewReplacer("missing -9", "", "-9", "0.25").Replace(vectorModel)
	for name, text := range map[string]string{
		"cov": vectorDensities["cov"].text, "student": vectorDensities["student"].text,
		"walk": "GaussianRandomWalk(a, exp(a))",
		"car":  "CAR([a, a, a], 0.3, exp(a), [[0, 1, 1], [1, 0, 0], [1, 0, 0]])",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, vectorModel+text+"\n"+read)
			full := compilertest.Load(t, whole+text+"\n")
			at := []float64{0.4}
			prior, lik, _ := compilertest.Density(full, at)
			theta := make([]float64, p.Dim()) // missing elements first
			for i := range theta {
				theta[i] = 0.25
			}
			theta[p.Dim()-1] = at[0]
			gotPrior, gotLik, _ := compilertest.Density(p, theta)
			if got, want := gotPrior+gotLik, prior+lik; !compilertest.Within(got, want, 1e-10*(1+math.Abs(want))) {
				t.Errorf("log density %v, of whole vectors %v", got, want)
			}
			if l, ok := vectorDensities[name]; ok {
				want := 0.0
				for i := range vectorsWithGaps {
					want += observedLogProb(l, at[0], i)
				}
				if !compilertest.Within(gotLik, want, 1e-10*(1+math.Abs(want))) {
					t.Errorf("log likelihood %v, gonum's of what is observed %v", gotLik, want)
				}
			}
		})
	}
}
