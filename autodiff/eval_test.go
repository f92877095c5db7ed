package autodiff_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	. "ppl/autodiff"
	"ppl/autodiff/gorgonia"
)

// Results of movement and reductions of 0, 1, …, 5 are computed by hand.
func TestMovement(t *testing.T) {
	g := New()
	m := g.Input("m", 2, 3)
	values := map[string][]float64{"m": {0, 1, 2, 3, 4, 5}}
	for _, c := range []struct {
		name string
		y    Node
		want []float64
	}{
		{"permute", Permute(m, 1, 0), []float64{0, 3, 1, 4, 2, 5}},
		{"broadcast inside", Broadcast(m, []int{2, 2, 3}, []int{0, 2}), []float64{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}},
		{"broadcast outside", Broadcast(m, []int{2, 3, 2}, []int{0, 1}), []float64{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}},
		{"slice", Slice(m, []int{0, 1}, []int{2, 3}), []float64{1, 2, 4, 5}},
		{"pad", Pad(m, []int{0, 1}, []int{1, 0}), []float64{0, 0, 1, 2, 0, 3, 4, 5, 0, 0, 0, 0}},
		{"concat", Concat(1, m, Slice(m, []int{0, 0}, []int{2, 1})), []float64{0, 1, 2, 0, 3, 4, 5, 3}},
		{"max", Max(m, 0), []float64{3, 4, 5}},
		{"min", Min(m, 1), []float64{0, 3}},
		{"sum", Sum(m, 0), []float64{3, 5, 7}},
		{"sum of all", SumAll(m), []float64{15}},
		{"cumsum", CumSum(m, 1, false), []float64{0, 1, 3, 3, 7, 12}},
		{"cumsum from the end", CumSum(m, 0, true), []float64{3, 5, 7, 3, 4, 5}},
		{"gather rows", Gather(m, g.Data("i", []float64{1, 0, 1}, 3)), []float64{3, 4, 5, 0, 1, 2, 3, 4, 5}},
		{"gather clamps", Gather(m, g.Data("i", []float64{9, -1}, 2), g.Data("j", []float64{nan, inf}, 2)),
			[]float64{3, 2}},
		{"scatter", ScatterAdd([]int{3}, Reshape(m, 6), g.Data("i", []float64{2, 2, 0, 0, 0, 2}, 6)),
			[]float64{9, 0, 6}},
	} {
		if got := Eval(values, c.y)[0]; !near(got, c.want, 0) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A gather is the product with a one-hot matrix, which the tensor library computes; a scatter is that with its
// transpose.
func TestGatherIsAProduct(t *testing.T) {
	g := New()
	x, y := g.Input("x", 3, 2), g.Input("y", 4, 2)
	at := []float64{2, 0, 2, 1}
	i := g.Data("i", at, 4)
	oneHot := Eq(Broadcast(i, []int{4, 3}, []int{0}), Broadcast(g.Iota(3), []int{4, 3}, []int{1}))
	values := map[string][]float64{"x": {1, 2, 3, 4, 5, 6}, "y": {1, 2, 3, 4, 5, 6, 7, 8}}
	want, err := gorgonia.Eval(values, MatMul(oneHot, x, false, false), MatMul(oneHot, y, true, false))
	if err != nil {
		t.Fatal(err)
	}
	for k, got := range Eval(values, Gather(x, i), ScatterAdd([]int{3, 2}, y, i)) {
		if !near(got, want[k], 0) {
			t.Errorf("%v, want %v", got, want[k])
		}
	}
}

func TestLogSumExp(t *testing.T) {
	g := New()
	x := g.Input("x", 3)
	for _, at := range [][]float64{{.1, -2, 3}, {1000, 1001, 999}, {-1000, -1001, -1e9}, {-inf, 2, -inf}} {
		got := Eval(map[string][]float64{"x": at}, LogSumExp(x, 0))[0]
		if want := []float64{floats.LogSumExp(at)}; !near(got, want, 1e-15) {
			t.Errorf("logsumexp %v = %v, gonum has %v", at, got, want)
		}
	}
	for _, c := range []struct {
		at   []float64
		want float64
	}{{[]float64{-inf, -inf, -inf}, -inf}, {[]float64{inf, 0, -inf}, inf}, {[]float64{nan, 0, 1}, nan}} {
		if got := Eval(map[string][]float64{"x": c.at}, LogSumExp(x, 0))[0]; !near(got, []float64{c.want}, 0) {
			t.Errorf("logsumexp %v = %v", c.at, got)
		}
	}
}

// Stacks of matrices against gonum, one matrix at a time.
func TestLinearAlgebraAgainstGonum(t *testing.T) {
	g := New()
	a, b := g.Input("a", 2, 3, 3), g.Input("b", 2, 3, 2)
	shared := g.Input("s", 3, 3)
	values := map[string][]float64{
		"a": {4, 1, -1, 1, 3, .5, -1, .5, 5, 2, .3, .1, .3, 1, -.2, .1, -.2, 3},
		"b": {1, 2, 3, 4, 5, 6, -1, .5, 2, .25, 7, 3},
		"s": {1, 2, 3, 4, 5, 6, 7, 8, 10},
	}
	l := Cholesky(a)
	got := Eval(values, l, TriSolve(l, b, false), TriSolve(l, b, true), MatMul(a, b, true, false),
		MatMul(shared, b, false, false),
		MatMul(b, shared, true, true))
	for k := range 2 {
		aK := mat.NewDense(3, 3, values["a"][9*k:9*k+9])
		bK := mat.NewDense(3, 2, values["b"][6*k:6*k+6])
		s := mat.NewDense(3, 3, values["s"])
		var chol mat.Cholesky
		var factor mat.TriDense
		var lower, x, xt, p, q, r mat.Dense
		if !chol.Factorize(mat.NewSymDense(3, values["a"][9*k:9*k+9])) {
			t.Fatal("not positive definite")
		}
		chol.LTo(&factor)
		lower.CloneFrom(&factor)
		if err := x.Solve(&lower, bK); err != nil {
			t.Fatal(err)
		}
		if err := xt.Solve(lower.T(), bK); err != nil {
			t.Fatal(err)
		}
		p.Mul(aK.T(), bK)
		q.Mul(s, bK)
		r.Mul(bK.T(), s.T())
		for i, want := range []mat.Dense{lower, x, xt, p, q, r} {
			flat := want.RawMatrix().Data
			if part := got[i][k*len(flat) : (k+1)*len(flat)]; !near(part, flat, 1e-14) {
				t.Errorf("value %d of matrix %d: %v, gonum has %v", i, k, part, flat)
			}
		}
	}
}

func TestCholeskyOfIndefinite(t *testing.T) {
	g := New()
	l := Cholesky(g.Data("a", []float64{1, 2, 2, 1, 4, 0, 0, 9}, 2, 2, 2))
	if got := Eval(nil, l)[0]; !near(got, []float64{nan, nan, nan, nan, 2, 0, 0, 3}, 0) {
		t.Errorf("factors %v", got)
	}
}

// d log det A / dA = A⁻¹ through the factor, against gonum's inverse.
func TestGradientOfLogDet(t *testing.T) {
	g := New()
	a := g.Input("a", 3, 3)
	values := []float64{4, 1, -1, 1, 3, .5, -1, .5, 5}
	i := g.Iota(3)
	logDet := Mul(g.Const(2), SumAll(Log(Gather(Cholesky(a), i, i))))
	got := Eval(map[string][]float64{"a": values}, logDet, Grad(logDet, a)[0])
	dense := mat.NewDense(3, 3, values)
	var inverse mat.Dense
	if err := inverse.Inverse(dense); err != nil {
		t.Fatal(err)
	}
	if want := []float64{math.Log(mat.Det(dense))}; !near(got[0], want, 1e-14) {
		t.Errorf("log det %v, want %v", got[0], want)
	}
	if !near(got[1], inverse.RawMatrix().Data, 1e-14) {
		t.Errorf("gradient %v, want %v", got[1], mat.Formatted(&inverse))
	}
}

// A node that is used very often is computed once; otherwise this test would take 2⁵⁰ steps.
func TestEvalRemembers(t *testing.T) {
	g := New()
	x := g.Input("x")
	y := x
	for range 50 {
		y = Mul(g.Const(.5), Add(y, y))
	}
	if got := Eval(map[string][]float64{"x": {3}}, y)[0][0]; got != 3 {
		t.Errorf("got %v", got)
	}
}

func TestPrint(t *testing.T) {
	g := New()
	x, i := g.Input("x", 4, 2), g.Data("county", []float64{1, 0, 3}, 3)
	Exp(x) // not wanted
	y := Mul(Sum(Gather(x, i), 1), g.Normal(5, 3))
	z := MatMul(x, x, true, false)
	const want = `%0 = input x : [4 2]
%1 = data county : [3]
%3 = gather %0 %1 : [3 2]
%4 = sum %3 axes=[1] : [3]
%5 = noise normal site=5 : [3]
%6 = mul %4 %5 : [3]
%7 = matmul %0 %0 transA : [2 2]
`
	var text strings.Builder
	if err := g.Print(&text, y, z); err != nil {
		t.Fatal(err)
	}
	if text.String() != want {
		t.Errorf("printed\n%swant\n%s", text.String(), want)
	}
}
