package flatten_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
)

// pairs lists pairs of models with the same density: one with ragged arrays, one with elements numbered by hand.
var pairs = []struct{ name, ragged, flat string }{
	{"definition, folded by group", `
data m[I] = [1, 3, 2], y[I] = [1.0, 2.0, 3.0]
b ~ Normal(0, 1)
x[i in I, j in 1..m[i]] = b * j
y[i in I] ~ Normal(sum(x[i]) + max(x[i] * 2) + mean(x[i, 1..m[i]]), 1)
`, `
data y[I] = [1.0, 2.0, 3.0], total[I] = [1, 6, 3], mean[I] = [1, 2, 1.5], n[I] = [1, 3, 2]
b ~ Normal(0, 1)
y[i in I] ~ Normal(b * (total[i] + mean[i]) + (b > 0 ? 2 * n[i] * b : 2 * b), 1)
`},
	{"parameters", `
data m[I] = [1, 0, 2], y = 0.3
a[i in I, j in 1..m[i]] ~ Beta(1 + i, j)
y ~ Normal(sum(a) + sum(j in 1..m[3]: a[3, j]), 1)
`, `
data group[N] = [1, 3, 3], place[N] = [1, 1, 2], y = 0.3
a[n in N] ~ Beta(1 + group[n], place[n])
y ~ Normal(sum(a) + a[2] + a[3], 1)
`},
	{"data and recurrence", `
data m[I], y[I, m] = [[1.5, 0.5, 2], [3, 1], [0.2]]
phi ~ Normal(0, 1)
s ~ HalfNormal(1)
h[i in I, 1] = i
h[i in I, t in 2..m[i]] = i + phi * (y[i, t-1] - h[i, t-1])
y[i in I, t in 1..m[i]] ~ Normal(h[i, t], s)
`, `
data y[N] = [1.5, 0.5, 2, 3, 1, 0.2], i[N] = [1, 1, 1, 2, 2, 3], new[N] = [1, 0, 0, 1, 0, 1]
phi ~ Normal(0, 1)
s ~ HalfNormal(1)
h[n in N] = new[n] == 1 ? i[n] : i[n] + phi * (y[n-1] - h[n-1])
y[n in N] ~ Normal(h[n], s)
`},
	{"observed from the second on", `
data m[I], y[I, m] = [[1.5, 0.5, 2], [3, 1], [0.2]], g[K] = [2, 1], at[K] = [2, 3]
phi ~ Normal(0, 1)
y[i in I, t in 2..m[i]] ~ Normal(phi * y[i, t-1], 1)
c ~ Density(sum(k in K: y[g[k], at[k]]) * c - c^2)
`, `
data y[N] = [0.5, 2, 1], before[N] = [1.5, 0.5, 3]
phi ~ Normal(0, 1)
y[n in N] ~ Normal(phi * before[n], 1)
c ~ Density((1 + 2) * c - c^2)
`},
	{"lags of parameters, in pieces", `
data m[I] = [3, 1, 2], y = 1
s ~ HalfNormal(1)
h[i in I, 1] ~ Normal(i, 2 * s)
h[i in I, t in 2..m[i]] ~ Normal(0.5 * h[i, t-1], s)
y ~ Normal(sum(i in I: h[i, m[i]]), 1)
`, `
data i[N] = [1, 1, 1, 2, 3, 3], new[N] = [1, 0, 0, 1, 1, 0], y = 1
s ~ HalfNormal(1)
h[n in N] ~ Normal(new[n] == 1 ? i[n] : 0.5 * h[n-1], new[n] == 1 ? 2 * s : s)
y ~ Normal(h[3] + h[4] + h[6], 1)
`},
	{"not centred, with a further axis", `
data m[I] = [3, 1], y[K] = [1, 2]
s ~ HalfNormal(1)
h[k in K, i in I, j in 1..m[i]] ~ Normal(k, s) noncentered
y[k in K] ~ Normal(sum(i in I, j in 1..m[i]: h[k, i, j] / j), 1)
`, `
data place[N] = [1, 2, 3, 1], y[K] = [1, 2]
s ~ HalfNormal(1)
h[k in K, n in N] ~ Normal(k, s) noncentered
y[k in K] ~ Normal(sum(n in N: h[k, n] / place[n]), 1)
`},
	{"chains of different lengths, summed out", `
data m[I], y[I, m] = [[1.5, 0.5, 2], [3, 1], [0.2]]
p ~ Beta(2, 2)
z[i in I, 1] ~ Bernoulli(0.3)
z[i in I, t in 2..m[i]] ~ Bernoulli(z[i, t-1] == 1 ? p : 0.2)
y[i in I, t in 1..m[i]] ~ Normal(z[i, t], 1)
`, `
data a[A] = [1.5, 0.5, 2], b[B] = [3, 1], c = 0.2
p ~ Beta(2, 2)
u[1] ~ Bernoulli(0.3)
u[t in 2..A] ~ Bernoulli(u[t-1] == 1 ? p : 0.2)
a[t in A] ~ Normal(u[t], 1)
v[1] ~ Bernoulli(0.3)
v[t in 2..B] ~ Bernoulli(v[t-1] == 1 ? p : 0.2)
b[t in B] ~ Normal(v[t], 1)
w ~ Bernoulli(0.3)
c ~ Normal(w, 1)
`},
	{"products of groups", `
data m[I], x[I, m] = [[1.5, 2], [3], [4, 5, 6]], w[I, m] = [[0.5, 1], [2], [1, 1, 2]], r[I] = [1, 2, 3], q = 4
b ~ Normal(0, 1)
r[i in I] ~ Normal(b * sum(x[i] * w[i]) + b^2 * dot(x[i], w[i]) + x[i] @ w[i] + sum(x[i, 1..1] * b), 1)
q ~ Normal(b * sum(x * w), 1)
`, `
data p[I] = [2.75, 6, 21], f[I] = [1.5, 3, 4], r[I] = [1, 2, 3], q = 4
b ~ Normal(0, 1)
r[i in I] ~ Normal(b * p[i] + b^2 * p[i] + p[i] + f[i] * b, 1)
q ~ Normal(b * 29.75, 1)
`},
	{"functions of groups", `
data m[I], x[I, m] = [[1.5, 2], [3], [4, 5, 6]], r[I] = [1, 2, 3], g[K] = [3, 1], q[K] = [1, 2]
b ~ Normal(0, 1)
weighted(v[N], c) = sum(n in N: v[n] * n * c) / N
newest(v[N], c) = {
  h[1] = v[1]
  h[n in 2..N] = c * h[n-1] + v[n]
  return h[N]
}
centred(v[N]) = v - mean(v)
r[i in I] ~ Normal(weighted(x[i], b) + newest(x[i] * b, b) + sum(j in 1..m[i]: j * centred(x[i])[j]), 1)
q[k in K] ~ Normal(weighted(x[g[k]], b) + weighted([j in 1..m[g[k]]: j * x[g[k], j]], b), 1)
`, `
data r[I] = [1, 2, 3], q[K] = [1, 2]
b ~ Normal(0, 1)
w[1] = b * 2.75
w[2] = b * 3
w[3] = b * 32 / 3
l[1] = b * (1.5 * b + 2)
l[2] = 3 * b
l[3] = b * ((4 * b + 5) * b + 6)
c[1] = 0.25
c[2] = 0
c[3] = 2
r[i in I] ~ Normal(w[i] + l[i] + c[i], 1)
q[1] ~ Normal(w[3] + b * (4 + 20 + 54) / 3, 1)
q[2] ~ Normal(w[1] + b * (1.5 + 8) / 2, 1)
`},
	{"cumulative sums and softmax of groups", `
data m[I], y[I, m] = [[1.5, 2], [3], [4, 5, 6]]
a[i in I, j in 1..m[i]] ~ Normal(0, 1)
e[i in I] = a[i] * 2
y[i in I, j in 1..m[i]] ~ Normal(cumsum(e[i])[j] + softmax(a[i])[j] + 3 * log_softmax(a[i])[j], 1)
`, `
data y[N] = [1.5, 2, 3, 4, 5, 6]
a[N] ~ Normal(0, 1)
c = concat(cumsum(2 * a[1..2]), concat(2 * a[3..3], cumsum(2 * a[4..6])))
p = concat(softmax(a[1..2]), concat(softmax(a[3..3]), softmax(a[4..6])))
y[n in N] ~ Normal(c[n] + p[n] + 3 * log(p[n]), 1)
`},
	{"one group as a vector, and whole arrays", `
data m[I], x[I, m] = [[1.5, 2], [3], [4, 5, 6]], q = 2
b ~ Normal(0, 1)
a[i in I, j in 1..m[i]] ~ Normal(0, 1)
d = x * b
e[i in I] = d[i] + a[i]
third = softmax(a[3])
x ~ Normal(b, 2)
q ~ Normal(sum(third * cumsum(x[3])) + max(e) + sum(e[2]) + sum(i in I: sum(logpdf(Normal(b, 2), x[i]))), 1)
`, `
data x[N] = [1.5, 2, 3, 4, 5, 6], s[K] = [4, 9, 15], q = 2
b ~ Normal(0, 1)
a[N] ~ Normal(0, 1)
e[n in N] = x[n] * b + a[n]
third = softmax(a[4..6])
x[n in N] ~ Normal(b, 2)
q ~ Normal(sum(k in 1..3: third[k+3] * s[k]) + max(e) + e[3] + sum(n in N: logpdf(Normal(b, 2), x[n])), 1)
`},
	{"what refusals advise", `
data m[I], w[I, m] = [[0.5, 1], [2], [1, 1, 2]], c[I]: int = [2, 1, 3], q = 2
b ~ Normal(0, 1)
eta[i in I, j in 1..m[i]] = b * w[i, j]
c[i in I] ~ Density(eta[i, c[i]] - logsumexp(eta[i]))
g[i in I, j in 1..m[i]] ~ Gamma(1.5, 1)
p[i in I, j in 1..m[i]] = g[i, j] / sum(g[i])
d[i in I, j in 1..m[i]] ~ HalfNormal(1)
k[i in I, j in 1..m[i]] = b + sum(l in 2..j: d[i, l])
q ~ Normal(sum(i in I: p[i, 1] + k[i, m[i]]), 1)
`, `
data q = 2
b ~ Normal(0, 1)
g[1..6] ~ Gamma(1.5, 1)
d[1..6] ~ HalfNormal(1)
data one = 1
one ~ Density(b + 2 * b - logsumexp([0.5 * b, b]) - logsumexp([b, b, 2 * b]))
q ~ Normal(g[1] / (g[1] + g[2]) + 1 + g[4] / (g[4] + g[5] + g[6]) + 3 * b + d[2] + d[5] + d[6], 1)
`},
	{"part of a rectangle, and what a function defines", `
data x[N, T] = [[1, 2, 3], [4, 5, 6]], n[N] = [2, 1], y[N] = [1, 2]
b ~ Normal(0, 1)
w[i in N, k in 1..n[i]] = x[i, k] * b
f(v, i) = {
    m = n[i]
    u[k in 1..m] = v[k] * b
    return mean(u) + max(u)
}
y[i in N] ~ Normal(sum(w[i]) + sum(x[i, 1..n[i]]) + f(x[i], i), 1)
`, `
data y[N] = [1, 2]
b ~ Normal(0, 1)
y[1] ~ Normal(3 * b + 3 + 1.5 * b + (b > 0 ? 2 * b : b), 1)
y[2] ~ Normal(4 * b + 4 + 4 * b + 4 * b, 1)
`},
	{"a triangle, and a call", `
data K = 4, y = 1
f(v[N], i) = sum(v) / i
a[i in 1..K, j in i..K] ~ Normal(0, i)
d[i in 1..K, j in i..K] = f([k in 1..2: a[i, j] * k], i)
y ~ Normal(sum(d), 1)
`, `
data i[N] = [1, 1, 1, 1, 2, 2, 2, 3, 3, 4], y = 1
a[n in N] ~ Normal(0, i[n])
y ~ Normal(sum(n in N: 3 * a[n] / i[n]), 1)
`},
}

func TestSameDensity(t *testing.T) {
	t.Parallel()
	for _, c := range pairs {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, q := compilertest.Load(t, c.ragged), compilertest.Load(t, c.flat)
			if p.Dim() != q.Dim() {
				t.Fatalf("%d and %d coordinates", p.Dim(), q.Dim())
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 5 {
				theta := make([]float64, p.Dim())
				for k := range theta {
					theta[k] = r.NormFloat64()
				}
				prior, likelihood, slope := compilertest.Density(p, theta)
				want, wantLikelihood, wantSlope := compilertest.Density(q, theta)
				if !compilertest.Near(prior, want, 1e-12) || !compilertest.Near(likelihood, wantLikelihood, 1e-12) {
					t.Errorf("log prior %v, log likelihood %v; want %v, %v", prior, likelihood, want, wantLikelihood)
				}
				compilertest.CheckVector(t, "gradient", slope, wantSlope, 1e-12)
			}
		})
	}
}

// A run saves exactly the existing elements of ragged arrays, named by their two indices.
func TestElements(t *testing.T) {
	t.Parallel()
	p := compilertest.LoadWith(t, `
data g[N]: index(P), m[P], y[P, m]
a[i in P, j in 1..m[i]] ~ Normal(0, 1)
y[i in P, j in 1..m[i]] ~ Normal(a[i, j], 1)
generate first[i in P] = y[i, 1]
generate b[i in P, j in 2..m[i]] ~ Normal(a[i, j-1], 1)
`, `{"g": ["bo", "al", "bo", "bo"], "y": [5, 1, 6, 7]}`)
	var got []string
	for _, v := range p.Saved() {
		for k := range v.Size() {
			got = append(got, v.Element(k))
		}
	}
	want := "a[al,1] a[bo,1] a[bo,2] a[bo,3] first[al] first[bo] b[bo,2] b[bo,3]"
	if !slices.Equal(got, strings.Fields(want)) {
		t.Errorf("saved %v, want %s", got, want)
	}
	_, likelihood, _ := compilertest.Density(p, []float64{1, 5, 6, 7})
	if want := 4 * compilertest.NormalLog(0, 0, 1); !compilertest.Near(likelihood, want, 1e-14) {
		t.Errorf("log likelihood %v, want %v: rows are not sorted by group", likelihood, want)
	}
}

// Reads outside a group, values whose numbers differ from the lengths, and unsupported distributions are errors.
func TestRefused(t *testing.T) {
	t.Parallel()
	const data = "data m[I] = [1, 3, 2], y[I] = [1, 2, 3]\nb ~ Normal(0, 1)\nx[i in I, j in 1..m[i]] = b * j\n"
	for _, c := range []struct{ model, want string }{
		{data + "y[i in I] ~ Normal(x[i, 2], 1)\n", "reads element 2 of group 1, whose elements are 1..1"},
		{data + "y[i in I] ~ Normal(sum(j in 0..m[i]: x[i, j]), 1)\n", "reads element 0 of group 1"},
		{data + "y[i in I] ~ Normal(i > 1 ? x[i, 3] : 0, 1)\n", "reads element 3 of group 3"},
		{data + "y[i in I] ~ Normal(x[i + 1, 1], 1)\n", "E45"},
		{"data m[I] = [1, 2], y[I, m] = [[1], [2]]\na ~ Normal(0, 1)\ny ~ Normal(a, 1)\n",
			"`y` has 1 elements in group 2"},
		{"data m[I], x[I, m] = [[1], [2, 3]]\ny ~ Normal(sum(x[1] * x[2]), 1)\n", "E40"},
		{"data m[I], c[I]: int, w[I, m] = [[1], [2, 3]]\nc[i in I] ~ Categorical(logits = w[i])\n",
			"logsumexp(eta[i])"},
		{"data m[I], c[I]: int, w[I, m] = [[1], [2, 3]]\np[i in I] ~ Dirichlet(fill(1, m[i]))\n", "gamma variables"},
		{"data m[I], w[I, m] = [[1], [2, 3]]\nw[i in I] ~ MvNormal(fill(0, m[i]), fill(1, m[i], m[i]))\n",
			"number the elements"},
		{"data y[I, T] = [[1], [2, 3]]\na ~ Normal(0, 1)\ny ~ Normal(a, 1)\n", "E49"},
		{"data m[I], y[I, m] = [[1.5, 0.5], [3, 1]]\nh[i in I, t in 1..m[i]] = t == 1 ? 1 : h[i, t-2]\n" +
			"a ~ Normal(0, 1)\ny[i in I, t in 1..m[i]] ~ Normal(a + h[i, t], 1)\n", "reads element 0 of group 1"},
	} {
		if got := compilertest.Messages(t, c.model); !strings.Contains(got, c.want) {
			t.Errorf("%s\nis refused with %q, want %q", c.model, got, c.want)
		}
	}
}
