// Package autodiff builds densities as graphs and differentiates them in reverse.
//
//	g := New()
//	x := g.Input("x", 2)
//	y := Sum(Mul(x, x))        // Σ x²
//	dy := Grad(y, x)[0]        // a node of the same graph: 2·x
//
// A graph describes the arithmetic of one lane. Shapes are concrete; every value is a float64 array (booleans are 0 or
// 1, integers exact), which a device may keep in single precision where the graph says so. The builder merges common
// subexpressions by kind, attributes and arguments; it folds constants, and makes a constant of every empty array. The
// arguments of an elementwise op have one shape: a scalar is combined with an array by an explicit Broadcast node.
//
// A recurrence over many steps is one op, Scan, whose step is a small graph of its own; its gradient is a Scan the
// other way.
//
// Reverse accumulation follows Griewank and Walther, Evaluating Derivatives (2008), chapter 3.
package autodiff

import (
	"math"
	"slices"

	"ppl/numbers"
)

// A Graph owns nodes.
type Graph struct {
	nodes  []Node
	seen   map[string]Node // common subexpressions by Op.key
	inputs map[string]Node
	iotas  map[int]Node
}

// New makes an empty graph.
func New() *Graph {
	return &Graph{seen: map[string]Node{}, inputs: map[string]Node{}, iotas: map[int]Node{}}
}

// Nodes in order of creation. Do not modify.
func (g *Graph) Nodes() []Node { return g.nodes }

// Inputs in order of creation.
func (g *Graph) Inputs() (all []Node) {
	for _, n := range g.nodes {
		if n.is(OpInput) {
			all = append(all, n)
		}
	}
	return all
}

// HasScan reports whether a Scan is among the nodes: such a graph cannot be the step of another.
func (g *Graph) HasScan() bool {
	return slices.ContainsFunc(g.nodes, func(n Node) bool { return n.is(OpScan) })
}

// Const returns a scalar.
func (g *Graph) Const(v float64) Node { return g.Full(v) }

// Full is v in every element.
func (g *Graph) Full(v float64, shape ...int) Node {
	return g.add(Op{Kind: OpConst, Value: v, Shape: slices.Clone(shape)}, shape)
}

// Data are known values, row-major, shared by all lanes; they are kept, not copied. Only the same slice is the same
// node.
func (g *Graph) Data(name string, values []float64, shape ...int) Node {
	return g.data(name, numbers.Of(values...), false, shape)
}

// FiniteData returns data whose values are known to be finite: they are not looked at again.
func (g *Graph) FiniteData(name string, values numbers.List, shape ...int) Node {
	return g.data(name, values, true, shape)
}

func (g *Graph) data(name string, values numbers.List, finite bool, shape []int) Node {
	if values.Len() != size(shape) {
		bug("data %s has %d values for shape %v", name, values.Len(), shape)
	}
	return g.add(Op{Kind: OpData, Name: name, Values: values, Finite: finite, Shape: slices.Clone(shape)}, shape)
}

// Input returns a lane buffer; the same name twice is the same node.
func (g *Graph) Input(name string, shape ...int) Node {
	n, ok := g.inputs[name]
	if !ok {
		n = g.add(Op{Kind: OpInput, Name: name, Shape: slices.Clone(shape)}, shape)
		g.inputs[name] = n
	}
	if !slices.Equal(n.Shape(), shape) {
		bug("input %s has shapes %v and %v", name, n.Shape(), shape)
	}
	return n
}

// Iota is 0, 1, …, n-1, as data.
func (g *Graph) Iota(n int) Node {
	if _, ok := g.iotas[n]; !ok {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i)
		}
		g.iotas[n] = g.Data("iota", values, n)
	}
	return g.iotas[n]
}

// Normal is standard normal noise; one node per site and shape.
func (g *Graph) Normal(site int, shape ...int) Node { return g.noise("normal", site, shape) }

// Uniform is noise on (0, 1); one node per site and shape.
func (g *Graph) Uniform(site int, shape ...int) Node { return g.noise("uniform", site, shape) }

// Common returns one number on (0, 1) for all lanes, another at each step of a run; one node per site.
func (g *Graph) Common(site int) Node { return g.noise("common", site, nil) }

func (g *Graph) noise(distribution string, site int, shape []int) Node {
	return g.add(Op{Kind: OpNoise, Name: distribution, Site: site, Shape: slices.Clone(shape)}, shape)
}

// Addressed is, element by element, uniform noise on (0, 1) at an address of its own: that of another lane and step,
// and of a point (package noise). Lanes that give the same address have the same number.
func (g *Graph) Addressed(site int, lane, step, point Node) Node {
	shape := common(OpAddressed, lane, step, point)
	return g.add(Op{Kind: OpAddressed, Site: site}, shape, fill(lane, shape), fill(step, shape), fill(point, shape))
}

// Shuffle is, element by element, the row at a position of an endless sequence: its epoch ⌊position/rows⌋ is a
// permutation of 0…rows−1 that depends only on the run's seed, the key and the epoch, so it is the same for all lanes
// and steps. Minibatches at successive positions are therefore drawn without replacement. Key and position are integers
// below 2³² and 2⁵³; scalars broadcast; 1 ≤ rows ≤ 2³². No gradient passes, and as with noise, only a device can
// compute the value.
func (g *Graph) Shuffle(rows int, key, position Node) Node {
	shape := common(OpShuffle, key, position)
	return g.add(Op{Kind: OpShuffle, Rows: rows}, shape, fill(key, shape), fill(position, shape))
}

// add returns the node with these parts: the one that exists, or a new one. No other function makes nodes.
func (g *Graph) add(op Op, shape []int, args ...Node) Node {
	if size(shape) == 0 && op.Kind.class() != leaf {
		return g.Full(0, shape...)
	}
	for _, a := range args {
		if a.graph != g {
			bug("%v of a node of another graph: a scan's step reads its arguments only", &op)
		}
	}
	key := op.key(ids(args))
	if n, ok := g.seen[key]; ok {
		return n
	}
	n := Node{&vertex{graph: g, id: len(g.nodes), op: &op, shape: slices.Clip(slices.Clone(shape)),
		args: slices.Clone(args)}}
	n.static, n.finite, n.single = isStatic(n), isFinite(n), isSingle(n)
	g.nodes = append(g.nodes, n)
	g.seen[key] = n
	return n
}

func isStatic(n Node) bool {
	if n.is(OpInput) || n.is(OpNoise) || n.is(OpShuffle) || n.is(OpAddressed) {
		return false
	}
	for _, a := range n.args {
		if !a.static {
			return false
		}
	}
	return true
}

// isSingle reports single precision, which passes from arguments to results.
func isSingle(n Node) bool {
	return n.is(OpSingle) || !n.is(OpDouble) && slices.ContainsFunc(n.args, Node.Single)
}

func isFinite(n Node) bool {
	op := n.op
	if op.Kind.truth() {
		return true
	}
	if !op.Kind.closed() && !(op.Kind == OpDiv && divisible(n.args[1])) || op.Kind == OpScan &&
		!op.Body.Next.finite {
		return false
	}
	for _, a := range n.args {
		if !a.finite {
			return false
		}
	}
	return finite(op.Value) && (op.Finite || op.Values.Finite())
}

// maxLookedAt is the largest array of data whose values are looked at for zeros.
const maxLookedAt = 1 << 16

// divisible reports whether n is known to have no zero element; data are inspected.
func divisible(n Node) bool {
	if v, ok := n.IsConst(); ok {
		return v != 0
	}
	return n.static && n.finite && n.Size() <= maxLookedAt && !slices.Contains(Eval(nil, n)[0], 0)
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
