package autodiff_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	. "ppl/autodiff"
)

var inf, nan = math.Inf(1), math.NaN()

func TestEqualExpressionsMerge(t *testing.T) {
	g := New()
	x, y := g.Input("x", 3), g.Input("y", 3)
	values := []float64{1, 2, 3}
	for _, c := range []struct {
		name string
		a, b Node
	}{
		{"same children", Mul(x, y), Mul(x, y)},
		{"exchanged children", Add(x, y), Add(y, x)},
		{"nested", Exp(Sub(Mul(x, y), x)), Exp(Sub(Mul(y, x), x))},
		{"constants", g.Const(.1), g.Const(.1)},
		{"NaN", g.Const(nan), g.Const(nan)},
		{"data of one slice", g.Data("d", values, 3), g.Data("d", values, 3)},
		{"input", x, g.Input("x", 3)},
		{"iota", g.Iota(4), g.Iota(4)},
		{"noise", g.Normal(1, 3), g.Normal(1, 3)},
		{"shuffles", g.Shuffle(7, g.Const(1), g.Iota(3)), g.Shuffle(7, g.Const(1), g.Iota(3))},
		{"reductions", Sum(Reshape(x, 3, 1), 0, 1), Sum(Reshape(x, 3, 1), 1, 0)},
	} {
		if c.a != c.b {
			t.Errorf("%s: two nodes", c.name)
		}
	}
}

func TestDifferentExpressionsStayApart(t *testing.T) {
	g := New()
	x, y := g.Input("x", 3), g.Input("y", 3)
	third := 1. / 3
	for _, c := range []struct {
		name string
		a, b Node
	}{
		{"other children", Mul(x, y), Mul(x, x)},
		{"order matters", Sub(x, y), Sub(y, x)},
		{"kind", Exp(x), Expm1(x)},
		{"constants printed alike", g.Const(third), g.Const(math.Nextafter(third, 1))},
		{"zero and minus zero", g.Const(0), g.Const(math.Copysign(0, -1))},
		{"shapes of a constant", g.Full(1, 2, 3), g.Full(1, 3, 2)},
		{"data of equal values", g.Data("d", []float64{1, 2, 3}, 3), g.Data("d", []float64{1, 2, 3}, 3)},
		{"noise sites", g.Normal(1, 3), g.Normal(2, 3)},
		{"shuffled rows", g.Shuffle(7, g.Const(1), g.Iota(3)), g.Shuffle(8, g.Const(1), g.Iota(3))},
		{"shuffle keys", g.Shuffle(7, g.Const(1), g.Iota(3)), g.Shuffle(7, g.Const(2), g.Iota(3))},
		{"noise laws", g.Normal(1, 3), g.Uniform(1, 3)},
		{"noise shapes", g.Normal(1, 3), g.Normal(1, 4)},
		{"direction", CumSum(x, 0, true), CumSum(x, 0, false)},
		{"bounds", Slice(x, []int{0}, []int{2}), Slice(x, []int{1}, []int{3})},
		{"reshapes", Reshape(x, 3, 1), Reshape(x, 1, 3)},
	} {
		if c.a == c.b {
			t.Errorf("%s: merged", c.name)
		}
	}
}

func TestSimplifications(t *testing.T) {
	g := New()
	x, s, m := g.Input("x", 3), g.Input("s"), g.Input("m", 2, 3)
	c := g.Const
	y := g.Data("y", []float64{1, 2, 3}, 3)
	group := g.Data("group", []float64{0, 2, 2, 1}, 4)
	recurrence := Scan(s, []Node{x}, nil, false, func(c Node, x, _ []Node) Node { return Sin(Add(x[0], c)) })
	row := func(x Node) Node { return Broadcast(x, []int{2, 3}, []int{1}) }
	for _, k := range []struct {
		name      string
		got, want Node
	}{
		{"x + 0", Add(x, c(0)), x},
		{"0 + x", Add(c(0), x), x},
		{"x − 0", Sub(x, c(0)), x},
		{"0 − x", Sub(c(0), x), Neg(x)},
		{"x·1", Mul(x, c(1)), x},
		{"x/1", Div(x, c(1)), x},
		{"−−x", Neg(Neg(x)), x},
		{"x + x", Add(x, x), Mul(c(2), x)},
		{"−(3x)", Neg(Mul(c(3), x)), Mul(c(-3), x)},
		{"2(x·0.3)", Mul(c(2), Mul(x, c(0.3))), Mul(c(0.6), x)},
		{"slope of −x²/2", Grad(SumAll(Mul(c(-.5), Mul(x, x))), x)[0], Neg(x)},
		{"log eˣ", Log(Exp(x)), x},
		{"log of eˣ or else", Log(Where(s, Exp(x), c(2))), Where(s, x, c(math.Ln2))},
		{"y/eˣ", Div(y, Exp(x)), Mul(y, Exp(Neg(x)))},
		{"y/eˣ or else", Div(y, Where(s, Exp(x), c(4))), Mul(y, Where(s, Exp(Neg(x)), c(.25)))},
		{"x/4", Div(x, c(4)), Mul(x, c(.25))},
		{"0 < eˣ", Lt(c(0), Exp(x)), Lt(c(-1075*math.Ln2), x)},
		{"0 ≤ eˣ", Le(c(0), Exp(x)), g.Full(1, 3)},
		{"sigmoid ≤ 1", Le(Broadcast(Sigmoid(s), []int{3}, nil), c(1)), g.Full(1, 3)},
		{"−x·s", Mul(Neg(x), s), Neg(Mul(x, s))},
		{"x − −eˣ", Sub(x, Neg(Exp(x))), Add(x, Exp(x))},
		{"−x + s", Add(Neg(x), s), Sub(s, x)},
		{"sum of −x", SumAll(Neg(x)), Neg(SumAll(x))},
		{"sum of 3x", Sum(Mul(m, c(3)), 0), Mul(c(3), Sum(m, 0))},
		{"sum with data", SumAll(Sub(y, x)), Sub(SumAll(y), SumAll(x))},
		{"x²", Pow(x, c(2)), Mul(x, x)},
		{"x⁰", Pow(x, c(0)), g.Full(1, 3)},
		{"√", Pow(x, c(.5)), Sqrt(x)},
		{"0·x past a branch", MulZero(c(0), x), g.Full(0, 3)},
		{"scalar + 0 array", Add(s, g.Full(0, 3)), Broadcast(s, []int{3}, nil)},
		{"2 + 3", Add(c(2), c(3)), c(5)},
		{"log 2", Log(g.Full(2, 3)), g.Full(math.Ln2, 3)},
		{"select", Where(c(1), x, s), x},
		{"select alike", Where(x, s, s), Broadcast(s, []int{3}, nil)},
		{"broadcast twice", Broadcast(Broadcast(x, []int{2, 3}, []int{1}), []int{2, 4, 3}, []int{0, 2}),
			Broadcast(x, []int{2, 4, 3}, []int{2})},
		{"broadcast to itself", Broadcast(x, []int{3}, []int{0}), x},
		{"broadcast that permutes", Broadcast(m, []int{3, 2}, []int{1, 0}), Permute(m, 1, 0)},
		{"permute twice", Permute(Permute(g.Input("z", 2, 3, 4), 1, 2, 0), 0, 2, 1),
			Permute(g.Input("z", 2, 3, 4), 1, 0, 2)},
		{"permute back", Permute(Permute(m, 1, 0), 1, 0), m},
		{"reshape twice", Reshape(Reshape(m, 6), 3, 2), Reshape(m, 3, 2)},
		{"reshape back", Reshape(Reshape(m, 6), 2, 3), m},
		{"whole slice", Slice(m, []int{0, 0}, []int{2, 3}), m},
		{"slice of a broadcast", Slice(Broadcast(m, []int{4, 2, 3}, []int{1, 2}), []int{1, 0, 1}, []int{3, 2, 3}),
			Broadcast(Slice(m, []int{0, 1}, []int{2, 3}), []int{2, 2, 2}, []int{1, 2})},
		{"slice of a permutation", Slice(Permute(g.Input("z", 2, 3, 4), 2, 0, 1), []int{1, 0, 2}, []int{3, 1, 3}),
			Permute(Slice(g.Input("z", 2, 3, 4), []int{0, 2, 1}, []int{1, 3, 3}), 2, 0, 1)},
		{"slice of a slice", Slice(Slice(m, []int{1, 0}, []int{2, 3}), []int{0, 1}, []int{1, 2}),
			Slice(m, []int{1, 1}, []int{2, 2})},
		{"slice of what was padded", Slice(Pad(m, []int{1, 2}, []int{0, 1}), []int{2, 2}, []int{3, 4}),
			Slice(m, []int{1, 0}, []int{2, 2})},
		{"slice of padding", Slice(Pad(m, []int{1, 2}, []int{0, 1}), []int{0, 2}, []int{1, 4}), g.Full(0, 1, 2)},
		{"no padding", Pad(x, []int{0}, []int{0}), x},
		{"one part", Concat(0, x, g.Input("none", 0)), x},
		{"sum over nothing", Sum(m), m},
		{"sum over one", Sum(Reshape(m, 2, 1, 3), 1), m},
		{"sum of a constant", Sum(g.Full(.5, 2, 3), 0), g.Full(1, 3)},
		{"log of a scalar", Log(Broadcast(s, []int{3}, nil)), Broadcast(Log(s), []int{3}, nil)},
		{"scalar times constant", Mul(g.Full(2, 3), s), Broadcast(Mul(c(2), s), []int{3}, nil)},
		{"two rows", Add(row(x), row(Exp(x))), row(Add(x, Exp(x)))},
		{"log of groups", Log(Gather(x, group)), Gather(Log(x), group)},
		{"product of groups", Mul(Gather(x, group), Gather(Exp(x), group)), Gather(Mul(x, Exp(x)), group)},
		{"sum of products", Sum(MatMul(g.Input("z", 2, 3, 4), g.Input("y", 2, 3, 5), true, false), 0),
			MatMul(Reshape(g.Input("z", 2, 3, 4), 6, 4), Reshape(g.Input("y", 2, 3, 5), 6, 5), true, false)},
		{"sum of outer products", Sum(MatMul(g.Input("u", 2, 3, 1), g.Input("v", 2, 5, 1), false, true), 0),
			MatMul(Reshape(g.Input("u", 2, 3, 1), 2, 3), Reshape(g.Input("v", 2, 5, 1), 2, 5), true, false)},
		{"what does not wait", Scan(s, []Node{x}, []Node{s}, false, func(c Node, x, s []Node) Node {
			return Add(Add(s[0], Sin(c)), x[0])
		}),
			Scan(s, []Node{x}, []Node{s}, false,
				func(c Node, x, s []Node) Node { return Add(Sin(c), Add(s[0], x[0])) })},
		{"what does not wait in a product", Scan(s, []Node{x}, []Node{s}, false, func(c Node, x, s []Node) Node {
			return Add(Mul(s[0], Sub(Sin(c), s[0])), x[0])
		}),
			Scan(s, []Node{x}, []Node{s}, false, func(c Node, x, s []Node) Node {
				return Add(Mul(s[0], Sin(c)), Sub(x[0], Mul(s[0], s[0])))
			})},
		{"random walk", Scan(s, []Node{x}, nil, false, func(c Node, x, _ []Node) Node { return Add(x[0], c) }),
			CumSum(Concat(0, Reshape(s, 1), x), 0, false)},
		{"random walk of arrays of one", Scan(Reshape(s, 1), []Node{x}, nil, true, func(c Node, x, _ []Node) Node {
			return Reshape(Add(Reshape(c), x[0]), 1)
		}),
			CumSum(Concat(0, Reshape(x, 3, 1), Reshape(s, 1, 1)), 0, true)},
		{"recurrence with its beginning", Concat(0, Reshape(s, 1), Slice(recurrence, []int{1}, []int{4})), recurrence},
		{"recurrence with its beginning, as columns",
			Concat(0, Reshape(s, 1, 1), Reshape(Slice(recurrence, []int{1}, []int{4}), 3, 1)),
			Reshape(recurrence, 4, 1)},
		{"sum of copies", SumAll(row(x)), Mul(SumAll(x), c(2))},
		{"max of copies", Max(row(x), 0), x},
		{"element clamped", Gather(x, c(7)), Gather(x, c(2))},
		{"element", Gather(m, c(1), c(2)), Reshape(Slice(m, []int{1, 2}, []int{2, 3}))},
	} {
		if k.got != k.want {
			var text strings.Builder
			_ = g.Print(&text, k.got)
			t.Errorf("%s: got %v with\n%s", k.name, k.got, text.String())
		}
	}
}

// A concatenation that is not a Scan's later rows after its own first row stays a concatenation.
func TestOtherBeginnings(t *testing.T) {
	g := New()
	x, s := g.Input("x", 3), Reshape(g.Input("s"), 1)
	walk := func(reverse bool) Node {
		return Scan(g.Input("s"), []Node{x}, nil, reverse, func(c Node, x, _ []Node) Node { return Sin(Add(x[0], c)) })
	}
	late := func(n Node, from int) Node { return Slice(n, []int{from}, []int{4}) }
	for name, n := range map[string]Node{
		"another beginning": Concat(0, Exp(s), late(walk(false), 1)),
		"a row left out":    Concat(0, s, late(walk(false), 2)),
		"a row twice":       Concat(0, s, late(walk(false), 0)),
		"the other way":     Concat(0, s, late(walk(true), 1)),
		"at the end":        Concat(0, late(walk(false), 1), s),
	} {
		if n.Op().Kind != OpConcat {
			t.Errorf("%s: %v", name, n.Op())
		}
	}
}

// Ops on repeated elements against the same ops where a zero that is not known keeps them from being simplified.
func TestLiftedOpsAgainstPlain(t *testing.T) {
	g := New()
	x, y, zero := g.Input("x", 2, 3), g.Input("y", 3, 2), g.Input("zero", 4, 2, 5, 3)
	u := Broadcast(x, zero.Shape(), []int{1, 3})
	v := Broadcast(Permute(y, 1, 0), zero.Shape(), []int{1, 3})
	plainU, plainV := Add(u, zero), Add(v, zero)
	values := map[string][]float64{"x": {1, -2, 3, .5, 5, -.6}, "y": {.1, .2, -.3, 4, 5, 6},
		"zero": make([]float64, 120)}
	check := func(name string, f func(u, v Node) Node) {
		got := Eval(values, f(u, v), f(plainU, plainV))
		if !near(got[0], got[1], 1e-14) {
			t.Errorf("%s: %v, want %v", name, got[0], got[1])
		}
	}
	check("exp", func(u, _ Node) Node { return Exp(u) })
	check("sub", Sub)
	check("constant", func(u, _ Node) Node { return Sub(g.Const(3), u) })
	check("where", func(u, v Node) Node { return Where(Lt(u, v), g.Const(2), v) })
	for _, axes := range [][]int{{0}, {2, 0}, {1}, {0, 1}, {0, 3}, {2, 1}, {0, 1, 2, 3}} {
		check("sum", func(u, _ Node) Node { return Sum(u, axes...) })
		check("max", func(u, _ Node) Node { return Max(u, axes...) })
		check("min", func(u, _ Node) Node { return Min(u, axes...) })
		check("logsumexp", func(u, _ Node) Node { return LogSumExp(u, axes...) })
	}
}

// Gathers with different indices, or with no more elements than their argument, are not lifted.
func TestGathersThatStay(t *testing.T) {
	g := New()
	x, y := g.Input("x", 3), g.Input("y", 4)
	i, j := g.Data("i", []float64{0, 2, 1, 2, 0}, 5), g.Data("j", []float64{2, 0, 1, 1, 0}, 5)
	values := map[string][]float64{"x": {2, 3, 5}, "y": {7, 11, 13, 17}}
	got := Eval(values, Mul(Gather(x, i), Gather(x, j)), Mul(Gather(x, i), Gather(y, i)))
	if !near(got[0], []float64{10, 10, 9, 15, 4}, 0) || !near(got[1], []float64{14, 65, 33, 65, 14}, 0) {
		t.Errorf("products %v", got)
	}
	if n := Log(Gather(y, g.Data("k", []float64{0, 3}, 2))); n.Op().Kind != OpLog {
		t.Errorf("four logarithms for two: %v", n.Op())
	}
}

// For x = σ(u) in the form of the interval transform, log x and log(1 − x) are finite even if x rounds to 0 or 1.
// Expressions that only resemble this form are not changed.
func TestLogarithmsOfShares(t *testing.T) {
	g := New()
	u := g.Input("u", 5)
	left := Lt(u, g.Const(0))
	near0 := Sigmoid(Where(left, u, Neg(u)))
	x := Where(left, near0, Sub(g.Const(1), near0))
	gradients := Grad(SumAll(Add(Log(x), Mul(g.Const(2), Log1p(Neg(x))))), u)
	got := Eval(map[string][]float64{"u": {-800, -40, 1, 40, 800}}, Log(x), Log1p(Neg(x)), gradients[0])
	tiny := -4.248354255291589e-18 // −e⁻⁴⁰
	for k, want := range [][]float64{
		{-800, -40, -0.31326168751822286, tiny, 0},
		{0, tiny, -1.3132616875182228, -40, -800},
		{1, 1, 0.2689414213699951 - 2*0.7310585786300049, -2, -2},
	} {
		if !near(got[k], want, 1e-15) {
			t.Errorf("%d: %v, want %v", k, got[k], want)
		}
	}
	other := Sigmoid(u)
	for name, y := range map[string]Node{
		"from one end":      Where(left, other, Sub(g.Const(1), other)),
		"of something else": Where(left, near0, Sub(g.Const(2), near0)),
		"of two":            Where(left, near0, Sub(g.Const(1), other)),
	} {
		if n := Log(y); n.Op().Kind != OpLog {
			t.Errorf("%s: %v", name, n.Op())
		}
		if n := Log1p(Neg(y)); n.Op().Kind != OpLog1p {
			t.Errorf("%s, the rest: %v", name, n.Op())
		}
	}
}

// x·0 is NaN if x is not finite, so it must not be folded.
func TestProductWithZeroStays(t *testing.T) {
	g := New()
	x, zero := g.Input("x", 3), g.Const(0)
	for _, got := range Eval(map[string][]float64{"x": {1, inf, nan}}, Mul(x, zero), Mul(zero, x),
		Div(zero, Div(g.Const(1), x))) {
		if !near(got, []float64{0, nan, nan}, 0) {
			t.Errorf("x·0 = %v", got)
		}
	}
}

func TestEmptyArrays(t *testing.T) {
	g := New()
	x := g.Input("x", 0, 2)
	for _, c := range []struct {
		name  string
		y     Node
		shape []int
		want  []float64
	}{
		{"sum", Sum(x, 0), []int{2}, []float64{0, 0}},
		{"max", Max(x, 0), []int{2}, []float64{-inf, -inf}},
		{"min", Min(x, 0), []int{2}, []float64{inf, inf}},
		{"logsumexp", LogSumExp(x, 0), []int{2}, []float64{-inf, -inf}},
		{"sum along the other axis", Sum(x, 1), []int{0}, nil},
		{"everything", SumAll(Exp(x)), nil, []float64{0}},
		{"pad", Pad(x, []int{1, 0}, []int{1, 0}), []int{2, 2}, []float64{0, 0, 0, 0}},
		{"product", MatMul(x, x, true, false), []int{2, 2}, []float64{0, 0, 0, 0}},
		{"gather from nothing", Gather(g.Input("y0", 0), g.Data("i", []float64{1, 2}, 2)), []int{2}, []float64{0, 0}},
		{"gather", Gather(g.Input("y", 3), g.Data("i", nil, 0)), []int{0}, nil},
		{"scatter", ScatterAdd([]int{2}, g.Input("z", 0), g.Data("i", nil, 0)), []int{2}, []float64{0, 0}},
		{"cumsum", CumSum(x, 0, false), []int{0, 2}, nil},
		{"gradient", Grad(SumAll(Exp(x)), x)[0], []int{0, 2}, nil},
	} {
		got := Eval(map[string][]float64{"x": {}, "z": {}}, c.y)[0]
		if !slices.Equal(c.y.Shape(), c.shape) || !near(got, c.want, 0) {
			t.Errorf("%s: shape %v, values %v", c.name, c.y.Shape(), got)
		}
	}
}

func TestStatic(t *testing.T) {
	g := New()
	d, x := g.Data("d", []float64{1, 2}, 2), g.Input("x", 2)
	for _, c := range []struct {
		name string
		n    Node
		want bool
	}{
		{"data", Exp(Sum(d, 0)), true},
		{"input", Add(d, x), false},
		{"noise", Add(d, g.Uniform(3, 2)), false},
		{"shuffle", g.Shuffle(7, g.Const(1), g.Iota(3)), false},
		{"constant", g.Full(2, 2), true},
	} {
		if c.n.Static() != c.want {
			t.Errorf("%s: static is %v", c.name, c.n.Static())
		}
	}
}

func TestBrokenInvariantsPanic(t *testing.T) {
	g := New()
	x, m := g.Input("x", 3), g.Input("m", 2, 3)
	for name, f := range map[string]func(){
		"shapes":           func() { Add(x, m) },
		"kind":             func() { Unary(OpAdd, x) },
		"input reshaped":   func() { g.Input("x", 4) },
		"data size":        func() { g.Data("d", []float64{1}, 2) },
		"axes":             func() { Sum(m, 2) },
		"axis twice":       func() { Sum(m, 1, 1) },
		"broadcast size":   func() { Broadcast(x, []int{4}, []int{0}) },
		"reshape size":     func() { Reshape(m, 5) },
		"slice bounds":     func() { Slice(x, []int{1}, []int{4}) },
		"concat":           func() { Concat(0, m, Permute(m, 1, 0)) },
		"too many indices": func() { Gather(x, g.Const(1), g.Const(1)) },
		"scatter":          func() { ScatterAdd([]int{3}, x, g.Iota(2)) },
		"matmul":           func() { MatMul(m, m, false, false) },
		"matmul of vector": func() { MatMul(m, x, false, false) },
		"cholesky":         func() { Cholesky(m) },
		"gradient of many": func() { Grad(x, x) },
		"missing input":    func() { Eval(nil, Exp(x)) },
		"noise":            func() { Eval(nil, g.Normal(1)) },
		"shuffle":          func() { Eval(nil, g.Shuffle(2, g.Const(1), g.Const(2))) },
		"two graphs":       func() { Add(x, New().Input("x", 3)) },
	} {
		if message := panicOf(f); !strings.HasPrefix(message, "internal error: ") {
			t.Errorf("%s: panic %q", name, message)
		}
	}
}

func panicOf(f func()) (message string) {
	defer func() { message, _ = recover().(string) }()
	f()
	return ""
}

// 2,000 nodes take about 10 ms.
func BenchmarkBuild2000(b *testing.B) {
	for range b.N {
		g := New()
		x := g.Input("x", 8)
		for y, i := x, 0.0; len(g.Nodes()) < 2000; i++ {
			y = Exp(Add(Mul(y, x), g.Const(i)))
		}
	}
}

// TestCommon checks which values are the same on all lanes, and that a name is either a lane buffer or given.
func TestCommon(t *testing.T) {
	g := New()
	x, number, n := g.Input("x", 3), g.Given("number"), g.Iota(3)
	at := Add(Broadcast(number, []int{3}, nil), n)
	step := func(carry Node, xs, shared []Node) Node { return Add(carry, Mul(xs[0], shared[0])) }
	for _, c := range []struct {
		name string
		of   Node
		want bool
	}{
		{"constant", g.Const(1), true}, {"data", n, true}, {"given", number, true}, {"lane buffer", x, false},
		{"given rows", at, true}, {"rows of an epoch", g.Shuffle(7, g.Const(1), at), true},
		{"rows of a lane's epoch", g.Shuffle(7, SumAll(x), at), false}, {"noise of all lanes", g.Common(1), true},
		{"noise of a lane", g.Normal(1, 3), false},
		{"noise at an address", g.Addressed(1, number, g.Const(2), n), true},
		{"noise at a lane's address", g.Addressed(1, SumAll(x), g.Const(2), n), false}, {"mixed", Mul(x, at), false},
		{"scan", Scan(g.Const(0), []Node{at}, []Node{number}, false, step), true},
		{"scan along a lane buffer", Scan(g.Const(0), []Node{x}, []Node{number}, false, step), false},
	} {
		if c.of.Common() != c.want {
			t.Errorf("%s: common is %v", c.name, c.of.Common())
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a lane buffer is given too")
		}
	}()
	g.Given("x", 3)
}
