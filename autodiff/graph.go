// Package autodiff builds densities as graphs and differentiates them by reverse accumulation.
//
//	g := New()
//	x := g.Input("x", 2)
//	y := Sum(Mul(x, x))        // Σ x²
//	dy := Grad(y, x)[0]        // a node of the same graph: 2·x
//
// A graph describes the arithmetic of one lane, that is, at one set of inputs; a device runs it for many lanes. Shapes
// are concrete. Every value is a float64 array (booleans are 0 or 1, integers are exact). A device may store values
// between an OpSingle and an OpDouble in single precision. The builder merges common subexpressions, which have equal
// kind, attributes and arguments. It folds constants, and represents every empty array by a constant. The arguments of
// an elementwise op have one shape: a scalar is combined with an array by an explicit Broadcast node.
//
// A recurrence over many steps is one op, Scan, whose step is a separate small graph. Its gradient is a Scan in the
// opposite direction.
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

// New returns an empty graph.
func New() *Graph {
	return &Graph{seen: map[string]Node{}, inputs: map[string]Node{}, iotas: map[int]Node{}}
}

// Nodes returns all nodes in order of creation. The caller must not modify the slice.
func (g *Graph) Nodes() []Node { return g.nodes }

// Inputs returns all input nodes in order of creation.
func (g *Graph) Inputs() (all []Node) {
	for _, n := range g.nodes {
		if n.is(OpInput) {
			all = append(all, n)
		}
	}
	return all
}

// HasScan reports whether the graph contains a Scan. Such a graph cannot be the step of another Scan.
func (g *Graph) HasScan() bool {
	return slices.ContainsFunc(g.nodes, func(n Node) bool { return n.is(OpScan) })
}

// Const returns a scalar constant.
func (g *Graph) Const(v float64) Node { return g.Full(v) }

// Full returns an array with v in every element.
func (g *Graph) Full(v float64, shape ...int) Node {
	return g.add(Op{Kind: OpConst, Value: v, Shape: slices.Clone(shape)}, shape)
}

// Data returns a node of known row-major values that all lanes share. It keeps the slice without copying it. Two calls
// return the same node only for the same slice.
func (g *Graph) Data(name string, values []float64, shape ...int) Node {
	return g.data(name, numbers.Of(values...), false, shape)
}

// FiniteData is like Data for values that are known to be finite, so that they need not be inspected.
func (g *Graph) FiniteData(name string, values numbers.List, shape ...int) Node {
	return g.data(name, values, true, shape)
}

func (g *Graph) data(name string, values numbers.List, finite bool, shape []int) Node {
	if values.Len() != size(shape) {
		bug("data %s has %d values for shape %v", name, values.Len(), shape)
	}
	return g.add(Op{Kind: OpData, Name: name, Values: values, Finite: finite, Shape: slices.Clone(shape)}, shape)
}

// Input returns a lane buffer. The same name always returns the same node.
func (g *Graph) Input(name string, shape ...int) Node { return g.input(name, false, shape) }

// Given returns a buffer with one copy for all lanes, which the host writes. The same name always returns the same
// node.
func (g *Graph) Given(name string, shape ...int) Node { return g.input(name, true, shape) }

func (g *Graph) input(name string, given bool, shape []int) Node {
	n, ok := g.inputs[name]
	if !ok {
		n = g.add(Op{Kind: OpInput, Name: name, Given: given, Shape: slices.Clone(shape)}, shape)
		g.inputs[name] = n
	}
	if !slices.Equal(n.Shape(), shape) {
		bug("input %s has shapes %v and %v", name, n.Shape(), shape)
	}
	if n.op.Given != given {
		bug("input %s is both a lane buffer and given to all lanes", name)
	}
	return n
}

// Iota returns 0, 1, …, n-1 as data.
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

// Normal returns standard normal noise. The same site and shape return the same node.
func (g *Graph) Normal(site int, shape ...int) Node { return g.noise("normal", site, shape) }

// Uniform returns noise that is uniform on (0, 1). The same site and shape return the same node.
func (g *Graph) Uniform(site int, shape ...int) Node { return g.noise("uniform", site, shape) }

// Common returns one number on (0, 1) that all lanes share and that changes with each step of a run. The same site
// returns the same node.
func (g *Graph) Common(site int) Node { return g.noise("common", site, nil) }

func (g *Graph) noise(distribution string, site int, shape []int) Node {
	return g.add(Op{Kind: OpNoise, Name: distribution, Site: site, Shape: slices.Clone(shape)}, shape)
}

// Addressed returns, elementwise, uniform noise on (0, 1) at an explicit address: a lane, a step and a point (package
// noise). Lanes that use the same address get the same number.
func (g *Graph) Addressed(site int, lane, step, point Node) Node {
	shape := common(OpAddressed, lane, step, point)
	return g.add(Op{Kind: OpAddressed, Site: site}, shape, fill(lane, shape), fill(step, shape), fill(point, shape))
}

// Shuffle returns, elementwise, the row at a position of an endless sequence of rows. Epoch ⌊position/rows⌋ of the
// sequence is a permutation of 0…rows−1 that depends only on the run's seed, the key and the epoch, so all lanes and
// steps see the same. Minibatches at successive positions are therefore drawn without replacement. key and position are
// integers below 2³² and 2⁵³; scalars are broadcast; 1 ≤ rows ≤ 2³². Shuffle passes no gradient. As for noise, only a
// device can compute the value.
func (g *Graph) Shuffle(rows int, key, position Node) Node {
	shape := common(OpShuffle, key, position)
	return g.add(Op{Kind: OpShuffle, Rows: rows}, shape, fill(key, shape), fill(position, shape))
}

// add returns the node with this op and these arguments, and creates it if there is none. Only add creates nodes.
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
	n.static, n.finite, n.single, n.common = isStatic(n), isFinite(n), isSingle(n), isCommon(n)
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

// isCommon reports whether n is the same on all lanes. Noise at an address and rows of an epoch are functions of their
// arguments.
func isCommon(n Node) bool {
	if n.is(OpInput) && !n.op.Given || n.is(OpNoise) && n.op.Name != "common" {
		return false
	}
	return !slices.ContainsFunc(n.args, func(a Node) bool { return !a.common })
}

// isSingle reports whether n has single precision, which passes from arguments to results.
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

// maxLookedAt is the size of the largest data array that is inspected for zeros.
const maxLookedAt = 1 << 16

// divisible reports whether n is known to have no zero element. It inspects data.
func divisible(n Node) bool {
	if v, ok := n.IsConst(); ok {
		return v != 0
	}
	return n.static && n.finite && n.Size() <= maxLookedAt && !slices.Contains(Eval(nil, n)[0], 0)
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
