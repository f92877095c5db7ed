package lower_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/host"
)

// lanes is the number of lanes of the host in tests, each with separate inputs; it is not a multiple of the block size.
const lanes = 3

// check lowers an entry that assigns the nodes to out0, out1, … and compares the reference device and every lane of the
// host with autodiff.Eval, in both layouts of lanes. It returns the program of layout Interleaved.
func check(t *testing.T, r *rand.Rand, nodes ...ad.Node) *ir.Program {
	t.Helper()
	checkIn(t, ir.Apart, r, nodes...)
	return checkIn(t, ir.Interleaved, r, nodes...)
}

func checkIn(t *testing.T, l ir.Layout, r *rand.Rand, nodes ...ad.Node) *ir.Program {
	t.Helper()
	e := lower.Entry{Name: "f"}
	for k, n := range nodes {
		e.Assign = append(e.Assign, lower.Assign{Name: outName(k), Value: n})
	}
	p := programIn(t, l, e)
	x := load(t, p, lanes)
	inputs := make([]map[string][]float64, lanes)
	for lane := range inputs {
		inputs[lane] = randomInputs(r, nodes[0].Graph())
		set(x, lane, inputs[lane])
	}
	run(t, x, "f")
	for lane, in := range inputs {
		want := ad.Eval(in, nodes...)
		r := reference(t, p)
		set(r, 0, in)
		run(t, r, "f")
		for k := range nodes {
			same(t, fmt.Sprintf("reference: out%d", k), laneOf(r, outName(k), 0), want[k])
			got := make([]float64, len(want[k]))
			x.GetLane(outName(k), lane, got)
			same(t, fmt.Sprintf("host: lane %d: out%d", lane, k), got, want[k])
		}
	}
	return p
}

func outName(k int) string { return fmt.Sprintf("out%d", k) }

// program lowers entries and verifies the program.
func program(t testing.TB, entries ...lower.Entry) *ir.Program {
	t.Helper()
	p, err := lower.Program(entries)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(p); err != nil {
		t.Fatal(err)
	}
	return p
}

func programIn(t testing.TB, l ir.Layout, entries ...lower.Entry) *ir.Program {
	t.Helper()
	p, err := lower.InLayout(entries, l)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(p); err != nil {
		t.Fatalf("lanes %v: %v", l, err)
	}
	return p
}

func load(t testing.TB, p *ir.Program, lanes int) device.Executable {
	t.Helper()
	return loadOn(t, host.Device{}, p, lanes)
}

// reference loads a program, with one lane, on the device that defines the meaning of ops and statements.
func reference(t testing.TB, p *ir.Program) device.Executable {
	t.Helper()
	return loadOn(t, devicetest.Reference{}, p, 1)
}

func loadOn(t testing.TB, d device.Device, p *ir.Program, lanes int) device.Executable {
	t.Helper()
	x, err := d.Load(p, device.Options{Lanes: lanes, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func run(t testing.TB, x device.Executable, entry string) {
	t.Helper()
	if _, err := x.Run([]device.Call{{Entry: entry, Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
}

func set(x device.Executable, lane int, values map[string][]float64) {
	for name, v := range values {
		x.SetLane(name, lane, v)
	}
}

// randomInputs returns numbers in (0.2, 0.9) for every input that a graph reads.
func randomInputs(r *rand.Rand, g *ad.Graph) map[string][]float64 {
	inputs := map[string][]float64{}
	for _, n := range g.Nodes() {
		if n.Op().Kind != ad.OpInput {
			continue
		}
		x := make([]float64, n.Size())
		for i := range x {
			x[i] = 0.2 + 0.7*r.Float64()
		}
		inputs[n.Op().Name] = x
	}
	return inputs
}

func same(t *testing.T, what string, got, want []float64) {
	t.Helper()
	if err := equal(got, want); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// equal returns an error unless elements agree to 1e-12 of the largest element or of 0.01, whichever is larger: sums
// may be taken in other orders.
func equal(got, want []float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	top := 0.01
	for _, w := range want {
		if !math.IsInf(w, 0) {
			top = max(top, math.Abs(w))
		}
	}
	for i, w := range want {
		same := got[i] == w || math.IsNaN(got[i]) && math.IsNaN(w) || math.Abs(got[i]-w) <= 1e-12*top
		if !same {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], w)
		}
	}
	return nil
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// TestEveryKind lowers one small graph for each kind of op.
func TestEveryKind(t *testing.T) {
	// TestNoise, TestShuffle, TestSingle; that of Addressed is TestPeers
	covered := map[ad.Kind]bool{ad.OpNoise: true, ad.OpShuffle: true, ad.OpAddressed: true, ad.OpSingle: true,
		ad.OpDouble: true}
	cases := kindCases()
	for k, c := range cases {
		g := ad.New()
		nodes := c(g)
		for _, n := range g.Nodes() {
			covered[n.Op().Kind] = true
		}
		t.Run(fmt.Sprint(k), func(t *testing.T) { check(t, source(uint64(k)), nodes...) })
	}
	for k := range ad.Kinds {
		if !covered[ad.Kind(k)] {
			t.Errorf("no case covers kind %v", ad.Kind(k))
		}
	}
}

type build func(g *ad.Graph) []ad.Node

func kindCases() []build {
	var out []build
	one := func(f func(g *ad.Graph) ad.Node) {
		out = append(out, func(g *ad.Graph) []ad.Node { return []ad.Node{f(g)} })
	}
	for k := ad.OpNeg; k <= ad.OpIsFinite; k++ {
		one(func(g *ad.Graph) ad.Node { return ad.Unary(k, g.Input("x", 5)) })
	}
	for k := ad.OpAdd; k <= ad.OpMulZero; k++ {
		one(func(g *ad.Graph) ad.Node { return ad.Binary(k, g.Input("x", 5), g.Input("y", 5)) })
		one(func(g *ad.Graph) ad.Node { return ad.Binary(k, g.Input("x"), g.Input("y", 2, 3)) })
		one(func(g *ad.Graph) ad.Node { return ad.Binary(k, g.Input("x", 5), g.Input("y")) })
	}
	for _, shape := range [][]int{{}, {1}, {5}, {2, 3, 4}, {0}, {20, 3}} {
		one(func(g *ad.Graph) ad.Node { return g.Input("x", shape...) })
		one(func(g *ad.Graph) ad.Node { return g.Full(3, shape...) })
		one(func(g *ad.Graph) ad.Node { return ad.Exp(ad.Sin(g.Input("x", shape...))) })
		for axis := range shape {
			for _, f := range []func(ad.Node, ...int) ad.Node{ad.Sum, ad.Max, ad.Min, ad.LogSumExp} {
				one(func(g *ad.Graph) ad.Node { return f(g.Input("x", shape...), axis) })
				one(func(g *ad.Graph) ad.Node { return ad.Sin(f(ad.Exp(g.Input("x", shape...)), axis)) })
			}
			for _, reverse := range []bool{false, true} {
				one(func(g *ad.Graph) ad.Node { return ad.CumSum(ad.Exp(g.Input("x", shape...)), axis, reverse) })
			}
			one(func(g *ad.Graph) ad.Node {
				return ad.Concat(axis, g.Input("x", shape...), ad.Exp(g.Input("y", shape...)), g.Full(2, shape...))
			})
		}
		one(func(g *ad.Graph) ad.Node { return ad.SumAll(ad.Exp(g.Input("x", shape...))) })
	}
	one(func(g *ad.Graph) ad.Node {
		return ad.Where(ad.Lt(g.Input("x", 5), g.Input("y")), g.Input("x", 5), g.Const(3))
	})
	one(func(g *ad.Graph) ad.Node { return ad.Mul(g.Iota(7), g.Input("x", 7)) })
	one(func(g *ad.Graph) ad.Node { return g.Data("d", []float64{3, 1, 2}, 3) })
	movement(one)
	indexing(one)
	linear(one)
	one(func(g *ad.Graph) ad.Node { return garch(g, 5, false) })
	infinities(one)
	return out
}

func movement(one func(func(g *ad.Graph) ad.Node)) {
	wraps := []func(ad.Node) ad.Node{func(x ad.Node) ad.Node { return x }, ad.Exp}
	for _, f := range wraps {
		x := func(g *ad.Graph) ad.Node { return f(g.Input("x", 2, 3, 4)) }
		one(func(g *ad.Graph) ad.Node { return f(ad.Broadcast(x(g), []int{2, 5, 3, 4}, []int{0, 2, 3})) })
		one(func(g *ad.Graph) ad.Node { return f(ad.Broadcast(ad.Sum(x(g)), []int{3, 4, 2}, []int{2, 0, 1})) })
		one(func(g *ad.Graph) ad.Node { return f(ad.Permute(x(g), 2, 0, 1)) })
		one(func(g *ad.Graph) ad.Node { return f(ad.Reshape(x(g), 6, 4)) })
		one(func(g *ad.Graph) ad.Node { return f(ad.Reshape(x(g), 4, 6)) })
		one(func(g *ad.Graph) ad.Node { return f(ad.Reshape(ad.Permute(x(g), 1, 2, 0), 24)) })
		one(func(g *ad.Graph) ad.Node { return f(ad.Slice(x(g), []int{0, 1, 1}, []int{2, 3, 2})) })
		one(func(g *ad.Graph) ad.Node { return f(ad.Pad(x(g), []int{1, 0, 2}, []int{0, 2, 1})) })
		one(func(g *ad.Graph) ad.Node {
			y := ad.Reshape(x(g), 24)
			return ad.Add(ad.Slice(y, []int{1}, []int{24}), ad.Slice(y, []int{0}, []int{23}))
		})
		one(func(g *ad.Graph) ad.Node { // disjoint, equal and overlapping pads
			y := ad.Reshape(x(g), 24)
			a, b := ad.Slice(y, []int{0}, []int{3}), ad.Slice(y, []int{3}, []int{9})
			sum := ad.Add(ad.Pad(a, []int{1}, []int{8}), ad.Pad(f(b), []int{5}, []int{1}))
			return ad.Add(ad.Add(sum, ad.Pad(ad.Sin(a), []int{1}, []int{8})), ad.Pad(b, []int{2}, []int{4}))
		})
	}
}

func indexing(one func(func(g *ad.Graph) ad.Node)) {
	index := func(g *ad.Graph, n int) ad.Node {
		x := make([]float64, 9)
		for i := range x {
			x[i] = float64((i*i + 1) % n)
		}
		return g.Data(fmt.Sprintf("i%d", n), x, 9)
	}
	one(func(g *ad.Graph) ad.Node { return ad.Gather(g.Input("x", 5), index(g, 5)) })
	one(func(g *ad.Graph) ad.Node { return ad.Gather(ad.Exp(g.Input("x", 5, 2)), index(g, 5)) })
	one(func(g *ad.Graph) ad.Node { return ad.Gather(ad.Exp(g.Input("x", 5, 3)), index(g, 5), index(g, 3)) })
	one(func(g *ad.Graph) ad.Node { return ad.Gather(g.Input("x", 5), g.Const(3)) })
	one(func(g *ad.Graph) ad.Node {
		return ad.Gather(g.Input("x", 5), ad.Floor(ad.Mul(g.Const(5), g.Input("u", 4))))
	})
	one(func(g *ad.Graph) ad.Node { return ad.ScatterAdd([]int{5}, ad.Exp(g.Input("x", 9)), index(g, 5)) })
	one(func(g *ad.Graph) ad.Node { return ad.ScatterAdd([]int{5, 2}, g.Input("x", 9, 2), index(g, 5)) })
	one(func(g *ad.Graph) ad.Node {
		return ad.ScatterAdd([]int{5, 3}, g.Input("x", 9), index(g, 5), index(g, 3))
	})
	one(func(g *ad.Graph) ad.Node { return ad.ScatterAdd([]int{5}, g.Input("x"), g.Const(3)) })
	one(func(g *ad.Graph) ad.Node { return ad.Gather(ad.Exp(g.Input("x", 5, 2)), ad.Add(g.Iota(3), g.Const(1))) })
	one(func(g *ad.Graph) ad.Node { return ad.Gather(ad.Exp(g.Input("x", 5, 2)), ad.Add(g.Iota(5), g.Const(1))) })
	for axis, n := range []int{3, 4} {
		along := func(g *ad.Graph) ad.Node { return ad.Broadcast(g.Iota(n), []int{3, 4}, []int{axis}) }
		one(func(g *ad.Graph) ad.Node { return ad.Gather(ad.Exp(g.Input("x", 5, 2)), along(g)) })
		one(func(g *ad.Graph) ad.Node { return ad.ScatterAdd([]int{5, 2}, g.Input("x", 3, 4, 2), along(g)) })
		one(func(g *ad.Graph) ad.Node { return ad.Gather(g.Input("x", 5, 4), along(g), g.Full(2, 3, 4)) })
	}
	for _, axes := range [][]int{{0}, {1}, {0, 2}, nil} { // x[…, i] of a broadcast array, and its gradient
		one(func(g *ad.Graph) ad.Node {
			wide := []int{9, 3, 5}
			x := g.Input("x", pickShape(wide, axes)...)
			flat := ad.Reshape(ad.Broadcast(ad.Exp(x), wide, axes), 9*3*5)
			at := ad.Add(ad.Mul(g.Iota(9), g.Const(15)), index(g, 15))
			y := ad.Gather(flat, at)
			return ad.Concat(0, y, ad.Reshape(ad.Grad(ad.SumAll(ad.Sin(y)), x)[0], x.Size()))
		})
	}
}

func pickShape(shape, axes []int) []int {
	out := []int{}
	for _, a := range axes {
		out = append(out, shape[a])
	}
	return out
}

func linear(one func(func(g *ad.Graph) ad.Node)) {
	for _, ta := range []bool{false, true} {
		for _, tb := range []bool{false, true} {
			a, b := []int{2, 3}, []int{3, 4}
			if ta {
				a = []int{3, 2}
			}
			if tb {
				b = []int{4, 3}
			}
			for _, batch := range [][2][]int{{}, {{5}, {5}}, {nil, {5}}, {{5}, nil}} {
				one(func(g *ad.Graph) ad.Node {
					x, y := g.Input("x", append(batch[0], a...)...), g.Input("y", append(batch[1], b...)...)
					return ad.Sin(ad.MatMul(x, ad.Exp(y), ta, tb))
				})
			}
		}
	}
	one(func(g *ad.Graph) ad.Node {
		return ad.MatMul(ad.Permute(g.Input("x", 3, 2), 1, 0), g.Full(2, 3, 2), false, false)
	})
	one(func(g *ad.Graph) ad.Node {
		return ad.MatMul(g.Input("x", 5, 2, 3), ad.Permute(g.Input("y", 5, 4, 3), 0, 2, 1), false, false)
	})
	spd := func(g *ad.Graph) ad.Node {
		x := g.Input("x", 2, 4, 4)
		eye := g.Data("eye", []float64{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}, 4, 4)
		return ad.Add(ad.MatMul(x, x, false, true), ad.Broadcast(eye, []int{2, 4, 4}, []int{1, 2}))
	}
	one(func(g *ad.Graph) ad.Node { return ad.Cholesky(spd(g)) })
	one(func(g *ad.Graph) ad.Node { return ad.Cholesky(ad.Neg(spd(g))) })
	one(func(g *ad.Graph) ad.Node { return ad.CholeskyPull(ad.Cholesky(spd(g)), g.Input("bar", 2, 4, 4)) })
	one(func(g *ad.Graph) ad.Node { return ad.Eigen(spd(g)) })
	for _, trans := range []bool{false, true} {
		one(func(g *ad.Graph) ad.Node { return ad.TriSolve(ad.Cholesky(spd(g)), g.Input("b", 2, 4, 3), trans) })
	}
}

func infinities(one func(func(g *ad.Graph) ad.Node)) {
	inf := math.Inf(1)
	for _, row := range [][]float64{{-inf, -inf}, {inf, 0}, {-inf, 0}, {inf, -inf}, {800, 801}, {-800, 800},
		{math.NaN(), 0}} {
		one(func(g *ad.Graph) ad.Node {
			return ad.LogSumExp(ad.Add(g.Data("d", row, 2), ad.Mul(g.Const(0), g.Input("x"))), 0)
		})
	}
}
