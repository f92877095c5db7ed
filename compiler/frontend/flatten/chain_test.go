package flatten_test

import (
	"math/rand/v2"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
)

// Chains of different lengths can be drawn: the first element of each chain from its own statement, each other element
// given the previous one.
func TestChainsAreDrawn(t *testing.T) {
	t.Parallel()
	p := compilertest.Predictive(t, `
data m[I], y[I, m] = [[1.5, 0.5, 2], [3, 1], [0.2]]
p ~ Beta(2, 2)
z[i in I, 1] ~ Bernoulli(1)
z[i in I, t in 2..m[i]] ~ Bernoulli(1 - z[i, t-1])
y[i in I, t in 1..m[i]] ~ Normal(10 * z[i, t], 0.01)
`, compiler.FromPrior)
	_, last := compilertest.Completed(p, 50, rand.New(rand.NewPCG(1, 2)))
	want := []float64{10, 0, 10, 10, 0, 10}
	if !compilertest.AllNear(last["y"], want, 0.1) {
		t.Errorf("drawn %v, want about %v", last["y"], want)
	}
}
