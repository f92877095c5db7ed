// Package evaluate translates the expressions of a model with its data into nodes of a graph.
//
//	x[i] * b + a[g[i]]    value: a node of shape [N], with the bound axis i and no axes of its own
//	sum(x)                value: a node without axes
//
// A value has two kinds of axes: bound axes, one for each index variable that it depends on (so that an expression
// inside a plate is evaluated once for the entire plate), and own axes. Elementwise arithmetic aligns bound axes by
// index variable and own axes by index set. A comprehension converts bound axes into own axes, and a subscript by an
// index does the reverse, mostly without moving any element. The value of an expression depends only on the indices
// that it reads, so each expression is evaluated once. Values that have no formula in the model come from a Source; a
// RowView restricts evaluation to some rows.
package evaluate

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
)

// Node is a value in a graph.
type Node = autodiff.Node

// A Value is a node with shape sizes(bound) + sizes(axes); bound is sorted by the indices' IDs.
type Value struct {
	Node  Node
	Bound []*model.Index
	Axes  []*model.Set
}

// Rank returns the number of axes of a value's node.
func (v Value) Rank() int { return len(v.Bound) + len(v.Axes) }

// An Evaluator evaluates expressions of a model with its data as nodes of one graph, each expression once.
type Evaluator struct {
	Graph  *autodiff.Graph
	Data   *dataset.Dataset
	steps  StepLimits
	Source Source
	Rows   RowView    // the rows that are evaluated; nil means all
	parent *Evaluator // evaluator that created this one for a step or for some rows, or nil
	// conditions of the surrounding branches and ragged ranges: where one is 0, subscripts may be out of range
	Guards []Value
	Diags  *diag.List
	// noise for values that training changes at random; nil: no value is changed
	Noise *Noise

	// Results of earlier evaluations. Of two maps, the first is for evaluation without guards, the second for that with
	// guards.
	exprs   [2]map[model.Expr]Value
	arrays  [2]map[*model.Array]Value
	series  [2]map[*model.Group]*Series
	solved  map[Query]*solution
	boxes   map[*model.Set]Box
	indices map[*model.Array][]*model.Index // results of IndicesOf
}

// A Box is the smallest range lo..hi that contains a set for all values of outer indices.
type Box struct{ Lo, Hi int }

// Size returns the number of elements of a box.
func (b Box) Size() int { return max(0, b.Hi-b.Lo+1) }

// New returns an evaluator for a model with its data. Errors that data cause are added to diags.
func New(g *autodiff.Graph, data *dataset.Dataset, steps StepLimits, source Source,
	diags *diag.List) *Evaluator {
	return &Evaluator{Graph: g, Data: data, steps: steps, Source: source, Diags: diags,
		exprs:  [2]map[model.Expr]Value{{}, {}},
		arrays: [2]map[*model.Array]Value{{}, {}},
		series: [2]map[*model.Group]*Series{{}, {}},
		solved: map[Query]*solution{}, boxes: map[*model.Set]Box{},
		indices: map[*model.Array][]*model.Index{}}
}

// Inside returns an evaluator inside e, either for a step of a scan or a solver, which has a separate graph, or for
// some rows.
func (e *Evaluator) Inside(g *autodiff.Graph, source Source) *Evaluator {
	step := New(g, e.Data, e.steps, source, e.Diags)
	step.parent = e
	if g == e.Graph {
		step.Noise = e.Noise
	}
	return step
}

// A stopped value is the panic value that ends evaluation after an error was reported. The caller that supplied the
// list of diagnostics recovers it. A validated model cannot cause errors; then it is an internal error.
type stopped struct{ reported []diag.Diagnostic }

func (s stopped) Error() string {
	return "internal error: refused after validation: " + s.reported[len(s.reported)-1].Message
}

// Stop ends evaluation after an error was added to e's diagnostics.
func (e *Evaluator) Stop(diag.Entry) { panic(stopped{e.Diags.All()}) }

// Fail reports an error in an expression, and ends evaluation.
func (e *Evaluator) Fail(code diag.Code, x model.Expr, format string, args ...any) {
	e.Stop(e.Diags.Errorf(code, x.Info().At, format, args...))
}

// Recover ends a stopped evaluation normally; any other panic continues.
func Recover() {
	if r := recover(); r != nil {
		if _, ok := r.(stopped); !ok {
			panic(r)
		}
	}
}

// Box returns the range of a set.
func (e *Evaluator) Box(s *model.Set) Box {
	if b, ok := e.boxes[s]; ok {
		return b
	}
	if e.parent != nil { // bounds may read the step's index; the box must cover all its values
		return e.parent.Box(s)
	}
	lo, hi := e.ends(s.Lo, s.Ragged), e.ends(s.Hi, s.Ragged)
	b := Box{Lo: math.MaxInt32, Hi: math.MinInt32}
	for i := range max(len(lo), len(hi)) {
		b.Lo = min(b.Lo, ToInt(lo[min(i, len(lo)-1)]))
		b.Hi = max(b.Hi, ToInt(hi[min(i, len(hi)-1)]))
	}
	if b.Hi < b.Lo-1 {
		b.Hi = b.Lo - 1
	}
	e.refuseLong(s, b)
	e.boxes[s] = b
	return b
}

// bytesOfElement is the memory for an element of an index set while a model is compiled: four numbers, for its index,
// the value of an array there, and intermediate results.
const bytesOfElement = 4 * 8

// refuseLong reports an error for an index set with too many elements for the memory. Rows that remain in their file
// need none.
func (e *Evaluator) refuseLong(s *model.Set, b Box) {
	if e.Data.Memory == 0 || int64(b.Size()) <= e.Data.Memory/bytesOfElement || e.Data.HasStreamOf(b.Size()) {
		return
	}
	e.Stop(e.Diags.Errorf(diag.TooManyElements, s.Hi.Info().At, "`%s` has %d elements, which take at least %.3g GB; "+
		"%.3g GB of memory are available", s.Name, b.Size(), float64(b.Size())*bytesOfElement/1e9,
		float64(e.Data.Memory)/1e9).Help("check whether a size is in fact a code or an identifier; " +
		"--max-memory SIZE sets the available memory"))
}

// ends returns the values of an end of a range, which must be integers. The end of a ragged range may be NaN for values
// of the outer indices at which the range is not used.
func (e *Evaluator) ends(x model.Expr, ragged []*model.Index) []float64 {
	values := e.StaticValues(x)
	for _, v := range values {
		switch {
		case math.IsNaN(v) && len(values) > 1:
		case v != math.Trunc(v):
			d := e.Diags.Errorf(diag.WrongKind, x.Info().At, "an end of a range must be a whole number, but "+
				"`%s` is %g", x.Info().At.Text(), v)
			if !math.IsNaN(v) {
				d.Help("round it: `floor(%s)`", x.Info().At.Text())
			}
			e.Stop(d)
		case math.Abs(v) > math.MaxInt32 && len(values) == 1:
			e.Stop(e.Diags.Errorf(diag.TooManyElements, x.Info().At,
				"the ends of a range must be between -2147483647 and 2147483647, but `%s` is %g",
				x.Info().At.Text(), v).
				Help("if these are codes of groups, declare the array `index(J)`; then only codes that occur are " +
					"counted"))
		}
	}
	return values
}

// ToInt returns an integer of the data as an int. NaN becomes 0, and numbers beyond 32 bits are clamped.
func ToInt(v float64) int {
	if math.IsNaN(v) {
		return 0
	}
	return int(math.Max(math.MinInt32, math.Min(math.MaxInt32, v)))
}

// StaticValues evaluates an expression that depends on data only. The bound of a ragged range has a value for every
// value of the outer indices.
func (e *Evaluator) StaticValues(x model.Expr) []float64 {
	if n, ok := x.(*model.Num); ok {
		return []float64{n.Value}
	}
	v := e.Expr(x)
	if !v.Node.Static() {
		e.Fail(diag.ParameterBound, x, "a bound here must depend on data only; `%s` does not", x.Info().At.Text())
	}
	return autodiff.Eval(nil, v.Node)[0]
}

// mostPoints is the largest number of elements of an array that a statement computes.
const mostPoints = 1 << 33

// count returns the number of elements of a shape as a float64, since it may overflow an int.
func count(shape []int) float64 {
	n := 1.0
	for _, k := range shape {
		n *= float64(k)
	}
	return n
}

// tooMany reports an error for an array with too many elements.
func (e *Evaluator) tooMany(points float64, bound []*model.Index, axes []*model.Set) {
	var names []string
	at := source.Span{}
	for _, i := range bound {
		names, at = append(names, i.Set.Name), i.Set.Hi.Info().At
	}
	for _, s := range axes {
		names, at = append(names, s.Name), s.Hi.Info().At
	}
	e.Stop(e.Diags.Errorf(diag.TooManyElements, at, "an array over %s would have %.3g elements, more than the limit "+
		"of %.3g", strings.Join(names, " × "), points, float64(mostPoints)))
}

// Shape returns the sizes of bound and own axes. It reports an error if their product is too large.
func (e *Evaluator) Shape(bound []*model.Index, axes []*model.Set) []int {
	shape := make([]int, 0, len(bound)+len(axes))
	for _, i := range bound {
		shape = append(shape, e.Box(i.Set).Size())
	}
	for _, s := range axes {
		shape = append(shape, e.Box(s).Size())
	}
	if points := count(shape); points > mostPoints {
		e.tooMany(points, bound, axes)
	}
	return shape
}

// Align broadcasts v over the given bound and own axes, which include those of v.
func (e *Evaluator) Align(v Value, bound []*model.Index, axes []*model.Set) Node {
	if slices.Equal(v.Bound, bound) && len(v.Axes) == len(axes) && model.SameSets(v.Axes, axes) {
		return v.Node
	}
	to := make([]int, 0, v.Rank())
	for _, i := range v.Bound {
		to = append(to, slices.Index(bound, i))
	}
	// the axes of a square matrix cannot be distinguished, so equal lists are matched by position
	inPlace := model.SameSets(v.Axes, axes)
	for k, s := range v.Axes {
		if !inPlace {
			k = slices.IndexFunc(axes, s.Same)
		}
		to = append(to, len(bound)+k)
	}
	return autodiff.Broadcast(v.Node, e.Shape(bound, axes), to)
}

// AlignLoosely aligns v, but returns scalars unchanged, since elementwise ops broadcast them.
func (e *Evaluator) AlignLoosely(v Value, bound []*model.Index, axes []*model.Set) Node {
	if v.Rank() == 0 {
		return v.Node
	}
	return e.Align(v, bound, axes)
}

// Union returns the union of the bound axes of values, sorted.
func Union(vs ...Value) []*model.Index {
	var all []*model.Index
	for _, v := range vs {
		for _, i := range v.Bound {
			if !slices.Contains(all, i) {
				all = append(all, i)
			}
		}
	}
	slices.SortFunc(all, func(a, b *model.Index) int { return a.ID - b.ID })
	return all
}

// Full returns n as a value with the given axes. A scalar is broadcast over them.
func (e *Evaluator) Full(n Node, bound []*model.Index, axes []*model.Set) Value {
	shape := e.Shape(bound, axes)
	if n.Rank() == 0 && len(shape) > 0 {
		n = autodiff.Broadcast(n, shape, nil)
	}
	return Value{n, bound, axes}
}

// SumBound sums a value over some of its bound axes.
func SumBound(v Value, over ...*model.Index) Value {
	return FoldBound(v, over, autodiff.Sum)
}

// FoldBound reduces a value by fold (a sum, a maximum) over some of its bound axes.
func FoldBound(v Value, over []*model.Index, fold func(Node, ...int) Node) Value {
	var at []int
	var rest []*model.Index
	for k, i := range v.Bound {
		if slices.Contains(over, i) {
			at = append(at, k)
		} else {
			rest = append(rest, i)
		}
	}
	if len(at) == 0 {
		return v
	}
	return Value{fold(v.Node, at...), rest, v.Axes}
}

// InternalErrorf panics with an internal error; it reports a state that the compiler should have excluded.
func InternalErrorf(format string, args ...any) {
	panic("internal error: " + fmt.Sprintf(format, args...))
}

// Product returns the product of integers, 1 for an empty list.
func Product(ns []int) int {
	p := 1
	for _, n := range ns {
		p *= n
	}
	return p
}

// ShapeOfAxes returns the sizes of a value's own axes.
func (v Value) ShapeOfAxes() []int { return v.Node.Shape()[len(v.Bound):] }

// Sorted permutes bound axes into the order of their indices.
func (v Value) Sorted() Value {
	perm := make([]int, v.Rank())
	for k := range perm {
		perm[k] = k
	}
	slices.SortStableFunc(perm[:len(v.Bound)], func(a, b int) int { return v.Bound[a].ID - v.Bound[b].ID })
	bound := make([]*model.Index, len(v.Bound))
	for k := range bound {
		bound[k] = v.Bound[perm[k]]
	}
	return Value{autodiff.Permute(v.Node, perm...), bound, v.Axes}
}

// Sum adds values over the union of their bound axes.
func (e *Evaluator) Sum(parts []Value) Value {
	bound := Union(parts...)
	var sum Node
	for i, p := range parts {
		n := e.Align(p, bound, nil)
		if i == 0 {
			sum = n
		} else {
			sum = autodiff.Add(sum, n)
		}
	}
	return Value{sum, bound, nil}
}

// Arranged broadcasts v over indices in the given order.
func (e *Evaluator) Arranged(v Value, order []*model.Index) Node {
	to := make([]int, len(v.Bound))
	for k, i := range v.Bound {
		to[k] = slices.Index(order, i)
	}
	return autodiff.Broadcast(v.Node, e.Shape(order, nil), to)
}
