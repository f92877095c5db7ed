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

// An emitter evaluates expressions of a model with its data as nodes of one graph, each once.
type emitter struct {
	g      *autodiff.Graph
	data   *dataset.Dataset
	steps  stepLimits
	source Source
	rows   RowView  // nil: all rows
	parent *emitter // of the evaluator of a step or of some rows: the evaluator around it
	// conditions of the branches and ragged ranges around: where one is 0, subscripts may be out of range
	guards []value
	diags  *diag.List

	// What is evaluated already; with two maps, first what is not guarded, then what is.
	exprs   [2]map[model.Expr]value
	arrays  [2]map[*model.Array]value
	series  [2]map[*model.Group]*series
	solved  map[asked]*solution
	boxes   map[*model.Set]box
	indices map[*model.Array][]*model.Index // answers of indicesOf
}

// A box is the smallest range lo..hi that holds a set, whatever outer indices are.
type box struct{ lo, hi int }

func (b box) size() int { return max(0, b.hi-b.lo+1) }

func newEmitter(g *autodiff.Graph, data *dataset.Dataset, steps stepLimits, source Source,
	diags *diag.List) *emitter {
	return &emitter{g: g, data: data, steps: steps, source: source, diags: diags,
		exprs:  [2]map[model.Expr]value{{}, {}},
		arrays: [2]map[*model.Array]value{{}, {}},
		series: [2]map[*model.Group]*series{{}, {}},
		solved: map[asked]*solution{}, boxes: map[*model.Set]box{},
		indices: map[*model.Array][]*model.Index{}}
}

// step is an evaluator inside e: of a step of a scan or a solver, in a graph of its own, or of some rows.
func (e *emitter) step(g *autodiff.Graph, source Source) *emitter {
	step := newEmitter(g, e.data, e.steps, source, e.diags)
	step.parent = e
	return step
}

// A stopped is the panic value that ends evaluation after an error was reported; whoever gave the list of diagnostics
// recovers it. Of a model that was validated nothing can be refused: then it is an internal error.
type stopped struct{ reported []diag.Diagnostic }

func (s stopped) Error() string {
	return "internal error: refused after validation: " + s.reported[len(s.reported)-1].Message
}

// stop ends evaluation once its reason is in e's diagnostics.
func (e *emitter) stop(diag.Entry) { panic(stopped{e.diags.All()}) }

// fail reports an error in an expression, and stops.
func (e *emitter) fail(code string, x model.Expr, format string, args ...any) {
	e.stop(e.diags.Errorf(code, x.Info().At, format, args...))
}

// Recover turns a stopped evaluation into an ordinary return; anything else goes on panicking.
func Recover() {
	if r := recover(); r != nil {
		if _, ok := r.(stopped); !ok {
			panic(r)
		}
	}
}

// box of a set.
func (e *emitter) box(s *model.Set) box {
	if b, ok := e.boxes[s]; ok {
		return b
	}
	if e.parent != nil { // bounds may read the step's index, whose every value counts
		return e.parent.box(s)
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
