package simulate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// A replicateCase is a model with discrete unknowns, and statements that generate, for each observed array NAME, the
// replicate that `ppl predict` draws, as again_NAME.
type replicateCase struct {
	name, model, again string
	values             map[string][]float64 // values of the parameters
	observed           []string
}

// replicateCases has an example of each kind of discrete unknown: one for all rows, one for each row, unknowns of
// groups that data choose, nested and crossed groups, single and joint chains, counts, and missing entries.
var replicateCases = []replicateCase{
	{"a change point of all rows", `
data y[T] = [2, 4, 3, 12, 9, 11, 10, 2, 14]
early, late ~ Gamma(2, 0.5)
k ~ DiscreteUniform(1, T - 1)
y[t in T] ~ Poisson(t <= k ? early : late)
`, "generate again_y[t in T] ~ Poisson(t <= k ? early : late)\n",
		map[string][]float64{"early": {3.4}, "late": {9}}, []string{"y"}},
	{"two change points, the second after the first", `
data y[T] = [1, 1.2, 3, 3.1, 2.9, -1, -0.7]
m[1..3] ~ Normal(0, 3)
a ~ DiscreteUniform(1, 5)
b ~ DiscreteUniform(1, 6)
y[t in T] ~ Normal(t <= a ? m[1] : t <= b ? m[2] : m[3], 1)
`, "generate again_y[t in T] ~ Normal(t <= a ? m[1] : t <= b ? m[2] : m[3], 1)\n",
		map[string][]float64{"m": {1, 3, -1}}, []string{"y"}},
	{"a mixture of rows", `
data y[N] = [-1.2, 0.3, 4, 2.2]
w[1..3] ~ Dirichlet([1, 1, 1])
m[1..3] ~ Normal(0, 3)
z[i in N] ~ Categorical(w)
y[i in N] ~ Normal(m[z[i]], 0.7)
`, "generate again_y[i in N] ~ Normal(m[z[i]], 0.7)\n",
		map[string][]float64{"w": {0.3, 0.3, 0.4}, "m": {-1, 1, 4}}, []string{"y"}},
	{"two outcomes of each row", `
data y[N] = [-1.2, 0.3, 4], k[N] = [0, 2, 1]
p ~ Beta(1, 1)
z[i in N] ~ Bernoulli(p)
y[i in N] ~ Normal(2 * z[i], 1)
k[i in N] ~ Poisson(1 + 2 * z[i])
`, "generate again_y[i in N] ~ Normal(2 * z[i], 1)\ngenerate again_k[i in N] ~ Poisson(1 + 2 * z[i])\n",
		map[string][]float64{"p": {0.4}}, []string{"y", "k"}},
	{"zeros of two kinds", `
data y[N] = [0, 0, 3, 1, 0]
gate ~ Beta(1, 1)
rate ~ Gamma(2, 1)
never[i in N] ~ Bernoulli(gate)
y[i in N] ~ Poisson(never[i] == 1 ? 1e-9 : rate)
`, "generate again_y[i in N] ~ Poisson(never[i] == 1 ? 1e-9 : rate)\n",
		map[string][]float64{"gate": {0.4}, "rate": {1.3}}, []string{"y"}},
	{"sites that data choose", `
data site[N]: index(S) = [1, 1, 1, 2, 2, 3], S = 4, seen[N] = [0, 1, 0, 0, 0, 0]
psi, p ~ Beta(2, 2)
occupied[s in S] ~ Bernoulli(psi)
seen[n in N] ~ Bernoulli(occupied[site[n]] * p)
`, "generate again_seen[n in N] ~ Bernoulli(occupied[site[n]] * p)\n",
		map[string][]float64{"psi": {0.5}, "p": {0.4}}, []string{"seen"}},
	{"classes of persons over items", `
data y[P, I] = [[1, 1, 0], [0, 0, 0], [1, 1, 1]]
w ~ Beta(1, 1)
q[1..2, I] ~ Beta(1, 1)
c[j in P] ~ Categorical([w, 1 - w])
y[j in P, i in I] ~ Bernoulli(q[c[j], i])
`, "generate again_y[j in P, i in I] ~ Bernoulli(q[c[j], i])\n",
		map[string][]float64{"w": {0.5}, "q": {0.8, 0.7, 0.6, 0.2, 0.1, 0.3}}, []string{"y"}},
	{"kinds of pupils within kinds of schools", `
data school[P]: index(S) = [1, 1, 2, 2], S = 2, y[P] = [0.2, 2.5, -0.4, 0.1]
u, v ~ Beta(1, 1)
k[s in S] ~ Bernoulli(u)
c[j in P] ~ Bernoulli(k[school[j]] == 1 ? v : 0.2)
y[j in P] ~ Normal(2 * c[j] + k[school[j]], 1)
`, "generate again_y[j in P] ~ Normal(2 * c[j] + k[school[j]], 1)\n",
		map[string][]float64{"u": {0.4}, "v": {0.8}}, []string{"y"}},
	{"counts of animals", `
data seen[S, V] = [[3, 2, 4], [0, 1, 0]]
rate ~ Gamma(2, 0.5)
p ~ Beta(2, 2)
n[s in S] ~ Poisson(rate) in 0..20
seen[s in S, v in V] ~ Binomial(n[s], p)
`, "generate again_seen[s in S, v in V] ~ Binomial(n[s], p)\n",
		map[string][]float64{"rate": {4}, "p": {0.5}}, []string{"seen"}},
	{"a hidden Markov chain", `
data y[T] = [0.2, 0.1, 4.8, 5.5, 2.4, 0.3]
stay ~ Beta(20, 1)
m[1..2] ~ Normal(5, 5) ordered
z[1] ~ Categorical([0.5, 0.5])
z[t in 2..T] ~ Categorical(z[t-1] == 1 ? [stay, 1 - stay] : [1 - stay, stay])
y[t in T] ~ Normal(m[z[t]], 1)
`, "generate again_y[t in T] ~ Normal(m[z[t]], 1)\n",
		map[string][]float64{"stay": {0.7}, "m": {0, 5}}, []string{"y"}},
	{"a chain whose outcomes read two states", `
data y[T] = [0.3, 1.7, 0.9, 2.4, -0.5]
q ~ Beta(2, 2)
z[t in 1..2] ~ Bernoulli(0.45)
z[t in 3..T] ~ Bernoulli(z[t-2] == 1 ? q : 0.3)
y[t in T] ~ Normal(t > 1 ? 2 * z[t] - z[t-1] : 0.5, 1)
`, "generate again_y[t in T] ~ Normal(t > 1 ? 2 * z[t] - z[t-1] : 0.5, 1)\n",
		map[string][]float64{"q": {0.8}}, []string{"y"}},
	{"two chains together", `
data y[T] = [0.3, 3.1, 2.2, 0.7]
q ~ Beta(2, 2)
a[1], b[1] ~ Bernoulli(0.5)
a[t in 2..T] ~ Bernoulli(a[t-1] == 1 ? q : 0.2)
b[t in 2..T] ~ Bernoulli(b[t-1] == 1 ? 0.6 : 1 - q)
y[t in T] ~ Normal(a[t] + 2 * b[t], 0.8)
`, "generate again_y[t in T] ~ Normal(a[t] + 2 * b[t], 0.8)\n",
		map[string][]float64{"q": {0.7}}, []string{"y"}},
	{"chains of animals that are seen or not", `
data seen[A, T] = [[1, 0, 1, 0], [1, 1, 0, 0], [1, 0, 0, 0]]
phi, p ~ Beta(2, 2)
alive[i in A, 1] ~ Bernoulli(1)
alive[i in A, t in 2..T] ~ Bernoulli(alive[i, t-1] * phi)
seen[i in A, t in 2..T] ~ Bernoulli(alive[i, t] * p)
`, "generate again_seen[i in A, 1] = 1\ngenerate again_seen[i in A, t in 2..T] ~ Bernoulli(alive[i, t] * p)\n",
		map[string][]float64{"phi": {0.8}, "p": {0.5}}, []string{"seen"}},
	{"chains of different lengths", `
data m[I], y[I, m] = [[1.5, 0.5, 2], [3, 1]]
p ~ Beta(2, 2)
z[i in I, 1] ~ Bernoulli(p)
z[i in I, t in 2..m[i]] ~ Bernoulli(z[i, t-1] == 1 ? 0.8 : 0.3)
y[i in I, t in 1..m[i]] ~ Normal(2 * z[i, t], 1)
`, "generate again_y[i in I, t in 1..m[i]] ~ Normal(2 * z[i, t], 1)\n",
		map[string][]float64{"p": {0.4}}, []string{"y"}},
	{"series that change their regime", `
data y[T] = [0.2, 0.5, 2.5, 3.3, 0.4]
p ~ Beta(2, 2)
z[t in T] ~ Bernoulli(p)
y[1] ~ Normal(0, 1)
y[t in 2..T] ~ Normal(0.5 * y[t-1] + 2 * z[t], 0.7)
`, "generate again_y[1] ~ Normal(0, 1)\ngenerate again_y[t in 2..T] ~ Normal(0.5 * y[t-1] + 2 * z[t], 0.7)\n",
		map[string][]float64{"p": {0.4}}, []string{"y"}},
	{"missing entries of a binary predictor", `
data s[N] missing -1 = [1, -1, 0, -1], y[N] = [3, 2.9, 0.2, 0.4]
p ~ Beta(1, 1)
s[i in N] ~ Bernoulli(p)
y[i in N] ~ Normal(3 * s[i], 1)
`, "generate again_s[i in N] ~ Bernoulli(p)\ngenerate again_y[i in N] ~ Normal(3 * s[i], 1)\n",
		map[string][]float64{"p": {0.3}}, []string{"s", "y"}},
	{"missing counts", `
data n[N] missing -1 = [3, -1], y[N] = [2, 4]
rate ~ Gamma(2, 1)
n[i in N] ~ Poisson(rate) in 0..30
y[i in N] ~ Binomial(n[i], 0.8)
`, "generate again_n[i in N] ~ Poisson(rate) in 0..30\ngenerate again_y[i in N] ~ Binomial(n[i], 0.8)\n",
		map[string][]float64{"rate": {3}}, []string{"n", "y"}},
	{"a mixture of vectors", `
data y[N, 1..2] = [[0, 0], [3, 3], [1, 2]]
w ~ Beta(1, 1)
z[i in N] ~ Bernoulli(w)
y[i in N] ~ MvNormal([3 * z[i], 3 * z[i]], [[1, 0.5], [0.5, 1]])
`, "generate again_y[i in N, 1..2] ~ MvNormal([3 * z[i], 3 * z[i]], [[1, 0.5], [0.5, 1]])\n",
		map[string][]float64{"w": {0.4}}, []string{"y"}},
	{"a mixture that is recorded between ends", `
data y[N] = [0.5, 4, 4]
w ~ Beta(1, 1)
z[i in N] ~ Bernoulli(w)
y[i in N] ~ Exponential(z[i] == 1 ? 0.2 : 2) censored 0..4
`, "generate e[i in N] ~ Exponential(z[i] == 1 ? 0.2 : 2)\ngenerate again_y[i in N] = min(e[i], 4)\n",
		map[string][]float64{"w": {0.4}}, []string{"y"}},
	{"outliers", `
data x[N] = [0, 1, 2], y[N] = [0.1, 8, 2.1]
b ~ Normal(0, 1)
odd[i in N] ~ Bernoulli(0.1)
y[i in N] ~ Normal(b * x[i], odd[i] == 1 ? 10 : 1)
`, "generate again_y[i in N] ~ Normal(b * x[i], odd[i] == 1 ? 10 : 1)\n",
		map[string][]float64{"b": {1}}, []string{"y"}},
}

const replicateDraws = 1500

// drawsAt returns draws of an array's values at given parameters, as rows.
func drawsAt(p *compiler.Program, name string, at map[string][]float64, seed uint64) (rows [][]float64) {
	r := rand.New(rand.NewPCG(seed, 2))
	for range replicateDraws {
		var values []float64
		from, width, seen := 0, 0, map[string]bool{}
		for _, v := range p.Saved() {
			if v.Name == name { // the last match is the replica, which has the name of its array
				from, width = len(values), v.Size()
			}
			x := make([]float64, v.Size())
			if !seen[v.Name] {
				copy(x, at[v.Name])
			}
			seen[v.Name] = true
			values = append(values, x...)
		}
		p.Complete(r, values)
		rows = append(rows, values[from:from+width:from+width])
	}
	return rows
}

// farthestMoment returns the largest difference of the means of elements, and of products of two elements, in standard
// errors.
func farthestMoment(a, b [][]float64) (most float64) {
	compare := func(f func(x []float64) float64) {
		ma, va := momentsOf(a, f)
		mb, vb := momentsOf(b, f)
		most = math.Max(most, math.Abs(ma-mb)/math.Sqrt((va+vb)/replicateDraws+1e-300))
	}
	for i := range a[0] {
		compare(func(x []float64) float64 { return x[i] })
		for j := range i + 1 {
			compare(func(x []float64) float64 { return x[i] * x[j] })
		}
	}
	return most
}

func momentsOf(rows [][]float64, f func(x []float64) float64) (mean, variance float64) {
	for _, x := range rows {
		mean += f(x) / float64(len(rows))
	}
	for _, x := range rows {
		variance += (f(x) - mean) * (f(x) - mean) / float64(len(rows))
	}
	return mean, variance
}

// TestReplicatesAreThoseOfGenerate checks that replicates have the distribution of quantities that `generate` draws
// with the discrete unknowns conditioned on the data: means, variances and covariances differ by at most 5 standard
// errors. The planted fault draws the discrete unknowns given only the parameters.
func TestReplicatesAreThoseOfGenerate(t *testing.T) {
	t.Parallel()
	for _, c := range replicateCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			generated := compilertest.Load(t, c.model+c.again)
			predicted := compilertest.Predictive(t, c.model, compiler.FromPosterior)
			planted := compilertest.Predictive(t, c.model, compiler.FromParameters)
			seen := 0.0
			for _, name := range c.observed {
				want := drawsAt(generated, "again_"+name, c.values, 1)
				got := drawsAt(predicted, name, c.values, 2)
				if off := farthestMoment(got, want); off > 5 {
					t.Errorf("moments of %s differ by %.1f standard errors", name, off)
				}
				seen = math.Max(seen, farthestMoment(drawsAt(planted, name, c.values, 3), want))
			}
			if seen < 6 {
				t.Errorf("with unknowns drawn without the data moments differ by %.1f standard errors only", seen)
			}
		})
	}
}
