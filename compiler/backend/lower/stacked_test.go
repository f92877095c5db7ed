package lower_test

import (
	"math/rand/v2"
	"testing"

	ad "ppl/autodiff"
)

// TestStatementsBecomeLoops checks that thousands of statements about one number each become a few loops on the device.
func TestStatementsBecomeLoops(t *testing.T) {
	const n = 1000
	g := ad.New()
	theta := g.Input("theta", n)
	number := func(i int) ad.Node { return ad.Reshape(ad.Slice(theta, []int{i}, []int{i + 1})) }
	sigma := ad.Exp(number(0))
	sum := g.Const(0)
	for i := range n {
		e := ad.Div(ad.Sub(g.Const(float64(i*7919%n)), number(i)), sigma)
		sum = ad.Sub(sum, ad.Mul(e, e))
		if i > 0 {
			sum = ad.Add(sum, ad.LogSigmoid(ad.Mul(number(i-1), number(i))))
		}
	}
	p := check(t, rand.New(rand.NewPCG(8, 9)), sum, ad.Grad(sum, theta)[0])
	if kernels, _, instrs := count(p.Entries[0]); kernels > 12 || instrs > 200 {
		t.Errorf("%d loops, %d instructions", kernels, instrs)
	}
}
