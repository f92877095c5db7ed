package autodiff_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	. "ppl/autodiff"
)

// statements returns a density that consists of count statements, each about a number or a short vector, with its
// gradient and a list of values. Statements read values of other statements at random.
func statements(count int, seed uint64) (inputs map[string][]float64, roots []Node) {
	r := rand.New(rand.NewPCG(seed, 5))
	g := New()
	theta := g.Input("theta", 2*count)
	number := func(i int) Node { return Reshape(Slice(theta, []int{i}, []int{i + 1})) }
	rows := func(k int) Node { return g.Data("x", []float64{1, float64(k%7) - 3, .5}, 3) }
	sigma := Exp(number(0))
	terms := []Node{g.Const(.25)}
	var values []Node
	for k := range count {
		a, b := number(k), Slice(theta, []int{k}, []int{k + 2})
		other := number(r.IntN(2 * count))
		var y Node
		switch r.IntN(6) {
		case 0:
			y = Mul(Sub(g.Const(r.NormFloat64()), a), other)
		case 1:
			y = Neg(Softplus(Add(a, Mul(g.Const(.3), other))))
		case 2:
			y = SumAll(Mul(Sub(rows(k), Broadcast(a, []int{3}, nil)), Broadcast(other, []int{3}, nil)))
		case 3:
			y = Where(Lt(a, g.Const(.1)), Div(a, sigma), Sub(Sigmoid(other), a))
		case 4:
			y = LogSumExp(Mul(b, b), 0)
		case 5:
			y = Max(CumSum(Concat(0, b, Reshape(other, 1), g.Full(.2, 1)), 0, true), 0)
		}
		if r.IntN(3) == 0 {
			y = Neg(y)
		}
		terms = append(terms, y)
		values = append(values, Reshape(Add(y, a), 1))
		if k%4 == 0 {
			values = append(values, b)
		}
	}
	sum := terms[0]
	for _, t := range terms[1:] {
		sum = Add(sum, t)
	}
	x := make([]float64, 2*count)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return map[string][]float64{"theta": x}, []Node{sum, Grad(sum, theta)[0], Concat(0, values...), Exp(sum)}
}

// Stacked roots have the values of roots.
func TestStackedValues(t *testing.T) {
	t.Parallel()
	for seed := range uint64(20) {
		inputs, roots := statements(40+37*int(seed), seed)
		want := Eval(inputs, roots...)
		for k, got := range Eval(inputs, Stacked(roots)...) {
			if !near(got, want[k], 1e-11) {
				t.Fatalf("seed %d: root %d differs", seed, k)
			}
		}
	}
}

// For 5000 statements, stacking leaves at most a tenth of the nodes.
func TestStackedSize(t *testing.T) {
	t.Parallel()
	_, roots := statements(5000, 1)
	before := len(reached(roots))
	if after := len(reached(Stacked(roots))); after > before/10 {
		t.Errorf("%d nodes, %d when they are stacked", before, after)
	}
}

// Graphs of a few statements are not changed.
func TestStackedFew(t *testing.T) {
	t.Parallel()
	_, roots := statements(12, 3)
	if !slices.Equal(Stacked(roots), roots) {
		t.Error("the nodes of 12 statements were replaced")
	}
}
