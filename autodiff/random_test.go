package autodiff_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	. "ppl/autodiff"
	"ppl/autodiff/gorgonia"
)

// Values of random smooth graphs agree with Gorgonia's, and gradients with differences.
func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(30) {
		y, xs, values := randomGraph(rand.New(rand.NewPCG(seed, 2)))
		name := fmt.Sprintf("seed %d", seed)
		want, err := gorgonia.Eval(values, y)
		if got := Eval(values, y); err != nil || !near(got[0], want[0], 1e-13) {
			t.Errorf("%s: %v, the tape machine has %v (%v)", name, got, want, err)
		}
		checkGradient(t, name, y, xs, values)
	}
}

func randomGraph(r *rand.Rand) (y Node, xs []Node, values map[string][]float64) {
	g := New()
	xs = []Node{g.Input("x"), g.Input("y", 3), g.Input("z", 2, 3)}
	values = map[string][]float64{"x": {.4}, "y": {.3, -.8, 1.2}, "z": {1, -.5, .2, .7, -1.1, .6}}
	pool := slices.Clone(xs)
	for range 25 {
		pool = append(pool, randomOp(r, pool[r.IntN(len(pool))], pool[r.IntN(len(pool))]))
	}
	y = g.Const(0)
	for _, n := range pool[len(pool)-6:] {
		y = Add(y, Tanh(weighted(n)))
	}
	return y, xs, values
}

func randomOp(r *rand.Rand, a, b Node) Node {
	g := a.Graph()
	kinds := []Kind{OpTanh, OpSin, OpSigmoid, OpSoftplus, OpAtan, OpAdd, OpSub, OpMul, OpMulZero}
	k := kinds[r.IntN(len(kinds))]
	switch choice := r.IntN(8); {
	case choice == 0 && a.Rank() > 0:
		return Sum(a, a.Rank()-1)
	case choice == 1 && a.Rank() > 0:
		return LogSumExp(a, 0)
	case choice == 2 && a.Rank() == 1:
		return Gather(a, g.Data("i", []float64{float64(r.IntN(a.Size())), 0}, 2))
	case choice == 3 && a.Rank() < 2:
		return Broadcast(a, slices.Concat([]int{2}, a.Shape()), iotaFrom(1, a.Rank()))
	case choice == 4 && a.Rank() == 2:
		return CumSum(Permute(a, 1, 0), r.IntN(2), r.IntN(2) == 0)
	case k < OpAdd:
		return Unary(k, a)
	case slices.Equal(a.Shape(), b.Shape()) || a.Rank() == 0 || b.Rank() == 0:
		return Binary(k, a, b)
	}
	return Where(Lt(g.Const(.1), a), Mul(a, g.Const(1.5)), Sin(a))
}

func iotaFrom(first, n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = first + i
	}
	return out
}

// The tensor library's sums over two of four axes are wrong, so the converted graph must not use them.
func TestSumsOfFourAxes(t *testing.T) {
	g := New()
	x := g.Input("x", 2, 5, 3, 3)
	values := map[string][]float64{"x": make([]float64, 90)}
	for i := range values["x"] {
		values["x"][i] = float64(i * i % 11)
	}
	for a := range 4 {
		for b := range a {
			y := Sum(x, b, a)
			got, err := gorgonia.Eval(values, y)
			if want := Eval(values, y); err != nil || !near(got[0], want[0], 1e-14) {
				t.Errorf("over axes %d and %d: %v on the tape machine, want %v (%v)", b, a, got, want, err)
			}
		}
	}
}
