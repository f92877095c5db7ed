package autodiff_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "ppl/autodiff"
)

// A recurrence is a Scan as its caller writes it, over inputs drawn from [lo, hi).
type recurrence struct {
	name       string
	carry      []int
	xs, shared [][]int // shapes; of a slice for xs
	lo, hi     float64
	step       func(carry Node, xs, shared []Node) Node
}

func recurrences() []recurrence {
	vector := func(x Node) Node { return Reshape(x, x.Size(), 1) }
	return []recurrence{
		{"linear", nil, [][]int{{}}, [][]int{{}}, -1, 1, func(c Node, x, s []Node) Node {
			return Add(Mul(s[0], c), x[0])
		}},
		{"powers", nil, [][]int{{}}, nil, .5, 1, func(c Node, x, _ []Node) Node { return Mul(c, x[0]) }},
		{"random walk", nil, [][]int{{}}, nil, -1, 1, func(c Node, x, _ []Node) Node { return Add(c, x[0]) }},
		{"without the carry", []int{2}, [][]int{{2}}, nil, -1, 1, func(c Node, x, _ []Node) Node { return Sin(x[0]) }},
		{"without the slice", nil, [][]int{{}}, [][]int{{}}, -1, 1, func(c Node, _, s []Node) Node {
			return Sin(Add(c, s[0]))
		}},
		{"garch", nil, [][]int{{}}, [][]int{{}, {}, {}}, .1, 1, func(c Node, x, s []Node) Node {
			return Sqrt(Add(s[0], Add(Mul(s[1], Mul(x[0], x[0])), Mul(s[2], Mul(c, c)))))
		}},
		{"hmm", []int{2}, [][]int{{2}}, [][]int{{2, 2}}, -2, 1, func(c Node, x, s []Node) Node {
			move := Sub(s[0], Broadcast(LogSumExp(s[0], 1), []int{2, 2}, []int{0}))
			return Add(x[0], LogSumExp(Add(Broadcast(c, []int{2, 2}, []int{0}), move), 0))
		}},
		{"recurrent network", []int{3}, [][]int{{2}}, [][]int{{3, 3}, {3, 2}, {3}}, -1, 1,
			func(c Node, x, s []Node) Node {
				in := Add(MatMul(s[0], vector(c), false, false), MatMul(s[1], vector(x[0]), false, false))
				return Tanh(Add(Reshape(in, 3), s[2]))
			}},
		{"two lags", []int{2}, [][]int{{}}, [][]int{{2}}, -1, 1, func(c Node, x, s []Node) Node {
			next := Add(x[0], SumAll(Mul(s[0], c)))
			return Concat(0, Slice(c, []int{1}, []int{2}), Reshape(next, 1))
		}},
		{"riccati", []int{2, 2}, [][]int{{2, 2}}, [][]int{{2, 2}}, -1, 1, func(c Node, x, s []Node) Node {
			l := Cholesky(Add(MatMul(c, c, true, false), c.Graph().Data("eye", []float64{1, 0, 0, 1}, 2, 2)))
			return Tanh(Add(TriSolve(l, s[0], true), MatMul(x[0], c, false, true)))
		}},
		{"indexed", []int{4}, [][]int{{}, {3}}, [][]int{{4, 3}}, 0, 3.99, func(c Node, x, s []Node) Node {
			g := c.Graph()
			at := Floor(x[0])
			row := Gather(s[0], at)
			moved := Add(Gather(c, g.Data("turn", []float64{1, 2, 3, 0}, 4)),
				ScatterAdd([]int{4}, Mul(row, x[1]), Reshape(Concat(0, g.Iota(2), Reshape(at, 1)), 3)))
			return Sin(Add(moved, Reshape(Pad(Reshape(CumSum(x[1], 0, true), 3), []int{1}, []int{0}), 4)))
		}},
		{"branches", []int{3}, [][]int{{3}}, [][]int{{3}}, -1, 1, func(c Node, x, s []Node) Node {
			return Where(Lt(c, x[0]), Maximum(c, Mul(s[0], x[0])),
				Minimum(Sub(s[0], c), Permute(Max(Reshape(x[0], 3, 1), 1), 0)))
		}},
	}
}

// instance returns the rows by Scan and by steps written one after the other, with all arguments and values for them.
func (r recurrence) instance(n int, reverse bool) (scan, unrolled Node, args []Node, values map[string][]float64) {
	g, rnd := New(), rand.New(rand.NewPCG(uint64(n), 4))
	values = map[string][]float64{}
	input := func(name string, shape ...int) Node {
		x := g.Input(name, shape...)
		for range x.Size() {
			values[name] = append(values[name], r.lo+(r.hi-r.lo)*rnd.Float64())
		}
		args = append(args, x)
		return x
	}
	init := input("init", r.carry...)
	var xs, shared []Node
	for k, s := range r.xs {
		xs = append(xs, input(fmt.Sprint("x", k), slices.Concat([]int{n}, s)...))
	}
	for k, s := range r.shared {
		shared = append(shared, input(fmt.Sprint("s", k), s...))
	}
	return Scan(init, xs, shared, reverse, r.step), r.unrolled(init, n, xs, shared, reverse), args, values
}

func (r recurrence) unrolled(init Node, n int, xs, shared []Node, reverse bool) Node {
	row := func(c Node) Node { return Reshape(c, slices.Concat([]int{1}, r.carry)...) }
	rows := []Node{row(init)}
	for turn := range n {
		t := turn
		if reverse {
			t = n - 1 - turn
		}
		slice := make([]Node, len(xs))
		for k, x := range xs {
			slice[k] = Gather(x, x.Graph().Const(float64(t)))
		}
		init = r.step(init, slice, shared)
		rows = append(rows, row(init))
	}
	if reverse {
		slices.Reverse(rows)
	}
	return Concat(0, rows...)
}

// Values, gradients and second derivatives of a Scan agree with those of its steps written out without a Scan. Both add
// in the same order except for sums over steps, so errors are far below 1e-12.
func TestScanAgainstUnrolled(t *testing.T) {
	for _, r := range recurrences() {
		for _, n := range []int{0, 1, 2, 5} {
			for _, reverse := range []bool{false, true} {
				scan, unrolled, args, values := r.instance(n, reverse)
				name := fmt.Sprintf("%s, %d steps, reverse %v", r.name, n, reverse)
				if !slices.Equal(scan.Shape(), unrolled.Shape()) {
					t.Fatalf("%s: shape %v", name, scan.Shape())
				}
				got, want := derivatives(scan, args), derivatives(unrolled, args)
				g, w := Eval(values, got...), Eval(values, want...)
				for k := range g {
					if !near(g[k], w[k], 1e-12) {
						t.Errorf("%s, value %d:\n got %v\nwant %v", name, k, g[k], w[k])
					}
				}
			}
		}
	}
}

// A step may read the same array both by slices and entirely.
func TestScanOfOneArrayTwice(t *testing.T) {
	r := recurrence{"twice", []int{2}, [][]int{{2}, {2}}, nil, -1, 1, func(c Node, x, s []Node) Node {
		return Sin(Add(Mul(c, x[0]), Reshape(Slice(s[0], []int{1, 0}, []int{2, 2}), 2)))
	}}
	g := New()
	x, init := g.Input("x", 3, 2), g.Input("init", 2)
	values := map[string][]float64{"x": {1, -1, .5, .7, .2, -.3}, "init": {.1, .9}}
	scan := Scan(init, []Node{x, x}, []Node{x}, false, r.step)
	unrolled := r.unrolled(init, 3, []Node{x, x}, []Node{x}, false)
	got, want := Eval(values, derivatives(scan, []Node{x, init})...),
		Eval(values, derivatives(unrolled, []Node{x, init})...)
	for k := range got {
		if !near(got[k], want[k], 1e-13) {
			t.Errorf("value %d: %v, want %v", k, got[k], want[k])
		}
	}
}

// An array that is repeated along the steps is not copied for each step.
func TestScanOfRepeatedArray(t *testing.T) {
	g := New()
	p := g.Input("p", 3, 3)
	rows := Scan(g.Input("init", 3), []Node{Broadcast(p, []int{50, 3, 3}, []int{1, 2})}, nil, false,
		func(c Node, x, _ []Node) Node {
			return LogSumExp(Add(Broadcast(c, []int{3, 3}, []int{0}), x[0]), 0)
		})
	if body := rows.Op().Body; len(body.Xs) != 0 || len(body.Shared) != 1 || rows.Args()[1] != p {
		t.Errorf("arguments %v for %d walked along and %d shared", rows.Args(), len(body.Xs), len(body.Shared))
	}
}

// Scans of random steps agree with the same steps written out.
func TestRandomScans(t *testing.T) {
	for seed := range uint64(40) {
		shapes := [][]int{{}, {3}, {2, 3}}
		pick := rand.New(rand.NewPCG(seed, 5))
		shape := func() []int { return shapes[pick.IntN(3)] }
		r := recurrence{"random", shape(), [][]int{shape(), shape()}, [][]int{shape()}, -1, 1,
			func(c Node, x, s []Node) Node {
				rnd, pool := rand.New(rand.NewPCG(seed, 6)), slices.Concat([]Node{c}, x, s)
				for range 12 {
					pool = append(pool, randomOp(rnd, pool[rnd.IntN(len(pool))], pool[rnd.IntN(len(pool))]))
				}
				return Tanh(Add(c, weighted(pool[len(pool)-1])))
			}}
		scan, unrolled, args, values := r.instance(3, seed%2 == 0)
		got, want := Eval(values, derivatives(scan, args)...), Eval(values, derivatives(unrolled, args)...)
		for k := range got {
			if !near(got[k], want[k], 1e-12) {
				t.Errorf("seed %d, value %d:\n got %v\nwant %v", seed, k, got[k], want[k])
			}
		}
	}
}

// derivatives returns y, the gradients of a weighted sum of squares of y, and the gradients of a weighted sum of these.
func derivatives(y Node, xs []Node) []Node {
	first := Grad(Add(weighted(y), weighted(Mul(y, y))), xs...)
	total := y.Graph().Const(0)
	for _, d := range first {
		total = Add(total, weighted(d))
	}
	return slices.Concat([]Node{y}, first, Grad(total, xs...))
}

func TestScanAgainstDifferences(t *testing.T) {
	for _, r := range recurrences() {
		scan, _, args, values := r.instance(4, true)
		checkGradient(t, r.name, weighted(scan), args, values)
	}
}

// The number of nodes does not depend on the number of steps, and no node of a gradient has more elements than the
// carries, or a step's slice, take for all steps: a shared matrix, too, gets its gradient without one per step.
func TestScanGraphIsConstant(t *testing.T) {
	count := func(r recurrence, n int) int {
		scan, args := r.alone(n)
		nodes := reached(Grad(weighted(scan), args...))
		largest := (n + 1) * max(4, args[0].Size())
		for v := range nodes {
			if v.Size() > largest {
				t.Errorf("%s: %v has %d elements", r.name, v.Op(), v.Size())
			}
		}
		return len(nodes)
	}
	for _, r := range recurrences() {
		if r.name == "indexed" {
			continue // scatters into a matrix of each step
		}
		if a, b := count(r, 20), count(r, 2000); a != b || a > 200 {
			t.Errorf("%s: %d and %d nodes", r.name, a, b)
		}
	}
}

// reached returns roots and the nodes that they depend on.
func reached(roots []Node) map[Node]bool {
	seen := map[Node]bool{}
	var visit func(n Node)
	visit = func(n Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		for _, a := range n.Args() {
			visit(a)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	return seen
}

// alone returns the Scan with inputs as arguments.
func (r recurrence) alone(n int) (scan Node, args []Node) {
	g := New()
	args = []Node{g.Input("init", r.carry...)}
	for k, s := range r.xs {
		args = append(args, g.Input(fmt.Sprint("x", k), slices.Concat([]int{n}, s)...))
	}
	for k, s := range r.shared {
		args = append(args, g.Input(fmt.Sprint("s", k), s...))
	}
	return Scan(args[0], args[1:1+len(r.xs)], args[1+len(r.xs):], false, r.step), args
}

func TestScanMerges(t *testing.T) {
	g := New()
	x, s := g.Input("x", 5), g.Input("s")
	walk := func(f func(c, x, s Node) Node) Node {
		return Scan(s, []Node{x}, []Node{s}, false, func(c Node, x, s []Node) Node { return f(c, x[0], s[0]) })
	}
	a := walk(func(c, x, s Node) Node { return Add(Mul(c, s), x) })
	if b := walk(func(c, x, s Node) Node { Exp(c); return Add(Mul(s, c), x) }); a != b {
		t.Error("the same step is two nodes")
	}
	if b := walk(func(c, x, s Node) Node { return Sub(Mul(c, s), x) }); a == b {
		t.Error("two steps are one node")
	}
	if b := Scan(s, []Node{x}, []Node{s}, true,
		func(c Node, x, s []Node) Node { return Add(Mul(c, s[0]), x[0]) }); a == b {
		t.Error("two directions are one node")
	}
	if first, second := Grad(SumAll(a), x, s), Grad(SumAll(a), x, s); !slices.Equal(first, second) {
		t.Error("the same gradient is two nodes")
	}
}

// What does not depend on the carry is computed for all steps at once: the loop of a GARCH's gradient multiplies and
// adds.
func TestScanHoists(t *testing.T) {
	g := New()
	y, a, b, h := g.Input("y", 9), g.Input("a"), g.Input("b"), g.Input("h")
	vol := Scan(h, []Node{y}, []Node{a, b}, false, func(c Node, x, s []Node) Node {
		return Sqrt(Add(Mul(Exp(s[0]), Mul(x[0], x[0])), Mul(s[1], Mul(c, c))))
	})
	Grad(weighted(Log(vol)), y, a, b, h)
	for _, n := range g.Nodes() {
		if n.Op().Kind != OpScan {
			continue
		}
		for _, v := range n.Op().Body.Next.Graph().Nodes() {
			switch k := v.Op().Kind; {
			case k == OpInput, k == OpMul, k == OpAdd, k == OpMulZero, k == OpConst, k == OpSelect:
			case k == OpSqrt && !n.Op().Reverse:
			default:
				t.Errorf("%v inside the loop", k)
			}
		}
	}
}

// A step whose value is not finite does not affect gradients of values that do not depend on it.
func TestScanBranchNotTaken(t *testing.T) {
	g := New()
	x, init := g.Input("x", 3), g.Input("init")
	logs := Scan(init, []Node{x}, nil, false, func(c Node, x, _ []Node) Node { return Log(Sub(x[0], c)) })
	y := SumAll(Where(IsFinite(logs), Mul(logs, logs), g.Const(0)))
	got := Eval(map[string][]float64{"x": {2, 0, 5}, "init": {1}}, Grad(y, x, init)...)
	// Rows are 1, log 1 = 0, log 0 = −∞, +∞: only the first two count, with derivatives 2·1 and 2·0.
	if !near(got[0], []float64{0, 0, 0}, 0) || !near(got[1], []float64{2}, 0) {
		t.Errorf("gradients %v", got)
	}
}

// If one factor of the chain rule is infinite and the other is zero, the product is zero, as for the steps written out.
func TestScanInfiniteSlopes(t *testing.T) {
	for name, step := range map[string]func(c Node, x, s []Node) Node{
		"maximum": func(c Node, x, _ []Node) Node { return Maximum(c, x[0]) },
		"branch":  func(c Node, x, s []Node) Node { return Where(Lt(s[0], x[0]), Mul(c, Log(x[0])), Abs(x[0])) },
		"shared":  func(c Node, x, s []Node) Node { return Where(Lt(s[0], x[0]), Mul(c, Exp(Div(x[0], s[0]))), x[0]) },
	} {
		for size := range 3 {
			shape := []int{size}[:min(size, 1)] // a number, one, two
			scan, unrolled, args, values := recurrence{name, shape, [][]int{shape}, [][]int{{}}, 0, 0, step}.instance(3,
				false)
			values["init"] = []float64{-1, -2}[:max(size, 1)]
			gradients := func(rows Node) []Node {
				lo := make([]int, rows.Rank())
				lo[0] = 1
				return Grad(SumAll(Sqrt(Slice(rows, lo, rows.Shape()))), args...)
			}
			got, want := Eval(values, gradients(scan)...), Eval(values, gradients(unrolled)...)
			for k := range got {
				if !near(got[k], want[k], 0) {
					t.Errorf("%s of %v, argument %d: gradient %v, want %v", name, shape, k, got[k], want[k])
				}
			}
		}
	}
}

func TestScanPrint(t *testing.T) {
	g := New()
	x, s := g.Input("x", 4), g.Input("s")
	y := Scan(g.Const(0), []Node{x}, []Node{s}, true, func(c Node, x, s []Node) Node {
		return Add(Mul(c, s[0]), Exp(x[0]))
	})
	const want = `%0 = input x : [4]
%1 = input s : []
%2 = const 0 : []
%4 = exp %0 : [4]
%5 = scan %2 %4 %1 reverse : [5]
    %0 = input carry : []
    %1 = input shared0 : []
    %2 = mul %0 %1 : []
    %3 = input x0 : []
    %4 = add %2 %3 : []
    next %4
`
	var text strings.Builder
	if err := g.Print(&text, y); err != nil || text.String() != want {
		t.Errorf("%v, printed\n%swant\n%s", err, text.String(), want)
	}
}

func TestScanRefuses(t *testing.T) {
	g := New()
	x, s := g.Input("x", 4), g.Input("s")
	scan := func(step func(c, x Node) Node) func() {
		return func() {
			Scan(s, []Node{x}, nil, false, func(c Node, x, _ []Node) Node { return step(c, x[0]) })
		}
	}
	for name, f := range map[string]func(){
		"closure":          scan(func(c, _ Node) Node { return Add(c, s) }),
		"outer expression": scan(func(c, _ Node) Node { return Exp(s) }),
		"shape":            scan(func(c, _ Node) Node { return Broadcast(c, []int{2}, nil) }),
		"noise":            scan(func(c, _ Node) Node { return Add(c, c.Graph().Normal(1)) }),
		"nothing to walk":  func() { Scan(s, nil, nil, false, func(c Node, _, _ []Node) Node { return c }) },
		"different lengths": func() {
			Scan(s, []Node{x, g.Input("z", 5)}, nil, false, func(c Node, _, _ []Node) Node { return c })
		},
		"scan inside": scan(func(c, x Node) Node {
			return SumAll(Scan(c, []Node{Broadcast(x, []int{2}, nil)}, nil, false, func(c Node, x, _ []Node) Node {
				return Mul(c, x[0])
			}))
		}),
	} {
		if message := panicOf(f); !strings.HasPrefix(message, "internal error: autodiff: ") {
			t.Errorf("%s: panic %q", name, message)
		}
	}
}

// E[c_T] of an autoregression in closed form: c_T = φᵀ c₀ + Σ φ^(T−t) x_t, and its derivatives, over ten thousand
// steps.
func TestLongScan(t *testing.T) {
	const n, phi = 10_000, .999
	g := New()
	init, p := g.Input("init"), g.Input("phi")
	rows := Scan(init, []Node{g.Iota(n)}, []Node{p}, false, func(c Node, _, s []Node) Node { return Mul(c, s[0]) })
	last := Reshape(Slice(rows, []int{n}, []int{n + 1}))
	got := Eval(map[string][]float64{"init": {2}, "phi": {phi}}, append(Grad(last, init, p), last)...)
	power := math.Pow(phi, n)
	want := [][]float64{{power}, {2 * n * power / phi}, {2 * power}}
	for k := range want {
		if !near([]float64{got[k][0] / want[k][0]}, []float64{1}, 1e-11) {
			t.Errorf("value %d is %v, want %v", k, got[k], want[k])
		}
	}
}
