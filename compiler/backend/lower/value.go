package lower

import (
	"encoding/binary"
	"fmt"
	"math"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A value is an intermediate form between a node of the graph and kernels. There are fewer kinds than autodiff has (see
// rewrite.go), and equal values of all entries of the program are merged. Kinds that occur: the leaves, the elementwise
// ones, Broadcast, Permute, Reshape, Slice, Concat (a nil argument is a part of zeros), Shuffle, Gather, ScatterAdd,
// Sum, Max, Min, CumSum, MatMul, Cholesky, Eigen, TriSolve, CholeskyPull, Scan. Only leaves can be empty arrays.
type value struct {
	id     int
	kind   autodiff.Kind
	op     autodiff.Op
	shape  []int
	args   []*value
	static bool // depends only on data
	common bool // the same for all lanes
	precision
}

func (v *value) size() int { return size(v.shape) }

// values creates values and merges equal ones.
type values struct {
	layout  ir.Layout
	state   bool            // large inputs, and noise of their size, are in single precision
	singles map[string]bool // names of these inputs
	count   int
	seen    map[string]*value
	nodes   map[autodiff.Node]*value
	indices map[autodiff.Node]*value // values of index arguments
	shorts  map[string]int           // maps a shape to the axis that is written out, see recordShort
	divided map[autodiff.Node]int    // number of quotients with this divisor, not counting broadcasts
	// quotients that are compared or rounded to integers, where a rounding error could change the result
	exact map[autodiff.Node]bool
}

func newValues(l ir.Layout, single bool) *values {
	return &values{layout: l, state: single, singles: map[string]bool{}, seen: map[string]*value{},
		nodes: map[autodiff.Node]*value{}, indices: map[autodiff.Node]*value{},
		shorts:  map[string]int{},
		divided: map[autodiff.Node]int{}, exact: map[autodiff.Node]bool{}}
}

// make returns the value of an op, in the precision that follows from its arguments.
func (vs *values) make(op autodiff.Op, shape []int, args ...*value) *value {
	p := precisionOf(op.Kind, args)
	if p == single && onlyDouble(op.Kind) {
		return vs.single(vs.typed(op, shape, double, vs.convert(op.Kind, double, args)...))
	}
	return vs.typed(op, shape, p, vs.convert(op.Kind, p, args)...)
}

// typed returns the value of an op in a given precision; an equal value that exists already is reused.
func (vs *values) typed(op autodiff.Op, shape []int, p precision, args ...*value) *value {
	key := valueKey(op, shape, p, args)
	if v, ok := vs.seen[key]; ok {
		return v
	}
	v := &value{id: vs.count, kind: op.Kind, op: op, shape: shape, args: args, precision: p}
	v.static = op.Kind != autodiff.OpInput && op.Kind != autodiff.OpNoise && op.Kind != autodiff.OpShuffle &&
		op.Kind != autodiff.OpAddressed
	v.common = (op.Kind != autodiff.OpInput || op.Given) && (op.Kind != autodiff.OpNoise || op.Name == "common")
	for _, a := range args {
		v.static, v.common = v.static && (a == nil || a.static), v.common && (a == nil || a.common)
	}
	vs.count++
	vs.seen[key] = v
	return v
}

func valueKey(op autodiff.Op, shape []int, p precision, args []*value) string {
	key := binary.AppendUvarint(nil, uint64(op.Kind))
	key = append(key, byte(p))
	list := func(ns []int) {
		key = binary.AppendUvarint(key, uint64(len(ns)))
		for _, n := range ns {
			key = binary.AppendVarint(key, int64(n))
		}
	}
	list(shape)
	list(op.Axes)
	list(op.Lo)
	list(op.Hi)
	key = binary.AppendUvarint(key, math.Float64bits(op.Value))
	key = binary.AppendUvarint(key, uint64(uintptr(op.Values.Start())))
	key = binary.AppendVarint(key, int64(op.Site))
	key = binary.AppendVarint(key, int64(op.Rows))
	key = append(key, flag(op.Reverse)|flag(op.TransA)<<1|flag(op.TransB)<<2)
	key = append(binary.AppendUvarint(key, uint64(len(op.Name))), op.Name...)
	body := op.Body.Key()
	key = append(binary.AppendUvarint(key, uint64(len(body))), body...)
	for _, a := range args {
		id := -1
		if a != nil {
			id = a.id
		}
		key = binary.AppendVarint(key, int64(id))
	}
	return string(key)
}

func flag(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func (vs *values) constant(x float64, shape []int) *value {
	return vs.make(autodiff.Op{Kind: autodiff.OpConst, Value: x}, shape)
}

// apply returns an elementwise kind applied to arguments; scalars are repeated.
func (vs *values) apply(k autodiff.Kind, args ...*value) *value {
	shape := args[0].shape
	for _, a := range args {
		if len(a.shape) > 0 {
			shape = a.shape
		}
	}
	return vs.narrow(k, shape, args)
}

// broadcast repeats x. The axes of x become the given axes of the result, in increasing order.
func (vs *values) broadcast(x *value, shape, axes []int) *value {
	if len(axes) == len(shape) {
		return x
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpBroadcast, Axes: axes}, shape, x)
}

func (vs *values) reshape(x *value, shape []int) *value {
	x = base(x)
	if sameShape(x.shape, shape) {
		return x
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpReshape}, shape, x)
}

// copied returns a copy of v as a separate value, which can be stored even if v is a leaf.
func (vs *values) copied(v *value) *value {
	axes := make([]int, len(v.shape))
	for k := range axes {
		axes[k] = k
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpPermute, Axes: axes}, v.shape, v)
}

// base removes reshapes, which do not move elements of a buffer.
func base(v *value) *value {
	for v.kind == autodiff.OpReshape {
		v = v.args[0]
	}
	return v
}

func without(shape, axes []int) []int {
	drop := axisSet(axes)
	var out []int
	for k, n := range shape {
		if !drop[k] {
			out = append(out, n)
		}
	}
	return out
}

// kept returns the axes of a value of this rank that are not reduced.
func kept(rank int, axes []int) []int {
	drop := axisSet(axes)
	var out []int
	for k := range rank {
		if !drop[k] {
			out = append(out, k)
		}
	}
	return out
}

func axisSet(axes []int) map[int]bool {
	set := make(map[int]bool, len(axes))
	for _, k := range axes {
		set[k] = true
	}
	return set
}

func sameShape(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if a[k] != b[k] {
			return false
		}
	}
	return true
}

func internal(format string, args ...any) {
	panic("internal error: lower: " + fmt.Sprintf(format, args...))
}

func around(shape []int, axis int) (outer, n, inner int) {
	return size(shape[:axis]), shape[axis], size(shape[axis+1:])
}

// adjacentBefore returns the axis that a permutation x moves to the front. ok reports whether the n leading axes of x
// are adjacent in the permuted value, in the same order, and not already at its front.
func adjacentBefore(x *value, n int) (at int, ok bool) {
	if x.kind != autodiff.OpPermute || n == 0 {
		return 0, false
	}
	at = x.op.Axes[0]
	for k := range n {
		if x.op.Axes[k] != at+k {
			return 0, false
		}
	}
	return at, at > 0
}

// replaceLeading returns the axes of a permutation after its m leading axes, which are the axes from `at` of the
// source, have been replaced by n axes.
func replaceLeading(axes []int, at, m, n int) []int {
	var to []int
	for k := range n {
		to = append(to, at+k)
	}
	for _, a := range axes[m:] {
		if a > at {
			a += n - m
		}
		to = append(to, a)
	}
	return to
}

// narrowest returns the node that a broadcast repeats.
func narrowest(n autodiff.Node) autodiff.Node {
	for n.Op().Kind == autodiff.OpBroadcast || n.Op().Kind == autodiff.OpReshape {
		n = n.Args()[0]
	}
	return n
}

// sameElements reports whether a and b differ at most in shape.
func sameElements(a, b *value) bool {
	a, b = base(a), base(b)
	return a == b || a.kind == autodiff.OpConst && b.kind == autodiff.OpConst && a.size() == b.size() &&
		math.Float64bits(a.op.Value) == math.Float64bits(b.op.Value)
}
