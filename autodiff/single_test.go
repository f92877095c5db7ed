package autodiff_test

import (
	"testing"

	. "ppl/autodiff"
)

// TestSinglePrecision checks that values between OpSingle and OpDouble have single precision, and that a gradient has
// the precision of the node with respect to which it is taken. Constants have either precision.
func TestSinglePrecision(t *testing.T) {
	g := New()
	x := g.Input("x", 2)
	s := Single(x)
	inside := SumAll(Mul(s, Exp(s)))
	y := Double(inside)
	grad := Grad(y, x)[0]
	for name, c := range map[string]struct {
		node Node
		want bool
	}{"input": {x, false}, "converted": {s, true}, "made of it": {inside, true}, "taken back": {y, false},
		"gradient": {grad, false},
		"constant": {Single(g.Const(2)), false}} {
		if c.node.Single() != c.want {
			t.Errorf("%s: single %v", name, c.node.Single())
		}
	}
	if Double(x) != x || Single(s) != s {
		t.Error("conversions of what has the precision already")
	}
	at := map[string][]float64{"x": {0.1, -2}}
	exact := SumAll(Mul(x, Exp(x)))
	for i, want := range Eval(at, exact, Grad(exact, x)[0]) {
		if got := Eval(at, y, grad)[i]; !near(got, want, 1e-7) || near(got, want, 1e-12) {
			t.Errorf("value %d: %v, in double precision %v", i, got, want)
		}
	}
}
