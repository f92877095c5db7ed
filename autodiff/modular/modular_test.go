package modular_test

import (
	"math/rand/v2"
	"testing"

	ad "ppl/autodiff"
	"ppl/autodiff/modular"
)

// Pairs of expressions in x and y, both of shape [3]: some are equal by identities that the package knows, others are
// not equal.
func TestIdentities(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		same bool
		of   func(g *ad.Graph, x, y ad.Node) (a, b ad.Node)
	}{
		"square of a sum": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			s := ad.Add(x, y)
			return ad.Mul(s, s), ad.Add(ad.Add(ad.Mul(x, x), ad.Mul(g.Const(2), ad.Mul(x, y))), ad.Mul(y, y))
		}},
		"another power": {false, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			s := ad.Add(x, y)
			return ad.Mul(s, s), ad.Add(ad.Mul(x, x), ad.Mul(y, y))
		}},
		"constants are exact": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Div(ad.Mul(g.Const(-0.375), x), y), ad.Neg(ad.Div(ad.Mul(x, g.Const(3)), ad.Mul(g.Const(8), y)))
		}},
		"a sum has no order": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			z := ad.Exp(ad.Mul(x, y))
			return ad.SumAll(z), ad.SumAll(ad.Gather(z, g.Data("order", []float64{2, 0, 1}, 3)))
		}},
		"a log of a sum of exponentials has none, either": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.LogSumExp(x, 0), ad.LogSumExp(ad.Concat(0, ad.Slice(x, []int{2}, []int{3}),
				ad.Slice(x, []int{0}, []int{2})), 0)
		}},
		"logistic": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Sub(g.Full(1, 3), ad.Sigmoid(x)), ad.Sigmoid(ad.Neg(x))
		}},
		"softplus": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Sub(ad.Softplus(x), ad.Softplus(ad.Neg(x))), x
		}},
		"odd": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Mul(ad.Tanh(ad.Neg(x)), ad.Erf(ad.Neg(y))), ad.Mul(ad.Tanh(x), ad.Erf(y))
		}},
		"not odd": {false, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Neg(ad.Lgamma(x)), ad.Lgamma(ad.Neg(x))
		}},
		"the larger of two": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Add(ad.Maximum(x, y), ad.Minimum(y, x)), ad.Add(x, y)
		}},
		"a branch": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Where(ad.Lt(x, y), x, y), ad.Where(ad.Lt(y, x), y, x)
		}},
		"another branch": {false, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			return ad.Where(ad.Lt(x, g.Full(30, 3)), x, y), x
		}},
		"a product of matrices": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			product := ad.MatMul(ad.Reshape(x, 1, 3), ad.Reshape(y, 3, 1), false, false)
			return ad.Reshape(product), ad.SumAll(ad.Mul(x, y))
		}},
		"sums up to each element": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			sum := ad.Broadcast(ad.SumAll(x), []int{3}, nil)
			return ad.Add(ad.CumSum(x, 0, false), ad.CumSum(x, 0, true)), ad.Add(x, sum)
		}},
		"a recurrence": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			s := ad.Scan(g.Const(0.5), []ad.Node{x}, []ad.Node{y}, false, func(c ad.Node, xs,
				shared []ad.Node) ad.Node {
				return ad.Mul(ad.Add(c, xs[0]), ad.SumAll(shared[0]))
			})
			sum := ad.SumAll(y)
			square := ad.Mul(sum, sum)
			of := func(i int) ad.Node { return ad.Reshape(ad.Slice(x, []int{i}, []int{i + 1})) }
			return ad.Reshape(ad.Slice(s, []int{3}, []int{4})), ad.Add(ad.Mul(ad.Add(g.Const(0.5), of(0)),
				ad.Mul(square, sum)), ad.Add(ad.Mul(of(1), square), ad.Mul(of(2), sum)))
		}},
		"a recurrence that adds": {true, func(g *ad.Graph, x, y ad.Node) (a, b ad.Node) {
			s := ad.Scan(g.Const(0), []ad.Node{x}, nil, false, func(c ad.Node, xs, _ []ad.Node) ad.Node {
				return ad.Add(c, ad.Mul(xs[0], xs[0]))
			})
			return ad.Reshape(ad.Slice(s, []int{3}, []int{4})), ad.SumAll(ad.Mul(x, x))
		}},
	} {
		g := ad.New()
		a, b := c.of(g, g.Input("x", 3), g.Input("y", 3))
		random := rand.New(rand.NewPCG(1, 2))
		inputs := map[string][]modular.Residue{}
		for _, in := range []string{"x", "y"} {
			for range 3 {
				inputs[in] = append(inputs[in], modular.Residue(random.Uint64N(modular.Prime)))
			}
		}
		out, err := modular.NewRoutine(a, b).Eval(inputs)
		if err != nil {
			t.Fatal(name, err)
		}
		same := len(out[0]) == len(out[1])
		for i := 0; same && i < len(out[0]); i++ {
			same = out[0][i] == out[1][i]
		}
		if same != c.same {
			t.Errorf("%s: the same is %v, want %v", name, same, c.same)
		}
	}
}
