package density_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/lang/types"
)

// groupsOnLine returns models with groups x whose coordinates can be relative on the unconstrained line.
func groupsOnLine() map[string]string {
	const before = "data y[J] = [1.2, 0.4, 0.7]\nm ~ Normal(0.2, 1)\ns ~ HalfNormal(1)\n"
	all := map[string]string{}
	for name, prior := range map[string]string{
		"log-normal": "LogNormal(m, s)", "logit-normal": "LogitNormal(m, s)",
		"gamma by rate": "Gamma(1 / s^2, exp(m))", "gamma by scale": "Gamma(1 / s, scale = 2 * s)",
		"gamma by mean": "Gamma(mean = exp(m), shape = 1 / s)", "inverse gamma": "InverseGamma(2 + 1 / s, 1 / s)",
		"weibull": "Weibull(1 / s, exp(m))", "log-logistic": "LogLogistic(exp(m), 1 / s)",
		"frechet": "Frechet(1 / s, exp(m))", "beta": "Beta(0.3 / s, 0.7 / s)",
		"beta by mean": "Beta(mean = sigmoid(m), concentration = 1 / s)", "above an end": "Normal(m, s) in -0.5..inf",
		"below an end": "Laplace(m, s) in -inf..3", "between ends": "Normal(m, var = s) in -1..2",
		"above an end that is a parameter": "Cauchy(m, s) in m - s..inf", "student": "StudentT(4, m, s) in 0..inf",
		"sum of 0": "Normal(0, s) zerosum", "precision": "Normal(m, precision = s) zerosum",
		"no end":                  "StudentT(5, m, s) in -inf..inf",
		"ends of each group":      "Normal(m, s) in y[j] - 1..y[j] + 2",
		"log-normal above an end": "LogNormal(m, s) in 0.7..inf", "gamma below an end": "Gamma(1 / s, 1 / s) in 0..1.5",
		"weibull between ends": "Weibull(1 / s, exp(m)) in 0.3..2", "beta between": "Beta(2 / s, 3 / s) in 0.2..0.7",
		"beta above an end":               "Beta(mean = sigmoid(m), concentration = 1 / s) in 0.1..1",
		"logit-normal below an end":       "LogitNormal(m, s) in 0..0.8",
		"gamma with an end of each group": "Gamma(1 / s, 1 / s) in y[j] - 0.5..inf",
		"gamma with moving ends":          "Gamma(1 / s, 1 / s) in s..s + 2",
		"skewed above an end":             "ExpModNormal(m, s, 1 / s) in 0..inf", "skewed": "ExpModNormal(m, s, 2 / s)",
		"inverse gaussian": "InverseGaussian(exp(m), 1 / s^2)", "chi-square": "ChiSquare(1 / s)",
		"inverse chi-square": "InverseChiSquare(1 / s)", "scaled": "ScaledInverseChiSquare(1 / s, exp(m))",
		"kumaraswamy": "Kumaraswamy(1 / s, 2 / s)", "gompertz": "Gompertz(s, exp(m))",
		"relaxed": "RelaxedBernoulli(1 / s, 0.3)", "angles": "VonMises(m, 1 / s^2)",
		"angles about more than a turn": "VonMises(m + 5, 1 / s)", "angles between ends": "VonMises(m, 1 / s) in -1..2",
	} {
		all[name] = before + "x[j in J] ~ " + prior + "\ny[j in J] ~ Normal(x[j], 1)\n"
	}
	all["one scale for each sum of 0"] = "data y[G, J] = [[1.2, 0.4, 0.7], [0.3, -0.2, 1]]\ns[G] ~ HalfNormal(1)\n" +
		"x[g in G, j in J] ~ Normal(0, s[g]) zerosum\ny[g in G, j in J] ~ Normal(x[g, j], 1)\n"
	all["simplex"] = "data k[J] = [3, 1, 5]\nc ~ HalfNormal(5)\nw[1..3] = [1, 2, 0.5]\nx ~ Dirichlet(c * w)\n" +
		"k ~ Multinomial(9, x)\n"
	all["simplices"] = "data k[G, J] = [[3, 1, 5], [2, 2, 0]], n[G] = [9, 4]\nc[G] ~ HalfNormal(5)\n" +
		"a[g in G, j in J] = c[g]\nx[g in G] ~ Dirichlet(a[g])\nk[g in G] ~ Multinomial(n[g], x[g])\n"
	const graph = "data adj[J, J] = [[0, 1, 1], [1, 0, 0], [1, 0, 0]]\ns ~ HalfNormal(1)\n"
	all["areas"] = "data y[J] = [1.2, 0.4, 0.7]\n" + graph + "m[j in J] = 0.3 * j\n" +
		"x ~ CAR(m, 0.9, 1 / s^2, adj)\ny[j in J] ~ Normal(x[j], 1)\n"
	all["matrix"] = "data y[J, K] = [[1.2, 0.4], [0.7, 1], [0, 2]]\ns ~ HalfNormal(1)\nm[j in J, k in K] = 0.3 * j\n" +
		"r[i in J, j in J] = s^2 * (i == j ? 1 : 0.3)\nc[i in K, j in K] = i == j ? 2 : 0.5\n" +
		"x[J, K] ~ MatrixNormal(m, r, c)\ny[j in J, k in K] ~ Normal(x[j, k], 1)\n"
	all["matrices"] = "data y[G, J, K] = [[[1.2, 0.4], [0.7, 1]], [[0.2, 0.4], [1.7, 1]]]\ns ~ HalfNormal(1)\n" +
		"r[i in J, j in J] = i < j ? 0 : s * i\nc[i in K, j in K] = i < j ? 0 : 1\n" +
		"x[g in G, J, K] ~ MatrixNormal([[0, 0], [0, 1]], row_chol = r, col_chol = c)\n" +
		"y[g in G, j in J, k in K] ~ Normal(x[g, j, k], 1)\n"
	all["marked"] = before + "x[j in J] ~ Gamma(1 / s^2, exp(m)) noncentered\ny[j in J] ~ Normal(x[j], 1)\n"
	return all
}

// TestOnLine checks that in coordinates relative on the line the same point has the same values, and a density that
// differs from the model's by the logarithms of the scales. The gradient is compared with differences.
func TestOnLine(t *testing.T) {
	t.Parallel()
	for name, text := range groupsOnLine() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, text)
			blocks := p.EffectBlocks()
			if len(blocks) != 1 || blocks[0].Name != "x" || blocks[0].NonCentered != (name == "marked") {
				t.Fatalf("effects %+v", blocks)
			}
			n := blocks[0].Size
			centred, relative := slices.Repeat([]types.Form{cen}, n), slices.Repeat([]types.Form{rel}, n)
			mixed := slices.Clone(relative)
			mixed[n-1] = cen
			samePoint(t, p, types.Centring{"x": centred}, []types.Centring{{"x": relative}, {"x": mixed}}, 1e-9, 1e-10)
			for _, forms := range [][]types.Form{relative, mixed} {
				q := p.Recentred(types.Centring{"x": forms})
				sameGradient(t, q, q.Start(3, 1))
			}
		})
	}
}

// sameGradient compares the gradient of a program's density with differences.
func sameGradient(t *testing.T, p *compiler.Program, theta []float64) {
	t.Helper()
	_, _, gradient := compilertest.Density(p, theta)
	for i := range theta {
		const h = 1e-5
		up, down := slices.Clone(theta), slices.Clone(theta)
		up[i], down[i] = up[i]+h, down[i]-h
		if want := (logDensity(p, up) - logDensity(p, down)) / (2 * h); !compilertest.Near(gradient[i], want, 1e-5) {
			t.Errorf("slope in coordinate %d is %.9g, by differences %.9g", i, gradient[i], want)
		}
	}
}

// TestRecentredWalk checks that the relative coordinates of a random walk are its steps, for all elements or for none.
func TestRecentredWalk(t *testing.T) {
	t.Parallel()
	const steps = "data y[G, T] = [[1.2, 0.4, 0.7], [0.3, -0.2, 1]]\ns[G] ~ HalfNormal(1)\nd ~ Normal(0, 1)\n"
	for name, text := range map[string]string{
		"one": "data y[T] = [1.2, 0.4, 0.7, 0.1]\ns ~ HalfNormal(1)\nx[T] ~ GaussianRandomWalk(0.3, s)\n" +
			"y[t in T] ~ Normal(x[t], 1)\n",
		"of groups": steps + "x[g in G, T] ~ GaussianRandomWalk(d, s[g])\ny[g in G, t in T] ~ Normal(x[g, t], 1)\n",
		"marked": "data y[T] = [1.2, 0.4, 0.7, 0.1]\ns ~ HalfNormal(1)\n" +
			"x[T] ~ GaussianRandomWalk(0.3, s) noncentered\ny[t in T] ~ Normal(x[t], 1)\n",
	} {
		p := compilertest.Load(t, text)
		blocks := p.EffectBlocks()
		if len(blocks) != 1 || !blocks[0].Vector || blocks[0].NonCentered != (name == "marked") {
			t.Fatalf("%s: effects %+v", name, blocks)
		}
		n := blocks[0].Size
		relative := types.Centring{"x": slices.Repeat([]types.Form{rel}, n)}
		samePoint(t, p, types.Centring{"x": slices.Repeat([]types.Form{cen}, n)}, []types.Centring{relative}, 1e-10,
			1e-11)
		q := p.Recentred(relative)
		sameGradient(t, q, q.Start(3, 1))
	}
}

// TestStartsOnLine checks that starting points in these coordinates are draws from the prior: for a group with a gamma
// distribution, x/mean has mean 1.
func TestStartsOnLine(t *testing.T) {
	t.Parallel()
	const n = 4000
	p := compilertest.Load(t, "s ~ Uniform(0.2, 0.5)\nx[1..3] ~ Gamma(mean = 2, shape = 1 / s^2) noncentered\n")
	sum := 0.0
	for w := range n {
		values := valuesOf(p, p.Start(9, w))
		sum += values[1] / 2
	}
	if mean, error := sum/n, 0.37/math.Sqrt(n); math.Abs(mean-1) > 5*error {
		t.Errorf("the mean of x/2 is %.4f, not 1", mean)
	}
}

// TestValuesOfLine checks that the log density at parameter values does not depend on the coordinates, and that
// conversion of values to coordinates inverts the conversion of coordinates to values.
func TestValuesOfLine(t *testing.T) {
	t.Parallel()
	for _, prior := range []string{"Gamma(1 / s^2, exp(m))", "Normal(m, s) in 0..inf", "LogNormal(m, s)",
		"Pareto(s, 3) in 0.5..inf", "Pareto(s, 3) in 0..9", "ParetoType2(m, s, 3) in m + 0.5..6",
		"Levy(m, s) in -inf..9", "GeneralizedPareto(m, s, 0.3)", "GeneralizedPareto(m, s, -0.1) in m + 0.1..inf",
		"VonMises(m, 1 / s^2)", "VonMises(9 - m, 1 / s)", "VonMises(m, 1 / s) in -2..1"} {
		const before = "data y[J] = [1.2, 0.4]\nm ~ Normal(0.2, 1)\ns ~ HalfNormal(1)\nx[j in J] ~ "
		plain := compilertest.Load(t, before+prior+"\ny[j in J] ~ Normal(x[j], 1)\n")
		marked := compilertest.Load(t, before+prior+" noncentered\ny[j in J] ~ Normal(x[j], 1)\n")
		r := rand.New(rand.NewPCG(4, 4))
		theta := []float64{r.NormFloat64(), -1, 0.3, -0.2}
		at := compilertest.Parameters(plain, valuesOf(plain, theta))
		a, err := plain.LogProb(at)
		if err != nil {
			t.Fatal(err)
		}
		b, err := marked.LogProb(at)
		if err != nil {
			t.Fatal(err)
		}
		if !compilertest.Near(a.Prior, b.Prior, 1e-10) || !compilertest.Near(a.Likelihood, b.Likelihood, 1e-12) {
			t.Errorf("%s: log densities %v and %v", prior, a, b)
		}
		want := valuesOf(plain, theta)
		if got := valuesOf(marked, b.Unconstrained); !compilertest.AllNear(got, want, 1e-10) {
			t.Errorf("%s: values %v, want %v", prior, got, want)
		}
		prior0, likelihood, _ := compilertest.Density(marked, b.Unconstrained)
		if want := b.Prior + b.Likelihood + b.Jacobian; !compilertest.Near(prior0+likelihood, want, 1e-10) {
			t.Errorf("%s: log density %v, of parts %v", prior, prior0+likelihood, want)
		}
	}
}
