package lower_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
)

// A garden makes random graphs of moderate values with valid shapes, over all kinds of op except noise.
type garden struct {
	r     *rand.Rand
	g     *ad.Graph
	nodes []ad.Node
	inner bool // within a scan
}

func (s *garden) pick() ad.Node { return s.nodes[s.r.IntN(len(s.nodes))] }

// shaped returns a node of a shape: an existing one, or one broadcast to the shape.
func (s *garden) shaped(shape []int) ad.Node {
	for range 20 {
		if n := s.pick(); fmt.Sprint(n.Shape()) == fmt.Sprint(shape) {
			return n
		}
	}
	for range 20 {
		if n := s.pick(); n.Rank() == 1 && len(shape) > 0 && n.Size() == shape[len(shape)-1] {
			return ad.Broadcast(n, shape, []int{len(shape) - 1})
		}
	}
	return ad.Add(ad.Broadcast(s.scalar(), shape, nil), s.g.Full(0.1, shape...))
}

func (s *garden) scalar() ad.Node {
	n := s.pick()
	if n.Rank() > 0 {
		n = ad.Mul(ad.SumAll(n), s.g.Const(1/float64(n.Size()+1)))
	}
	return n
}

func (s *garden) ints(n, below int) ad.Node {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(s.r.IntN(below))
	}
	return s.g.Data("index", x, n)
}

func plantGarden(seed uint64, inputs int) *garden {
	s := &garden{r: source(seed), g: ad.New()}
	shapes := [][]int{{}, {3}, {12}, {3, 4}, {7, 3}, {2, 3, 4}, {1, 5}, {40}, {3, 3}}
	for k := range inputs {
		s.nodes = append(s.nodes, s.g.Input(fmt.Sprintf("x%d", k), shapes[s.r.IntN(len(shapes))]...))
	}
	for range 3 {
		shape := shapes[s.r.IntN(len(shapes))]
		x := make([]float64, sizeOf(shape))
		for i := range x {
			x[i] = s.r.NormFloat64()
		}
		s.nodes = append(s.nodes, s.g.Data("d", x, shape...))
	}
	return s
}

func sizeOf(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func (s *garden) grow() {
	x := s.pick()
	if n := s.sprout(x); n.Valid() && n.Size() < 400 && n.Rank() < 5 {
		s.nodes = append(s.nodes, n)
	}
}

// sprout applies a random op to x.
func (s *garden) sprout(x ad.Node) ad.Node {
	axis := 0
	if x.Rank() > 0 {
		axis = s.r.IntN(x.Rank())
	}
	tame := []func(ad.Node) ad.Node{ad.Sin, ad.Tanh, ad.Sigmoid, ad.Cos, ad.Atan, ad.Erf, ad.Neg,
		func(x ad.Node) ad.Node { return ad.Exp(ad.Sin(x)) },
		func(x ad.Node) ad.Node { return ad.Sqrt(ad.Add(ad.Mul(x, x), s.g.Const(1))) }}
	switch k := s.r.IntN(22); {
	case k < 4:
		return tame[s.r.IntN(len(tame))](x)
	case k < 7:
		f := []func(a, b ad.Node) ad.Node{ad.Add, ad.Sub, ad.Mul, ad.Maximum, ad.MulZero}[s.r.IntN(5)]
		return f(ad.Tanh(x), s.shaped(x.Shape()))
	case k < 8:
		return f2(s, x)
	case k < 9:
		return ad.Where(ad.Lt(x, s.scalar()), s.shaped(x.Shape()), s.scalar())
	}
	if x.Rank() == 0 {
		return ad.Broadcast(x, []int{[]int{3, 12, 40}[s.r.IntN(3)]}, nil)
	}
	return s.arrange(x, axis)
}

func f2(s *garden, x ad.Node) ad.Node {
	return ad.Div(x, ad.Add(ad.Exp(ad.Sin(s.scalar())), s.g.Const(1)))
}

// arrange applies a random op that moves elements of an array.
func (s *garden) arrange(x ad.Node, axis int) ad.Node {
	n := x.Shape()[axis]
	switch s.r.IntN(16) {
	case 14, 15:
		return s.scan(x)
	case 0:
		return ad.Permute(x, s.r.Perm(x.Rank())...)
	case 1:
		return ad.Reshape(x, x.Size())
	case 2:
		return ad.Reshape(x, n, x.Size()/n)
	case 3:
		lo, hi := make([]int, x.Rank()), append([]int(nil), x.Shape()...)
		lo[axis] = s.r.IntN(n)
		return ad.Slice(x, lo, hi)
	case 4:
		before, after := make([]int, x.Rank()), make([]int, x.Rank())
		before[axis], after[s.r.IntN(x.Rank())] = s.r.IntN(3), s.r.IntN(3)
		return ad.Pad(x, before, after)
	case 5:
		return ad.Concat(axis, x, s.shaped(x.Shape()), ad.Sin(x))
	case 6:
		return ad.Gather(x, s.ints(5, x.Shape()[0]))
	case 7:
		return ad.ScatterAdd(append([]int{4}, x.Shape()[1:]...), x, s.ints(x.Shape()[0], 4))
	case 8, 9:
		f := []func(ad.Node, ...int) ad.Node{ad.Sum, ad.Max, ad.Min, ad.LogSumExp}[s.r.IntN(4)]
		return ad.Tanh(f(x, axis))
	case 10:
		return ad.Sin(ad.CumSum(x, axis, s.r.IntN(2) == 0))
	case 11:
		return ad.Broadcast(x, append([]int{3}, x.Shape()...), axesFrom(1, x.Rank()))
	default:
		return s.linear(x)
	}
}

// scan adds a Scan along x with a random step.
func (s *garden) scan(x ad.Node) ad.Node {
	if s.inner {
		return ad.Node{}
	}
	init := ad.Tanh(s.shaped([][]int{{}, {3}, {3, 4}}[s.r.IntN(3)]))
	return ad.Scan(init, []ad.Node{x}, []ad.Node{s.pick()}, s.r.IntN(2) == 0,
		func(c ad.Node, xs, shared []ad.Node) ad.Node {
			in := &garden{r: s.r, g: c.Graph(), nodes: []ad.Node{c, xs[0], shared[0]}, inner: true}
			for range 8 {
				in.grow()
			}
			out := in.nodes[len(in.nodes)-1]
			mean := ad.Mul(ad.SumAll(out), in.g.Const(1/float64(out.Size())))
			return ad.Tanh(ad.Add(ad.Mul(in.shaped(c.Shape()), in.g.Const(.5)), mean))
		})
}

func axesFrom(first, n int) []int {
	out := make([]int, n)
	for k := range out {
		out[k] = first + k
	}
	return out
}

// linear multiplies x with itself, factors the product, or solves with the factor.
func (s *garden) linear(x ad.Node) ad.Node {
	if x.Rank() < 2 {
		x = ad.Reshape(x, x.Size(), 1)
	}
	x = ad.Tanh(x)
	rows := x.Shape()[x.Rank()-2]
	square := ad.MatMul(x, x, false, true)
	if s.r.IntN(2) == 0 || rows > 7 {
		return ad.Sin(square)
	}
	eye := make([]float64, rows*rows)
	for i := range rows {
		eye[i*rows+i] = 2
	}
	l := ad.Cholesky(ad.Add(square, ad.Broadcast(s.g.Data("eye", eye, rows, rows), square.Shape(),
		axesFrom(x.Rank()-2, 2))))
	if s.r.IntN(2) == 0 {
		return l
	}
	return ad.TriSolve(l, x, s.r.IntN(2) == 0)
}

// TestRandomGraphs lowers random graphs and the gradient of a scalar of them.
func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(150) {
		s := plantGarden(seed, 4)
		for range 30 {
			s.grow()
		}
		outs := s.nodes[len(s.nodes)-4:]
		loss := s.g.Const(0)
		for _, n := range outs {
			// means are hardly affected by rounding
			loss = ad.Add(loss, ad.Sin(ad.Mul(ad.SumAll(n), s.g.Const(1/float64(n.Size())))))
		}
		outs = append(outs, ad.Grad(loss, s.nodes[:4]...)...)
		t.Run(fmt.Sprint(seed), func(t *testing.T) { check(t, s.r, append(outs, loss)...) })
	}
}

// TestRandomState runs entries repeatedly that assign to buffers they read, and compares the buffers with Eval and a
// simultaneous assignment.
func TestRandomState(t *testing.T) {
	for seed := range uint64(150) {
		s := plantGarden(1000+seed, 5)
		for range 15 {
			s.grow()
		}
		entry := lower.Entry{Name: "step"}
		start := map[string][]float64{}
		for k, n := range s.nodes[:5] {
			v := ad.Sin(s.shaped(n.Shape()))
			if s.r.IntN(2) == 0 {
				v = s.shaped(n.Shape()) // often another input, unchanged
			}
			entry.Assign = append(entry.Assign, lower.Assign{Name: fmt.Sprintf("x%d", k), Value: v})
			start[fmt.Sprintf("x%d", k)] = normals(s.r, n.Size())
		}
		t.Run(fmt.Sprint(seed), func(t *testing.T) { checkSteps(t, entry, start, 3) })
	}
}

func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// checkSteps runs an entry several times from given contents of the buffers, on the reference device and on the host,
// and compares the buffers with Eval.
func checkSteps(t *testing.T, e lower.Entry, start map[string][]float64, steps int) {
	t.Helper()
	for _, l := range []ir.Layout{ir.Interleaved, ir.Apart} {
		checkStepsIn(t, l, e, start, steps)
	}
}

func checkStepsIn(t *testing.T, l ir.Layout, e lower.Entry, start map[string][]float64, steps int) {
	t.Helper()
	p := programIn(t, l, e)
	r, x := reference(t, p), load(t, p, 1)
	set(r, 0, start)
	set(x, 0, start)
	now := maps.Clone(start)
	nodes := make([]ad.Node, len(e.Assign))
	for k, a := range e.Assign {
		nodes[k] = a.Value
	}
	for step := range steps {
		values := ad.Eval(now, nodes...)
		run(t, r, e.Name)
		run(t, x, e.Name)
		for k, a := range e.Assign {
			now[a.Name] = values[k]
			same(t, fmt.Sprintf("reference: step %d: %s", step, a.Name), laneOf(r, a.Name, 0), values[k])
			got := make([]float64, len(values[k]))
			x.GetLane(a.Name, 0, got)
			same(t, fmt.Sprintf("host: step %d: %s", step, a.Name), got, values[k])
		}
	}
}
