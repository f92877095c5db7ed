package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// networks maps a name to a model with a network and the same model written out; the densities and gradients must agree
// in each coordinate.
var networks = map[string]struct {
	network, plain string
	names          map[string]string // maps parameters of the first model to those of the second
}{
	"two calls share weights": {`f(v[D]) = v -> dense(2) -> tanh -> dense(1) -> first
f.weights ~ Normal(0, s)
y[i in N] ~ Normal(f(x[i]) + f(2 * x[i]), 1)`, `w[1..2, D] ~ Normal(0, s)
b[1..2] ~ Normal(0, s)
u[1..1, 1..2] ~ Normal(0, s)
c[1..1] ~ Normal(0, s)
h[i in N, k in 1..2] = tanh(sum(d in D: w[k, d] * x[i, d]) + b[k])
m[i in N, k in 1..2] = tanh(sum(d in D: w[k, d] * 2 * x[i, d]) + b[k])
y[i in N] ~ Normal(sum(k in 1..2: u[1, k] * (h[i, k] + m[i, k])) + 2 * c[1], 1)`, map[string]string{"f.dense1.w": "w", "f.dense1.b": "b", "f.dense2.w": "u", "f.dense2.b": "c"}},
	"priors by use, by statement, for all": {`f(v[D]) = v -> dense(2, weight = Normal(0, ard)) -> tanh -> dense(1, bias = StudentT(4, 0, 1)) -> first
ard[D] ~ HalfNormal(1)
f.weights ~ Normal(1, s)
f.dense2.weight ~ Laplace(0, s)
y[i in N] ~ Normal(f(x[i]), 1)`, `ard[D] ~ HalfNormal(1)
w[k in 1..2, d in D] ~ Normal(0, ard[d])
b[1..2] ~ Normal(1, s)
u[1..1, 1..2] ~ Laplace(0, s)
c[1..1] ~ StudentT(4, 0, 1)
h[i in N, k in 1..2] = tanh(sum(d in D: w[k, d] * x[i, d]) + b[k])
y[i in N] ~ Normal(sum(k in 1..2: u[1, k] * h[i, k]) + c[1], 1)`, map[string]string{"f.dense1.w": "w", "f.dense1.b": "b", "f.dense2.w": "u", "f.dense2.b": "c"}},
	"family": {`f[k in G](v[D]) = v -> dense(1, weight = Normal(0, s), bias = Normal(k, tau[k])) -> first
tau[G] ~ HalfNormal(1)
y[i in N] ~ Normal(f[g[i]](x[i]), 1)`, `tau[G] ~ HalfNormal(1)
w[G, 1..1, D] ~ Normal(0, s)
b[k in G, 1..1] ~ Normal(k, tau[k])
y[i in N] ~ Normal(sum(d in D: w[g[i], 1, d] * x[i, d]) + b[g[i], 1], 1)`, map[string]string{"f.dense1.w": "w", "f.dense1.b": "b"}},
	"family with a statement over its index": {`f[k in G](v[D]) = v -> dense(1) -> first
tau[G] ~ HalfNormal(1)
f.weights ~ Normal(0, tau)
y[i in N] ~ Normal(f[g[i]](x[i]) * f[1](x[i]), 1)`, `tau[G] ~ HalfNormal(1)
w[k in G, 1..1, D] ~ Normal(0, tau[k])
b[k in G, 1..1] ~ Normal(0, tau[k])
y[i in N] ~ Normal((sum(d in D: w[g[i], 1, d] * x[i, d]) + b[g[i], 1]) * (sum(d in D: w[1, 1, d] * x[i, d]) + b[1, 1]), 1)`, map[string]string{"f.dense1.w": "w", "f.dense1.b": "b"}},
	"stack of blocks": {`Block(h[H], s) ~ {
    z = h -> dense(H, weight = Normal(0, s), bias = Normal(0, 2))
    return h + tanh(z)
}
f(v[D]) = {
    h[0] = v
    h[k in 1..3] = h[k-1] -> Block(s)
    return h[3]
}
y[i in N] ~ Normal(sum(f(x[i])), 1)`, `w[1..3, D, D] ~ Normal(0, s)
b[1..3, D] ~ Normal(0, 2)
h[i in N, 0, d in D] = x[i, d]
h[i in N, k in 1..3, d in D] = h[i, k-1, d] + tanh(sum(e in D: w[k, d, e] * h[i, k-1, e]) + b[k, d])
y[i in N] ~ Normal(sum(d in D: h[i, 3, d]), 1)`, map[string]string{"f.h.Block1.z.dense1.w": "w", "f.h.Block1.z.dense1.b": "b"}},
	"a recurrent layer of one's own, and a horseshoe": {`Shrunk(s) ~ {
    l ~ HalfNormal(1)
    b ~ Normal(0, s * l)
    return b
}
Elman(x[T, D], n) ~ {
    u[n, D] ~ Normal(0, 1 / sqrt(D))
    w[n, n] ~ Normal(0, 1 / sqrt(n))
    h[1] = tanh(u @ x[1])
    h[t in 2..T] = tanh(u @ x[t] + w @ h[t-1])
    return h[T]
}
f(v[D]) = [v, 2 * v, 3 * v] -> Elman(2) -> dense(1, weight = Shrunk(s)) -> first
y[i in N] ~ Normal(f(x[i]), 1)`, `u[1..2, D] ~ Normal(0, 1 / sqrt(2))
w[1..2, 1..2] ~ Normal(0, 1 / sqrt(2))
l[1..1, 1..2] ~ HalfNormal(1)
v[k in 1..1, j in 1..2] ~ Normal(0, s * l[k, j])
b[1..1] ~ Normal(0, 1)
h[i in N, 1, k in 1..2] = tanh(sum(d in D: u[k, d] * x[i, d]))
h[i in N, t in 2..3, k in 1..2] = tanh(sum(d in D: u[k, d] * x[i, d] * t) + sum(j in 1..2: w[k, j] * h[i, t-1, j]))
y[i in N] ~ Normal(sum(k in 1..2: v[1, k] * h[i, 3, k]) + b[1], 1)`, map[string]string{"f.Elman1.u": "u", "f.Elman1.w": "w", "f.dense1.w.l": "l", "f.dense1.w": "v", "f.dense1.b": "b"}},
	"family of functions without weights": {`f[k in G](v) = sum(v) * k + s
y[i in N] ~ Normal(f[g[i]](x[i]), 1)`, `y[i in N] ~ Normal(sum(d in D: x[i, d]) * g[i] + s, 1)`, nil},
	"draws of the body itself, a network in a network": {`scale(v) = {
    a ~ Normal(0, s)
    return a * v
}
f(v[D]) = v -> dense(1) -> scale -> first
y[i in N] ~ Normal(f(x[i]) + scale(x[i, 1]), 1)`, `w[1..1, D] ~ Normal(0, 1)
b[1..1] ~ Normal(0, 1)
a ~ Normal(0, s)
y[i in N] ~ Normal(a * (sum(d in D: w[1, d] * x[i, d]) + b[1] + x[i, 1]), 1)`, map[string]string{"f.dense1.w": "w", "f.dense1.b": "b", "scale.a": "a"}},
	"bayesian last layer in a hierarchy": {`f(v[D]) = v -> dense(2, bias = Normal(0, 3)) -> tanh
f.weights ~ Normal(0, s)
mu[1..2] ~ Normal(0, 1)
a[k in G, j in 1..2] ~ Normal(mu[j], s)
y[i in N] ~ Bernoulli(sigmoid(a[g[i]] @ f(x[i])))`, `w[1..2, D] ~ Normal(0, s)
b[1..2] ~ Normal(0, 3)
mu[1..2] ~ Normal(0, 1)
a[k in G, j in 1..2] ~ Normal(mu[j], s)
y[i in N] ~ Bernoulli(sigmoid(sum(k in 1..2: a[g[i], k] * tanh(sum(d in D: w[k, d] * x[i, d]) + b[k]))))`, map[string]string{"f.dense1.w": "w", "f.dense1.b": "b"}},
}

func TestNetworksAreTheirFormulas(t *testing.T) {
	t.Parallel()
	const head = "data x[N, D] = [[0.5, 1], [1, -1], [0.2, 0.3], [2, 0.1]], y[N] = [0, 1, 1, 0], g[N]: index(G) = " +
		"[1, 3, 2, 1]\nG = 3\ns ~ HalfNormal(1)\n"
	for name, c := range networks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, q := compilertest.Load(t, head+c.network), compilertest.Load(t, head+c.plain)
			if p.Dim() != q.Dim() {
				t.Fatalf("%d coordinates, want %d", p.Dim(), q.Dim())
			}
			r := rand.New(rand.NewPCG(1, 2))
			mine, theirs := map[string]*content.Array{}, map[string]*content.Array{}
			for _, v := range p.Saved() {
				name, shared := c.names[v.Name]
				if !shared {
					name = v.Name
				}
				x := &content.Array{Shape: v.Shape, Values: numbers.Of(make([]float64, product(v.Shape))...).Map(
					func(float64) float64 { return 0.2 + r.Float64() })}
				mine[v.Name], theirs[name] = x, x
			}
			got, err := p.LogProb(mine)
			if err != nil {
				t.Fatal(err)
			}
			want, err := q.LogProb(theirs)
			if err != nil {
				t.Fatal(err)
			}
			if !compilertest.Within(got.Prior, want.Prior, 1e-12*(1+math.Abs(want.Prior))) ||
				!compilertest.Within(got.Likelihood, want.Likelihood, 1e-12*(1+math.Abs(want.Likelihood))) {
				t.Errorf("log ρ, log ℓ are %v, %v, want %v, %v", got.Prior, got.Likelihood, want.Prior, want.Likelihood)
			}
			if err := compilertest.SplitAgrees(p, r); err != nil {
				t.Error(err)
			}
		})
	}
}
