package evaluate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler/compilertest"
)

// bodies maps a name to a function with a block body and the same model without the function. A definition in the body
// means the same as at the call.
var bodies = map[string]struct{ body, plain string }{
	"right side of a differential equation": {`f(v, t) = {
    w[k in 1..2] = v * k * t
    z = sum(w)
    return z
}
u(0) = a
u'(t) = -f(u(t), t)
y[i in N] ~ Normal(u(x[i]), 1)`, `u(0) = a
u'(t) = -3 * u(t) * t
y[i in N] ~ Normal(u(x[i]), 1)`},
	"ragged range with a name": {`f(v, i) = {
    m = n[i]
    return sum(k in 1..m: v * k * a)
}
y[i in N] ~ Normal(f(x[i], i), 1)`, `y[i in N] ~ Normal(sum(k in 1..n[i]: x[i] * k * a), 1)`},
	"branch": {`f(v) = {
    w[k in 1..2] = v * k * a
    h[1] = w[1]
    h[k in 2..3] = tanh(h[k-1]) + w[2]
    return h[3]
}
y[i in N] ~ Normal(i > 1 ? f(x[i-1]) : a, 1)`, `h[i in N, 1] = x[i] * a
h[i in N, k in 2..3] = tanh(h[i, k-1]) + x[i] * 2 * a
y[i in N] ~ Normal(i > 1 ? h[i-1, 3] : a, 1)`},
	"cell of a recurrence": {`cell(h, x) = {
    z[k in 1..2] = a * h + k * x
    s = sum(z)
    return tanh(s) + z[2]
}
h[1] = a
h[t in 2..N] = cell(h[t-1], x[t])
y[i in N] ~ Normal(h[i], 1)`, `h[1] = a
h[t in 2..N] = tanh(2 * a * h[t-1] + 3 * x[t]) + a * h[t-1] + 2 * x[t]
y[i in N] ~ Normal(h[i], 1)`},
	"cells of two states, of vectors": {`gates(h[H], x) = {
    g[k in H] = a * h[k] * k + x
    return g
}
cell(c[H], h[H], x) = {
    g = gates(h, x)
    o = tanh(g)
    return c * o + o
}
c[1, 1..2] = 1
h[1, 1..2] = a
c[t in 2..N] = cell(c[t-1], h[t-1], x[t])
h[t in 2..N] = {
    s = sum(c[t])
    return s * gates(c[t], 1)
}
y[i in N] ~ Normal(sum(h[i]), 1)`, `c[1, 1..2] = 1
h[1, 1..2] = a
o[t in 2..N, k in 1..2] = tanh(a * h[t-1, k] * k + x[t])
c[t in 2..N, k in 1..2] = c[t-1, k] * o[t, k] + o[t, k]
h[t in 2..N, k in 1..2] = (c[t, 1] + c[t, 2]) * (a * c[t, k] * k + 1)
y[i in N] ~ Normal(sum(h[i]), 1)`},
	"cell in a body at rows": {`cell(h, x) = {
    z = a * h + x
    return tanh(z) * z
}
run(v) = {
    h[0] = v
    h[t in 1..3] = cell(h[t-1], v)
    return h[3]
}
y[i in N] ~ Normal(run(x[i]), 1)`, `h[i in N, 0] = x[i]
z[i in N, t in 1..3] = a * h[i, t-1] + x[i]
h[i in N, t in 1..3] = tanh(z[i, t]) * z[i, t]
y[i in N] ~ Normal(h[i, 3], 1)`},
	"ranges of the same text": {`f(v, k) = {
    m = n[k] + 1
    w[j in 1..m] = v * j * a
    return w
}
y[i in N] ~ Normal(sum(f(x[i], 1)) * sum(f(x[i], 2)), 1)`, `y[i in N] ~ Normal(sum(j in 1..2: x[i] * j * a) * sum(j in 1..4: x[i] * j * a), 1)`},
}

func TestBodiesAreTheirFormulas(t *testing.T) {
	t.Parallel()
	head := "data x[N] = [0.5, 1, 1.5], y[N] = [0.2, 0.4, 0.5], n[N] = [1, 3, 2]\na ~ Normal(0, 1)\n"
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			body, plain := compilertest.Load(t, head+c.body), compilertest.Load(t, head+c.plain)
			theta, got, _ := compilertest.Somewhere(body, rand.New(rand.NewPCG(3, 4)))
			want, _ := compilertest.Likelihood(plain, theta)
			if math.Abs(got[1]-want[1]) > 1e-9*math.Abs(want[1]) {
				t.Errorf("log ℓ is %v, want %v", got[1], want[1])
			}
			n, _ := body.Rows()
			if rows, _ := plain.Rows(); n == 0 && rows == 0 { // a recurrence over the rows themselves
				return
			}
			if err := compilertest.SplitAgrees(body, rand.New(rand.NewPCG(1, 2))); err != nil {
				t.Error(err)
			}
		})
	}
}
