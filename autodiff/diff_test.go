package autodiff_test

import (
	"math"
	"testing"

	. "ppl/autodiff"
)

// A branch that is not taken has gradient zero, even if its derivative is not finite.
func TestBranchNotTaken(t *testing.T) {
	g := New()
	x := g.Input("x", 2)
	zero, one := g.Const(0), g.Const(1)
	positive := Lt(zero, x)
	for _, c := range []struct {
		name   string
		branch Node // its derivative is not finite at 0
		at     float64
		want   float64
	}{
		{"log", Log(x), 2, .5},
		{"x log x", Mul(x, Log(x)), 1, 1},
		{"log x · log x", Mul(Log(x), Log(x)), 1, 0},
		{"1/x", Div(one, x), 2, -.25},
		{"x/x", Div(x, x), 2, 0},
		{"sqrt", Sqrt(x), 4, .25},
		{"pow", Pow(x, g.Const(-1.5)), 1, -1.5},
		{"pow of an exponent", Pow(zero, Log(x)), 2, 0},
		{"lgamma", Lgamma(x), 1, -.57721566490153286},
		{"digamma", Digamma(x), 1, 1.6449340668482264},
		{"quantile", NormQuantile(x), .5, 2.5066282746310002},
		{"log1p", Log1p(Div(one, x)), 1, -.5},
		{"exp", Exp(Div(one, x)), 1, -2.718281828459045},
		{"logsumexp", LogSumExp(Concat(1, Reshape(Log(x), 2, 1), Reshape(Log(x), 2, 1)), 1), 2, .5},
	} {
		y := SumAll(Where(positive, c.branch, zero))
		got := Eval(map[string][]float64{"x": {0, c.at}}, Grad(y, x)[0])[0]
		if !near(got, []float64{0, c.want}, 1e-12) {
			t.Errorf("%s: gradient %v, want [0 %v]", c.name, got, c.want)
		}
	}
}

func TestGradTwiceOnOneGraph(t *testing.T) {
	g := New()
	x := g.Input("x", 2)
	values := map[string][]float64{"x": {3, -2}}
	y := SumAll(Mul(Mul(x, x), x))
	first := Grad(y, x)[0]
	again := Grad(y, x)[0]
	z := Add(y, SumAll(Exp(x))) // shares y
	other := Grad(z, x)[0]
	second := Grad(SumAll(first), x)[0]
	if first != again {
		t.Error("the same gradient is two nodes")
	}
	got := Eval(values, first, other, second)
	for i, want := range [][]float64{{27, 12}, {47.085536923187668, 12.135335283236613}, {18, -12}} { // 3x², 3x²+eˣ, 6x
		if !near(got[i], want, 1e-14) {
			t.Errorf("gradient %d is %v, want %v", i, got[i], want)
		}
	}
}

func TestGradientsWithoutAPath(t *testing.T) {
	g := New()
	x, y := g.Input("x", 2), g.Input("y", 3)
	s := SumAll(Exp(x))
	ds := Grad(s, y, x, s, Exp(x), g.Input("later", 2))
	if !isZeros(ds[0]) || !isZeros(ds[4]) || ds[1] != Exp(x) || ds[2] != g.Const(1) || ds[3] != g.Full(1, 2) {
		t.Errorf("gradients %v of node %v", ds, s)
	}
	for name, n := range map[string]Node{
		"floor": Floor(x), "sign": Sign(x), "comparison": Lt(x, g.Const(.5)), "condition": Where(x, g.Const(1),
			g.Const(2)),
		"zero": Mul(g.Const(0), Sin(x)), "index": Gather(g.Data("d", []float64{5, 6, 7}, 3), x),
		"noise": g.Normal(1, 2), "shuffle": g.Shuffle(9, x, x), "data": g.Data("e", []float64{1, 2}, 2),
	} {
		if d := Grad(SumAll(n), x)[0]; !isZeros(d) {
			t.Errorf("%s: gradient %v", name, d.Op())
		}
	}
}

func isZeros(n Node) bool {
	v, ok := n.IsConst()
	return ok && v == 0
}

// Only nodes on paths from xs to y are differentiated: no node of the gradient comes from the other branch.
func TestDeadPathsArePruned(t *testing.T) {
	g := New()
	x, z := g.Input("x"), g.Input("z")
	y := Add(Exp(x), Lgamma(Sin(z)))
	before := len(g.Nodes())
	Grad(y, x)
	for _, n := range g.Nodes()[before:] {
		if k := n.Op().Kind; k == OpDigamma || k == OpCos {
			t.Errorf("%v was differentiated", k)
		}
	}
}

// Values of the derivatives at points that differences cannot reach.
func TestGradientAtCorners(t *testing.T) {
	g := New()
	x := g.Input("x", 3)
	sum := func(n Node) Node { return Grad(SumAll(n), x)[0] }
	for _, c := range []struct {
		name string
		d    Node
		at   []float64
		want []float64
	}{
		{"square", sum(Pow(x, g.Const(2))), []float64{-3, 0, 3}, []float64{-6, 0, 6}},
		{"fifth power", sum(Pow(x, g.Const(5))), []float64{-2, 0, 1}, []float64{80, 0, 5}},
		{"x¹·⁵", sum(Pow(x, g.Const(1.5))), []float64{0, 1, 4}, []float64{0, 1.5, 3}},
		{"0ˣ", sum(Pow(g.Const(0), x)), []float64{.5, 0, -1}, []float64{0, 0, 0}},
		{"maximum in a tie", sum(Maximum(x, g.Const(1))), []float64{0, 1, 2}, []float64{0, .5, 1}},
		{"minimum in a tie", sum(Minimum(x, g.Const(1))), []float64{0, 1, 2}, []float64{1, .5, 0}},
		{"max in a tie", sum(Max(x, 0)), []float64{2, 1, 2}, []float64{.5, 0, .5}},
		{"abs", sum(Abs(x)), []float64{-2, 0, 2}, []float64{-1, 0, 1}},
		{"logsumexp of −∞", sum(LogSumExp(x, 0)), []float64{-inf, -inf, -inf}, []float64{0, 0, 0}},
		{"logsumexp with −∞", sum(LogSumExp(x, 0)), []float64{-inf, 0, 0}, []float64{0, .5, .5}},
		{"logsumexp far out", sum(LogSumExp(x, 0)), []float64{1e4, 1e4, 0}, []float64{.5, .5, 0}},
		{"sigmoid far out", sum(Sigmoid(x)), []float64{-40, 0, 40},
			[]float64{4.248354255291589e-18, .25, 4.248354255291589e-18}},
	} {
		if got := Eval(map[string][]float64{"x": c.at}, c.d)[0]; !near(got, c.want, 1e-12) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Logistic regression: the gradient of Σ log σ(±(Xβ + a)) is Xᵀ(y − σ(Xβ + a)).
func TestLogisticRegression(t *testing.T) {
	g := New()
	rows := []float64{1, .5, -1, 2, .3, .7, -2, -1}
	success := []float64{1, 0, 1, 0}
	beta, a := g.Input("beta", 2, 1), g.Input("a")
	x, y := g.Data("x", rows, 4, 2), g.Data("y", success, 4)
	eta := Add(Reshape(MatMul(x, beta, false, false), 4), a)
	logLik := SumAll(Where(y, LogSigmoid(eta), LogSigmoid(Neg(eta))))
	got := Eval(map[string][]float64{"beta": {.4, -.2}, "a": {.1}}, Grad(logLik, beta, a)...)
	want, wantA := make([]float64, 2), 0.0
	for i, s := range success {
		residual := s - 1/(1+math.Exp(-(rows[2*i]*.4-rows[2*i+1]*.2+.1)))
		want[0] += residual * rows[2*i]
		want[1] += residual * rows[2*i+1]
		wantA += residual
	}
	if !near(got[0], want, 1e-15) || !near(got[1], []float64{wantA}, 1e-15) {
		t.Errorf("gradients %v, want %v and %v", got, want, wantA)
	}
}
