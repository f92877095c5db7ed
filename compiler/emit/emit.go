// Package emit turns a checked model with its data into graph arithmetic.
//
// A value carries two kinds of axes: bound ones, one for each index variable it depends on (so that an expression
// inside a plate is evaluated once for the whole plate), and its own. Elementwise arithmetic aligns bound axes by
// variable and own axes by index set; a comprehension turns bound axes into own ones, a subscript by an index the other
// way, mostly without moving anything. An expression's value depends on nothing but the indices it reads, so each is
// emitted once.
package emit

import (
	"fmt"
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
	"ppl/lang/diag"
)

// Node is a value in a graph.
type Node = autodiff.Node

// A value is a node with shape sizes(bound) + sizes(axes); bound is sorted by the indices' IDs.
type value struct {
	node  Node
	bound []*model.Index
	axes  []*model.Set
}

func (v value) rank() int { return len(v.bound) + len(v.axes) }

// An emitter builds one graph. Where parameters' values come from is the caller's: piece makes one when it is first
// read.
type emitter struct {
	g         *autodiff.Graph
	data      *dataset.Dataset
	steps     stepLimits
	params    map[*model.Piece]value  // pieces of parameters and of generated arrays: bound plates, own event axes
	exprs     [2]map[model.Expr]value // plain and guarded
	arrays    [2]map[*model.Array]value
	free      map[*model.Array][]*model.Index // answers of indicesOf
	solved    map[asked]*solution
	now       func(model.Expr) value          // inside a step of a solver: states and time
	enums     map[*model.Array]*model.Index   // a latent's value, as an index over its support
	occurs    map[*model.Index]occurrence     // which value of a latent an index over its support stands for
	times     map[*model.Array][]*model.Index // plates that run along a chain, as representatives
	own       map[*model.Array][]*model.Index // a latent's plates, axis by axis
	boxes     map[*model.Set]box
	piece     func(*model.Piece) value
	posterior *posterior   // records eliminations when not nil
	drawn     bool         // latents are read from inputs, as drawn
	most      bool         // latents are maximised out, not summed
	source    *thetaSource // nil when parameters are given
	series    [2]map[*model.Group]*series
	// coordinates of a parameter that a series works out; nil when parameters are given
	coordinates func(*model.Piece) value
	rows        *rowReader // of terms for the rows of a batch; else nil
	want        *[]loading // where the streams that a split reads are listed, when not nil
	mixed       *loading   // rows are places of this stream, when not nil
	outer       *emitter   // of a step of a scan: the emitter that the scan stands in
	// conditions of the branches and ragged ranges around: where one is 0, subscripts may be out of range
	guards []value
	diags  *diag.List
}

// A box is the smallest range lo..hi that holds a set, whatever outer indices are.
type box struct{ lo, hi int }

func (b box) size() int { return max(0, b.hi-b.lo+1) }

func newEmitter(g *autodiff.Graph, data *dataset.Dataset, steps stepLimits,
	diags *diag.List) *emitter {
	return &emitter{g: g, data: data, steps: steps, params: map[*model.Piece]value{},
		exprs: [2]map[model.Expr]value{{}, {}}, arrays: [2]map[*model.Array]value{{}, {}},
		free:  map[*model.Array][]*model.Index{},
		enums: map[*model.Array]*model.Index{}, occurs: map[*model.Index]occurrence{}, solved: map[asked]*solution{},
		series: [2]map[*model.Group]*series{{}, {}}, own: map[*model.Array][]*model.Index{}, boxes: map[*model.Set]box{},
		diags: diags}
}

// stop abandons an emission whose diagnostics say why; the entry points recover it.
type stop struct{}

func (e *emitter) fail(code string, x model.Expr, format string, args ...any) {
	e.diags.Errorf(code, x.Info().At, format, args...)
	panic(stop{})
}

// Recover turns a stopped emission into an ordinary return; anything else goes on panicking.
func Recover() {
	if r := recover(); r != nil {
		if _, ok := r.(stop); !ok {
			panic(r)
		}
	}
}

// box of a set.
func (e *emitter) box(s *model.Set) box {
	if b, ok := e.boxes[s]; ok {
		return b
	}
	if e.outer != nil { // bounds may read the step's index, whose every value counts
		return e.outer.box(s)
	}
	lo, hi := e.staticValues(s.Lo), e.staticValues(s.Hi)
	b := box{lo: math.MaxInt32, hi: math.MinInt32}
	for i := range max(len(lo), len(hi)) {
		b.lo = min(b.lo, toInt(lo[min(i, len(lo)-1)]))
		b.hi = max(b.hi, toInt(hi[min(i, len(hi)-1)]))
	}
	if b.hi < b.lo-1 {
		b.hi = b.lo - 1
	}
	e.boxes[s] = b
	return b
}

func toInt(v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Max(math.MinInt32, math.Min(math.MaxInt32, v)))
}

// staticValues evaluates an expression that depends on data only; of a ragged bound, at every value of the outer
// indices.
func (e *emitter) staticValues(x model.Expr) []float64 {
	if n, ok := x.(*model.Num); ok {
		return []float64{n.Value}
	}
	v := e.expr(x)
	if !v.node.Static() {
		e.fail("E48", x, "a bound here must depend on data only; `%s` does not", x.Info().At.Text())
	}
	return autodiff.Eval(nil, v.node)[0]
}

// shape of bound and own axes.
func (e *emitter) shape(bound []*model.Index, axes []*model.Set) []int {
	shape := make([]int, 0, len(bound)+len(axes))
	for _, i := range bound {
		shape = append(shape, e.box(i.Set).size())
	}
	for _, s := range axes {
		shape = append(shape, e.box(s).size())
	}
	return shape
}

// align spreads v over the given bound and own axes, which include its own.
func (e *emitter) align(v value, bound []*model.Index, axes []*model.Set) Node {
	if slices.Equal(v.bound, bound) && len(v.axes) == len(axes) && model.SameSets(v.axes, axes) {
		return v.node
	}
	to := make([]int, 0, v.rank())
	for _, i := range v.bound {
		to = append(to, slices.Index(bound, i))
	}
	inPlace := model.SameSets(v.axes, axes) // also of a square matrix, whose axes cannot be told apart
	for k, s := range v.axes {
		if !inPlace {
			k = slices.IndexFunc(axes, s.Same)
		}
		to = append(to, len(bound)+k)
	}
	return autodiff.Broadcast(v.node, e.shape(bound, axes), to)
}

// loose aligns v, but leaves a scalar a scalar: elementwise ops spread it themselves.
func (e *emitter) loose(v value, bound []*model.Index, axes []*model.Set) Node {
	if v.rank() == 0 {
		return v.node
	}
	return e.align(v, bound, axes)
}

// union of the bound axes of values, sorted.
func union(vs ...value) []*model.Index {
	var all []*model.Index
	for _, v := range vs {
		for _, i := range v.bound {
			if !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	slices.SortFunc(all, func(a, b *model.Index) int { return a.ID - b.ID })
	return all
}

// scalarAs keeps a folded scalar result of an elementwise op consistent with its axes.
func (e *emitter) full(n Node, bound []*model.Index, axes []*model.Set) value {
	shape := e.shape(bound, axes)
	if n.Rank() == 0 && len(shape) > 0 {
		n = autodiff.Broadcast(n, shape, nil)
	}
	return value{n, bound, axes}
}

// sumBound sums a value over some of its bound axes.
func sumBound(v value, over ...*model.Index) value {
	return foldBound(v, over, autodiff.Sum)
}

func foldBound(v value, over []*model.Index, fold func(Node, ...int) Node) value {
	var at []int
	var rest []*model.Index
	for k, i := range v.bound {
		if slices.Contains(over, i) {
			at = append(at, k)
		} else {
			rest = append(rest, i)
		}
	}
	if len(at) == 0 {
		return v
	}
	return value{fold(v.node, at...), rest, v.axes}
}

func bug(format string, args ...any) {
	panic("internal error: " + fmt.Sprintf(format, args...))
}
