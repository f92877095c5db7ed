package compiler_test

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// A newDataCase has a model, the data of its run, new data, and statements that make the same prediction within the
// model.
type newDataCase struct {
	name, model, old, fresh string
	same                    string // statements that generate `again`, with their data
	values                  map[string][]float64
}

func newDataCases() []newDataCase {
	const rows = `{"g": ["a","b","a","c"], "x": [0.1, 0.2, 0.3, 0.5], "y": [1, 2, 3, 4]}`
	return []newDataCase{
		{"regression", "data x[N], y[N]\na, b ~ Normal(0, 1)\ns ~ HalfNormal(1)\ny[i in N] ~ Normal(a + b * x[i], s)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [3, -1, 0.5]}`,
			"xn[1..3] = [3, -1, 0.5]\ngenerate again[i in 1..3] ~ Normal(a + b * xn[i], s)\n",
			map[string][]float64{"a": {0.7}, "b": {-1.2}, "s": {0.4}}},
		{"standardised", "data x[N], y[N]\na, b ~ Normal(0, 1)\nstandardise(v[N]) = (v - mean(v)) / sd(v)\n" +
			"z = standardise(x)\ny[i in N] ~ Normal(a + b * z[i], 0.3)\n",
			`{"x": [1, 2, 3, 4, 10], "y": [1, 2, 3, 4, 5]}`, `{"x": [4, 7]}`, // mean 4, variance 50/4
			"generate again[i in 1..2] ~ Normal(a + b * 3 * (i - 1) / sqrt(12.5), 0.3)\n",
			map[string][]float64{"a": {0.7}, "b": {-1.2}}},
		{"columns", "data X[N, D], y[N]\nb[D] ~ Normal(0, 1)\n" +
			"u[i in N, d in D] = (X[i, d] - mean([j in N: X[j, d]])) / (max(X) - X[1, d]) + sum(y) / N\n" +
			"y[i in N] ~ Normal(u[i] @ b, 0.3)\n",
			`{"X": [[1, 20], [2, 50], [6, 110]], "y": [1, 2, 6]}`, `{"X": [[3, 10], [4, 0], [5, 0], [6, 70]]}`,
			// means of the columns: 3 and 60; largest element: 110; first row: 1 and 20; mean of y: 3
			"v1 = [0, 1, 2, 3] / 109 + 3\nv2 = [-50, -60, -60, 10] / 90 + 3\n" +
				"generate again[i in 1..4] ~ Normal(b[1] * v1[i] + b[2] * v2[i], 0.3)\n",
			map[string][]float64{"b": {0.7, -1.2}}},
		{"prior by the data", "data y[N]\na ~ Normal(mean(y), sd(y))\ny[i in N] ~ Normal(a, 0.3)\n",
			`{"y": [1, 2, 3]}`, `{"N": 2}`, "generate again[i in 1..2] ~ Normal(a, 0.3)\n",
			map[string][]float64{"a": {0.7}}},
		{"number of points", "data x[N], y[N]\nf[N] ~ MvNormal(0, rbf(x, 1, 1) * 2 / N + diagonal(0.1, N))\n" +
			"y[i in N] ~ Normal(f[i], 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [20, 50]}`,
			"generate again[i in 1..2] ~ Normal(0, sqrt(2.1))\n", // points are far apart
			map[string][]float64{"f": {0, 0}}},
		{"new groups", "data g[N]: index(J), x[N], y[N]\nmu ~ Normal(0, 1)\ntau, s ~ HalfNormal(1)\n" +
			"a[j in J] ~ Normal(mu, tau)\ny[i in N] ~ Normal(a[g[i]] + x[i], s)\n", rows,
			`{"g": ["c","z","z","a"], "x": [1, 2, 3, 4]}`,
			"generate z ~ Normal(mu, tau)\nm = [a[3] + 1, z + 2, z + 3, a[1] + 4]\n" +
				"generate again[i in 1..4] ~ Normal(m[i], s)\n",
			map[string][]float64{"mu": {3}, "tau": {0.8}, "s": {0.3}, "a": {-2, 0, 2}}},
		{"nested groups", "data g[N]: index(J), h[J]: index(K), y[N]\nm[k in K] ~ Normal(5, 2)\n" +
			"a[j in J] ~ Normal(m[h[j]], 0.5)\ny[i in N] ~ Poisson(log = 0.3 * a[g[i]])\n",
			`{"g": [1, 2, 3, 3], "h": [1, 1, 2], "y": [1, 2, 3, 4]}`, `{"g": [1, 4, 5], "h": [1, 1, 2, 2, 3]}`,
			"generate m3 ~ Normal(5, 2)\ngenerate a4 ~ Normal(m[2], 0.5)\ngenerate a5 ~ Normal(m3, 0.5)\n" +
				"l = [a[1], a4, a5]\ngenerate again[i in 1..3] ~ Poisson(log = 0.3 * l[i])\n",
			map[string][]float64{"m": {4, 6}, "a": {3, 5, 6.5}}},
		{"correlated slopes", "data g[N]: index(J), x[N], y[N]\nmu ~ Normal(0, 1)\n" +
			"b[j in J, 1..2] ~ MvNormal([mu, 2], cov = [[0.25, 0.3], [0.3, 2.25]])\n" +
			"y[i in N] ~ Normal(b[g[i], 1] + b[g[i], 2] * x[i], 0.2)\n", rows,
			`{"g": ["z","b","z"], "x": [1, 2, -1]}`,
			"generate z[1..2] ~ MvNormal([mu, 2], cov = [[0.25, 0.3], [0.3, 2.25]])\n" +
				"m = [z[1] + z[2], b[2, 1] + 2 * b[2, 2], z[1] - z[2]]\ngenerate again[i in 1..3] ~ " +
				"Normal(m[i], 0.2)\n",
			map[string][]float64{"mu": {1.5}, "b": {1, 1, 2, -1, 3, 0}}},
		{"forecast", "data y[T]\ns ~ HalfNormal(1)\nh[1] ~ Normal(0, 5)\nh[t in 2..T] ~ Normal(0.9 * h[t-1], s)\n" +
			"y[t in T] ~ Normal(h[t], 0.5)\n", `{"y": [1, 2, 3]}`, `{"T": 6}`,
			"generate f[4] ~ Normal(0.9 * h[3], s)\ngenerate f[t in 5..6] ~ Normal(0.9 * f[t-1], s)\n" +
				"p[i in 1..6] = i <= 3 ? h[min([i, 3])] : f[max([i, 4])]\n" +
				"generate again[i in 1..6] ~ Normal(p[i], 0.5)\n",
			map[string][]float64{"s": {0.7}, "h": {1, 2, 4}}},
		{"row effects", "data x[N], y[N]\ntau ~ HalfNormal(1)\ne[i in N] ~ Normal(0, tau) noncentered\n" +
			"y[i in N] ~ Bernoulli(logits = x[i] + e[i])\n", `{"x": [1, 2], "y": [0, 1]}`, `{"x": [0.5, -2]}`,
			"xn[1..2] = [0.5, -2]\ngenerate en[i in 1..2] ~ Normal(0, tau)\n" +
				"generate again[i in 1..2] ~ Bernoulli(logits = xn[i] + en[i])\n",
			map[string][]float64{"tau": {1.5}, "e": {3, -3}}},
		{"new groups, noncentered by hand", "data g[N]: index(J), x[N], y[N]\nmu ~ Normal(0, 1)\n" +
			"tau, s ~ HalfNormal(1)\nz[j in J] ~ Normal(0, 1)\na[j in J] = mu + tau * z[j]\n" +
			"y[i in N] ~ Normal(a[g[i]] + x[i], s)\n", rows, `{"g": ["c","z","z","a"], "x": [1, 2, 3, 4]}`,
			"generate w ~ Normal(mu, tau)\nm = [a[3] + 1, w + 2, w + 3, a[1] + 4]\n" +
				"generate again[i in 1..4] ~ Normal(m[i], s)\n",
			map[string][]float64{"mu": {3}, "tau": {0.8}, "s": {0.3}, "z": {-2, 0, 2}}},
		{"new groups, noncentered", "data g[N]: index(J), x[N], y[N]\nmu ~ Normal(0, 1)\ntau ~ HalfNormal(1)\n" +
			"a[J] ~ Normal(mu, tau) noncentered\ny[i in N] ~ Normal(a[g[i]] + x[i], 0.3)\n", rows,
			`{"g": ["z","a"], "x": [1, 2]}`,
			"generate w ~ Normal(mu, tau)\nm = [w + 1, a[1] + 2]\ngenerate again[i in 1..2] ~ Normal(m[i], 0.3)\n",
			map[string][]float64{"mu": {3}, "tau": {0.8}, "a": {-2, 0, 2}}},
		{"correlated slopes, noncentered", "data g[N]: index(J), x[N], y[N]\nmu[1..2] ~ Normal(0, 1)\n" +
			"tau[1..2] ~ HalfNormal(1)\nOmega[1..2, 1..2] ~ LKJ(2)\n" +
			"b[j in J, 1..2] ~ MvNormal(mu, sd = tau, corr = Omega) noncentered\n" +
			"y[i in N] ~ Normal(b[g[i], 1] + b[g[i], 2] * x[i], 0.2)\n", rows,
			`{"g": ["z","b","z"], "x": [1, 2, -1]}`,
			"generate z[1..2] ~ MvNormal(mu, sd = tau, corr = Omega)\n" +
				"m = [z[1] + z[2], b[2, 1] + 2 * b[2, 2], z[1] - z[2]]\ngenerate again[i in 1..3] ~ " +
				"Normal(m[i], 0.2)\n",
			map[string][]float64{"mu": {1.5, 2}, "tau": {0.5, 1.5}, "Omega": {1, 0.6, 0.6, 1},
				"b": {1, 1, 2, -1, 3, 0}}},
		{"correlated slopes by a Cholesky factor", "data g[N]: index(J), x[N], y[N]\nmu[1..2] ~ Normal(0, 1)\n" +
			"tau[1..2] ~ HalfNormal(1)\nOmega[1..2, 1..2] ~ LKJ(2)\nz[1..2, j in J] ~ Normal(0, 1)\n" +
			"b = transpose((diag(tau) @ cholesky(Omega)) @ z)\n" +
			"y[i in N] ~ Normal(mu[1] + b[g[i], 1] + (mu[2] + b[g[i], 2]) * x[i], 0.2)\n", rows,
			`{"g": ["z","b","z"], "x": [1, 2, -1]}`,
			"generate w[1..2] ~ MvNormal(mu, sd = tau, corr = Omega)\n" +
				"m = [w[1] + w[2], mu[1] + b[2, 1] + 2 * (mu[2] + b[2, 2]), w[1] - w[2]]\n" +
				"generate again[i in 1..3] ~ Normal(m[i], 0.2)\n",
			map[string][]float64{"mu": {1.5, 2}, "tau": {0.5, 1.5}, "Omega": {1, 0.6, 0.6, 1},
				"z": {1, 2, -1, 0.5, 0, 0.3}}},
		{"Gaussian process", "data x[N], y[N]\ns, l, e ~ HalfNormal(1)\n" +
			"f[N] ~ MvNormal(0, rbf(x, s, l) + diagonal(0.01, N)) noncentered\ny[i in N] ~ Normal(f[i], e)\n",
			points, `{"x": [0.5, 3]}`, process("f") + "generate again[i in 1..2] ~ Normal(fn[i], e)\n",
			map[string][]float64{"s": {1.1}, "l": {0.9}, "e": {0.2}, "f": {1, -0.5, 0.7}}},
		{"Gaussian process by a Cholesky factor", "data x[N], y[N]\ns, l, e ~ HalfNormal(1)\nz[N] ~ Normal(0, 1)\n" +
			"L = cholesky([i in N, j in N: s^2 * exp(-(x[i] - x[j])^2 / (2 * l^2)) + (i == j ? 0.01 : 0)])\n" +
			"f = L @ z\ny[i in N] ~ Normal(f[i], e)\n", points, `{"x": [0.5, 3]}`,
			process("f") + "generate again[i in 1..2] ~ Normal(fn[i], e)\n",
			map[string][]float64{"s": {1.1}, "l": {0.9}, "e": {0.2}, "z": {1, -0.5, 0.7}}},
		{"Gaussian process summed out", "data x[N], y[N]\ns, l, a ~ HalfNormal(1)\n" +
			"y ~ MvNormal(fill(a, N), rbf(x, s, l) + diagonal(0.01, N))\n", points, `{"x": [0.5, 3]}`,
			process("y", "a") + "generate again[i in 1..2] ~ Normal(fn[i], 1e-9)\n",
			map[string][]float64{"s": {1.1}, "l": {0.9}, "a": {0.2}}},
		{"Gaussian process with points in the model", "data x[N], y[N]\ndata more[M] = [9, 10]\n" +
			"s, l, e ~ HalfNormal(1)\n" +
			"f ~ MvNormal(0, rbf(concat(x, more), s, l) + diagonal(0.01, N + M)) noncentered\n" +
			"y[i in N] ~ Normal(f[i], e)\n",
			points, `{"x": [0.5, 3]}`,
			process("f[1..3]") + "generate again[i in 1..2] ~ Normal(fn[i], e)\n",
			map[string][]float64{"s": {1.1}, "l": {0.9}, "e": {0.2}, "f": {1, -0.5, 0.7, 5, 5}}},
		{"Gaussian process of each group", "data x[N], g[N]: index(J), y[N]\ns, l ~ HalfNormal(1)\n" +
			"f[j in J, N] ~ MvNormal(0, rbf(x, s, l) + diagonal(0.01, N))\ny[i in N] ~ Normal(f[g[i], i], 0.1)\n",
			`{"x": [0, 1, 2], "g": ["a", "b", "a"], "y": [1, 2, 3]}`, `{"x": [0.5, 3], "g": ["b", "a"]}`,
			process("f[2]") + strings.ReplaceAll(strings.ReplaceAll(process("f[1]"), "fn", "gn"), "xa", "xb") +
				"m = [fn[1], gn[2]]\ngenerate again[i in 1..2] ~ Normal(m[i], 0.1)\n",
			map[string][]float64{"s": {1.1}, "l": {0.9}, "f": {1, -0.5, 0.7, 0, 2, 1}}},
		{"Gaussian process by waves", "data x[N], y[N]\ns, l ~ HalfNormal(1)\n" +
			"basis[n in N, b in 1..4] = sin(b * (x[n] + 4) / 2)\nz[b in 1..4] ~ Normal(0, s * exp(-(l * b)^2))\n" +
			"f = basis @ z\ny[i in N] ~ Normal(f[i], 0.1)\n", points, `{"x": [0.5, 3]}`,
			"xn[1..2] = [0.5, 3]\nm[i in 1..2] = sum(b in 1..4: sin(b * (xn[i] + 4) / 2) * z[b])\n" +
				"generate again[i in 1..2] ~ Normal(m[i], 0.1)\n",
			map[string][]float64{"s": {1.1}, "l": {0.1}, "z": {1, -0.5, 0.7, 0.4}}},
		{"random walk as one draw", "data y[T]\ns ~ HalfNormal(1)\nw[T] ~ GaussianRandomWalk(0.5, s)\n" +
			"y[t in T] ~ Normal(w[t], 0.1)\n", `{"y": [1, 2]}`, `{"T": 4}`,
			"generate z[1..2] ~ Normal(0.5, s)\np = [w[1], w[2], w[2] + z[1], w[2] + z[1] + z[2]]\n" +
				"generate again[i in 1..4] ~ Normal(p[i], 0.1)\n",
			map[string][]float64{"s": {0.7}, "w": {1, 2}}},
		{"random walk as a sum", "data y[T]\ns ~ HalfNormal(1)\nz[t in T] ~ Normal(0, s)\nw = cumsum(z)\n" +
			"y[t in T] ~ Normal(w[t], 0.1)\n", `{"y": [1, 2]}`, `{"T": 4}`,
			"generate v[1..2] ~ Normal(0, s)\np = [w[1], w[2], w[2] + v[1], w[2] + v[1] + v[2]]\n" +
				"generate again[i in 1..4] ~ Normal(p[i], 0.1)\n",
			map[string][]float64{"s": {0.7}, "z": {1, 2}}},
		{"autoregression", "data y[T]\nphi ~ Normal(0, 1)\ns ~ HalfNormal(1)\n" +
			"y[t in 2..T] ~ Normal(phi * y[t-1], s)\n", `{"y": [1, 2, 3]}`, `{"T": 6}`,
			"generate f[1] ~ Normal(phi * y[3], s)\ngenerate f[t in 2..3] ~ Normal(phi * f[t-1], s)\n" +
				"generate again[i in 1..3] ~ Normal(f[i], 1e-9)\n",
			map[string][]float64{"phi": {0.8}, "s": {0.5}}},
		{"autoregression of a definition, with a predictor", "data raw[T], x[T]\nb, phi ~ Normal(0, 1)\n" +
			"y = log(raw)\ny[t in 3..T] ~ Normal(phi * y[t-1] - 0.2 * y[t-2] + b * x[t], 0.5)\n",
			`{"raw": [1, 2, 3], "x": [1, 1, 2]}`, `{"x": [1, 1, 2, 3, 4]}`,
			"generate f ~ Normal(phi * y[3] - 0.2 * y[2] + b * 3, 0.5)\n" +
				"generate h ~ Normal(phi * f - 0.2 * y[3] + b * 4, 0.5)\nm = [f, h]\n" +
				"generate again[i in 1..2] ~ Normal(m[i], 1e-9)\n",
			map[string][]float64{"phi": {0.8}, "b": {0.5}}},
		{"as recorded: an autoregression with a limit", "data y[T], top\nphi ~ Normal(0, 1)\ns ~ HalfNormal(1)\n" +
			"y[t in 2..T] ~ Normal(phi * y[t-1], s) censored -inf..top\n", `{"y": [1, 2, 3], "top": 3}`, `{"T": 6}`,
			"generate f ~ Normal(phi * y[3], s)\nfr = f > 3 ? 3 : f\ngenerate h ~ Normal(phi * fr, s)\n" +
				"hr = h > 3 ? 3 : h\ngenerate k ~ Normal(phi * hr, s)\nm = [fr, hr, k > 3 ? 3 : k]\n" +
				"generate again[i in 1..3] ~ Normal(m[i], 1e-9)\n",
			map[string][]float64{"phi": {0.9}, "s": {0.5}}},
		{"as recorded: limits of each time, by unit", "data y[N, T], low[T]\na[N] ~ Normal(0, 1)\n" +
			"y[i in N, t in 2..T] ~ Normal(a[i] + 0.8 * y[i, t-1], 1) censored low[t]..4\n",
			`{"y": [[1, 2], [4, 3]], "low": [0, 0]}`, `{"N": 2, "T": 4, "low": [0, 0, 2, 1]}`,
			"generate f[i in 1..2] ~ Normal(a[i] + 0.8 * y[i, 2], 1)\n" +
				"fr[i in 1..2] = f[i] < 2 ? 2 : f[i] > 4 ? 4 : f[i]\n" +
				"generate h[i in 1..2] ~ Normal(a[i] + 0.8 * fr[i], 1)\n" +
				"hr[i in 1..2] = h[i] < 1 ? 1 : h[i] > 4 ? 4 : h[i]\n" +
				"m = [fr[1], hr[1], fr[2], hr[2]]\ngenerate again[i in 1..4] ~ Normal(m[i], 1e-9)\n",
			map[string][]float64{"a": {0.8, 1.2}}},
		{"variance that follows surprises", "data y[T]\na, b ~ HalfNormal(1)\nv[1] = 1\n" +
			"v[t in 2..T] = a + b * y[t-1]^2\ny[t in T] ~ Normal(0, sqrt(v[t]))\n",
			`{"y": [1, 2, 3]}`, `{"T": 5}`,
			"generate f ~ Normal(0, sqrt(a + b * 9))\ngenerate h ~ Normal(0, sqrt(a + b * f^2))\nm = [f, h]\n" +
				"generate again[i in 1..2] ~ Normal(m[i], 1e-9)\n",
			map[string][]float64{"a": {0.8}, "b": {0.1}}},
		{"counts that follow counts, by unit", "data y[N, T]\na[N] ~ Normal(0, 1)\n" +
			"y[i in N, t in 2..T] ~ Poisson(log = a[i] + 0.1 * y[i, t-1])\n",
			`{"y": [[1, 2], [4, 3]]}`, `{"N": 2, "T": 4}`,
			"generate f[i in 1..2, 1] ~ Poisson(log = a[i] + 0.1 * y[i, 2])\n" +
				"generate f[i in 1..2, 2] ~ Poisson(log = a[i] + 0.1 * f[i, 1])\n" +
				"m = [f[1, 1], f[1, 2], f[2, 1], f[2, 2]]\ngenerate again[i in 1..4] ~ Normal(m[i], 1e-9)\n",
			map[string][]float64{"a": {0.8, 1.2}}},
	}
}

// points holds the data of a Gaussian process.
const points = `{"x": [0, 1, 2], "y": [1, 2, 3]}`

// process returns the statements that draw fn, the values at 0.5 and 3 of a process with known values at 0, 1 and 2.
// The mean is optional.
func process(known string, mean ...string) string {
	shift, back := "", ""
	if len(mean) > 0 {
		shift, back = " - "+mean[0], " + "+mean[0]
	}
	return "xa[1..5] = [0, 1, 2, 0.5, 3]\nKfn = rbf(xa, s, l) + diagonal(0.01, 5)\n" +
		"Wfn = Kfn[4..5, 1..3] @ inverse_spd(Kfn[1..3, 1..3])\nknownfn[i in 1..3] = (" + known + ")[i]" + shift + "\n" +
		"mfn = Wfn @ knownfn" + back + "\n" +
		"generate fn[1..2] ~ MvNormal(mfn, Kfn[4..5, 4..5] - Wfn @ transpose(Kfn[4..5, 1..3]))\n"
}

const predictions = 2000

// TestNewDataAgreesWithGenerate checks that predictions at new data have the same distribution as quantities that the
// model generates: means, variances and covariances of neighbours agree within the standard errors of the draws.
func TestNewDataAgreesWithGenerate(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	for _, c := range slices.Concat(newDataCases(), unknownCases()) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, want := c.predicted(t), c.generated(t)
			if len(got[0]) != len(want[0]) {
				t.Fatalf("%d predictions, want %d", len(got[0]), len(want[0]))
			}
			if off := difference(got, want); off > 4.5 {
				t.Errorf("moments differ by %.1f standard errors", off)
			}
			for _, x := range got { // planted fault: one row is shifted by a quarter of its standard deviation
				x[0] += 0.25 * sdOf(want, 0)
			}
			if difference(got, want) < 4.5 {
				t.Error("a prediction that is off would not be seen")
			}
		})
	}
}

func (c newDataCase) files(t *testing.T, text string) (model, old, fresh string) {
	dir := t.TempDir()
	for name, content := range map[string]string{"m.ppl": text, "old.json": c.old, "new.json": c.fresh} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "m.ppl"), filepath.Join(dir, "old.json"), filepath.Join(dir, "new.json")
}

// run returns the program of the case's run, with additional statements at the end of the model.
func (c newDataCase) run(t *testing.T, more string) (*compiler.Program, string) {
	model, old, fresh := c.files(t, c.model+more)
	p, ds := compiler.Load(compiler.Request{Path: model, Data: []compiler.DataArg{{Path: old}}})
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	return p, fresh
}

func (c newDataCase) parameters(vs []types.Variable) map[string][]float64 {
	all := map[string][]float64{}
	for _, v := range vs {
		if x, ok := c.values[v.Name]; ok {
			all[v.Name] = x
		}
	}
	return all
}

func (c newDataCase) generated(t *testing.T) (out [][]float64) {
	p, _ := c.run(t, c.same)
	r := rand.New(rand.NewPCG(1, 2))
	for range predictions {
		values := []float64{}
		at, width := 0, 0
		for _, v := range p.Saved() {
			if v.Name == "again" {
				at, width = len(values), v.Size()
			}
			x := c.values[v.Name]
			values = append(values, append(slices.Clone(x), make([]float64, v.Size()-len(x))...)...)
		}
		p.Complete(r, values)
		out = append(out, slices.Clone(values[at:at+width]))
	}
	return out
}

// sampled returns the description of a run of a program.
func sampled(p *compiler.Program) compiler.SampledRun {
	run, values := compiler.SampledRun{Saved: p.Saved()}, map[string][]float64{}
	for _, data := range []func() ([]types.Variable, [][]float64){p.Observed, p.Constants} {
		vars, xs := data()
		for i, v := range vars {
			run.Data, values[v.Name] = append(run.Data, v), xs[i]
		}
	}
	run.Values = func(name string) ([]float64, error) { return values[name], nil }
	run.Sets = p.Sets()
	if u := p.Unknowns(); u != nil {
		run.Unknown = u.Variables
	}
	return run
}

// atDraw returns the variables and the unknowns of a run at one draw.
func (c newDataCase) atDraw(run *compiler.Program, u *compiler.Unknowns, r *rand.Rand) map[string][]float64 {
	known := c.parameters(run.Saved())
	if u == nil {
		return known
	}
	var values []float64
	for _, v := range u.Parameters {
		values = append(values, known[v.Name]...)
	}
	at := len(values)
	for _, v := range u.Variables {
		values = append(values, make([]float64, v.Size())...)
	}
	u.Draw(r, values)
	for _, v := range u.Variables {
		known[v.Name] = values[at : at+v.Size()]
		at += v.Size()
	}
	return known
}

func (c newDataCase) predicted(t *testing.T) (out [][]float64) {
	run, fresh := c.run(t, "")
	of := sampled(run)
	of.Recorded = strings.HasPrefix(c.name, "as recorded")
	p, ds := compiler.LoadNew("m.ppl", c.model, []compiler.DataArg{{Path: fresh}}, compiler.DefaultRowCache(), of)
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	first, unknown := p.Replicas(), run.Unknowns()
	r := rand.New(rand.NewPCG(3, 4))
	for range predictions {
		known := c.atDraw(run, unknown, r)
		values := []float64{}
		for i, v := range p.Saved() {
			for k := range v.Size() {
				x := 0.0
				if i < first && p.Element[i][k] >= 0 {
					x = known[v.Name][p.Element[i][k]]
				}
				values = append(values, x)
			}
		}
		p.Complete(r, values)
		var row []float64
		for _, part := range p.Predicted {
			for _, at := range part.At {
				row = append(row, values[at])
			}
		}
		out = append(out, row)
	}
	return out
}

// difference returns the largest difference of means and of second moments, in standard errors.
func difference(a, b [][]float64) (most float64) {
	for i := range a[0] {
		for j := range a[0] {
			f := func(x []float64) float64 { return x[i] * x[j] }
			most = math.Max(most, standardised(a, b, f))
		}
		most = math.Max(most, standardised(a, b, func(x []float64) float64 { return x[i] }))
	}
	return most
}

func standardised(a, b [][]float64, f func([]float64) float64) float64 {
	ma, va := moments(a, f)
	mb, vb := moments(b, f)
	return math.Abs(ma-mb) / math.Sqrt((va+vb)/predictions+1e-300)
}

func moments(xs [][]float64, f func([]float64) float64) (mean, variance float64) {
	for _, x := range xs {
		mean += f(x) / float64(len(xs))
	}
	for _, x := range xs {
		variance += (f(x) - mean) * (f(x) - mean) / float64(len(xs))
	}
	return mean, variance
}

func sdOf(xs [][]float64, k int) float64 {
	_, v := moments(xs, func(x []float64) float64 { return x[k] })
	return math.Sqrt(v)
}

// TestNewDataRefused checks the errors for predictions that new data do not determine.
func TestNewDataRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ model, old, fresh, want string }{
		{"data x[N], y[N]\na, b ~ Normal(0, 1)\nc = mean(b * x)\ny[i in N] ~ Normal(a + b * x[i] - c, 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [3]}`, "`mean(b * x)` would be computed from the new data"},
		{"data x[N], y[N]\nb ~ Normal(0, 1)\ny[i in N] ~ Normal(b * max(j in N: abs(x[i] - x[j])), 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [3]}`, "`max(j in N: abs(x[i] - x[j]))` would be computed"},
		{"data x[N], y[N]\nb ~ Normal(0, 1)\ny[i in N] ~ Normal(b * x[N + 1 - i], 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [3]}`, "`N` would be computed from the new data"},
		{"data x[N], y[N]\nf[N] ~ MvNormal(fill(0, N), prec = [i in N, j in N: i == j ? 1 : 0.2])\n" +
			"y[i in N] ~ Normal(f[i] + x[i], 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [3, 4, 5]}`, "no draws of the new elements of `f`"},
		{"data x[N], y[N]\ndata more[M] = [9]\nf ~ MvNormal(0, rbf(concat(more, x), 1, 1) + diagonal(0.1, M + N))\n" +
			"y[i in N] ~ Normal(f[i + 1], 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [3, 4, 5]}`, "the rows of the run do not come first"},
		{"data x[N], y[N]\nh[N] ~ Normal(0, 1)\nf = fill(1, N, N) @ h\ny[i in N] ~ Normal(f[i] + x[i], 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"x": [3, 4, 5]}`, "would be computed from the new data"},
		{"data h[J], g[N]: index(J), y[N]\na[j in J] ~ Normal(h[j], 1)\ny[i in N] ~ Normal(a[g[i]], 1)\n",
			`{"h": [1, 2], "g": [1, 2], "y": [1, 2]}`, `{"g": [3]}`, "`h` has another shape than in the run"},
		{"data y[N, T]\ny[i in N, t in 2..T] ~ Normal(0.1 * y[i, t-1], 1)\na ~ Normal(0, 1)\ny[1, 1] ~ Normal(a, 1)\n",
			`{"y": [[1, 2], [4, 3]]}`, `{"N": 3, "T": 2}`, "`y[3,1]` has no distribution"},
		{"data g[N]: index(J), y[N]\na[J] ~ Normal(0, 1) zerosum\ny[i in N] ~ Normal(a[g[i]], 1)\n",
			`{"g": [1, 2, 3], "y": [1, 2, 3]}`, `{"g": [4]}`, "no draws of `a[4]`, and new ones cannot be drawn " +
				"separately: the elements of `a` sum to zero"},
		{"data x[N], y[N]\na ~ Normal(0, 1)\ny[i in N] ~ Normal(a + x[i], 1)\n",
			`{"x": [1, 2], "y": [1, 2]}`, `{"z": [3]}`, "no data given for `x`"},
	} {
		k := newDataCase{model: c.model, old: c.old, fresh: c.fresh}
		run, fresh := k.run(t, "")
		_, ds := compiler.LoadNew("m.ppl", c.model, []compiler.DataArg{{Path: fresh}}, compiler.DefaultRowCache(),
			sampled(run))
		if !slices.ContainsFunc(ds, func(d diag.Diagnostic) bool { return strings.Contains(d.Message, c.want) }) {
			t.Errorf("%s\ngives %v, want %q", c.model, ds, c.want)
		}
	}
}
