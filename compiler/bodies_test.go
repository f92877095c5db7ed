package compiler

import (
	"math"
	"math/rand/v2"
	"testing"
)

// bodies are functions with a block body beside the same without: what is defined in the body is as if it stood at the
// call.
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
	"ranges of the same text": {`f(v, k) = {
    m = n[k] + 1
    w[j in 1..m] = v * j * a
    return w
}
y[i in N] ~ Normal(sum(f(x[i], 1)) * sum(f(x[i], 2)), 1)`, `y[i in N] ~ Normal(sum(j in 1..2: x[i] * j * a) * sum(j in 1..4: x[i] * j * a), 1)`},
}

func TestBodiesAreTheirFormulas(t *testing.T) {
	head := "data x[N] = [0.5, 1, 1.5], y[N] = [0.2, 0.4, 0.5], n[N] = [1, 3, 2]\na ~ Normal(0, 1)\n"
	for name, c := range bodies {
		t.Run(name, func(t *testing.T) {
			body, plain := sizedProgram(t, head+c.body, "{}"), sizedProgram(t, head+c.plain, "{}")
			theta, got, _ := somewhere(body, rand.New(rand.NewPCG(3, 4)))
			want, _ := likelihood(plain, theta)
			if math.Abs(got[1]-want[1]) > 1e-9*math.Abs(want[1]) {
				t.Errorf("log ℓ is %v, want %v", got[1], want[1])
			}
			if err := splitAgrees(body, rand.New(rand.NewPCG(1, 2))); err != nil {
				t.Error(err)
			}
		})
	}
}
