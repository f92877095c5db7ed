package lower

import (
	"math"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A body writes the straight-line code of one kernel, from outputs back to buffers. A value is computed at coordinates
// over the kernel's loops, so an operation that only moves elements changes the coordinates and needs no instruction.
// For
//
//	y[i, j] = exp(a[i]) + transpose(B)[i, j]          kernel over i < N, j < M
//
// value(y, (i, j)) computes its arguments at (i, j); exp(a) depends only on i, and the transpose reads B at (j, i):
//
//	r0 = load a[i]      r1 = exp r0      r2 = load B[M·j + i]      r3 = add r1 r2      store y[M·i + j] r3
//
// Equal instructions are merged, so an expression that is read twice at the same coordinates is computed once.
type body struct {
	plan     *plan
	extents  []int
	instrs   []ir.Instr
	seen     map[string]ir.Reg // maps the key of an instruction to its register
	memo     map[string]ir.Reg // maps the key of a value and coordinates to its register
	reads    map[ir.Reg]read   // maps the register of a load to the stored value that it reads
	computed map[*value]bool   // stored values that this kernel itself computes, point by point
	written  map[*value]int    // maps a value to the number of coordinates at which it is computed
	typ      ir.Type           // type of the instructions being written
	trace    *trace
}

// A trace records facts about the code of bodies, from which plan.storeMore decides what to store.
type trace struct {
	evals  map[*value]float64         // maps a value to the number of points at which it is computed
	users  map[*value]map[*value]bool // maps a value to the values computed from it; nil means a kernel's output
	demand map[*value]bool            // values that must be stored because their users cannot be written otherwise
}

// A read is a load of a stored value. It is pointwise if the kernel could also compute the value at the point where it
// reads it.
type read struct {
	value     *value
	pointwise bool
}

func newTrace() *trace {
	return &trace{evals: map[*value]float64{}, users: map[*value]map[*value]bool{}, demand: map[*value]bool{}}
}

func (p *plan) body(extents []int, computed map[*value]bool, t *trace) *body {
	return &body{plan: p, extents: extents, seen: map[string]ir.Reg{}, memo: map[string]ir.Reg{},
		reads: map[ir.Reg]read{}, computed: computed, written: map[*value]int{}, trace: t}
}

// emit appends an instruction and returns its register; an equal instruction is reused.
func (b *body) emit(in ir.Instr) ir.Reg {
	in.Index = canonical(in.Index)
	key := []byte{byte(in.Op)}
	for _, n := range []int64{int64(in.Args[0]), int64(in.Args[1]), int64(in.Args[2]), int64(math.Float64bits(in.Imm)),
		int64(in.Axis), int64(in.Buf), int64(in.Site), int64(in.Rows), int64(in.Type)} {
		key = strconv.AppendInt(append(key, ' '), n, 36)
	}
	key = appendKey(key, in.Index)
	if r, ok := b.seen[string(key)]; ok {
		return r
	}
	b.instrs = append(b.instrs, in)
	r := ir.Reg(len(b.instrs) - 1)
	b.seen[string(key)] = r
	return r
}

func (b *body) constant(x float64) ir.Reg { return b.emit(ir.Instr{Op: ir.Const, Type: b.typ, Imm: x}) }

func (b *body) apply(op ir.Op, args ...ir.Reg) ir.Reg {
	in := ir.Instr{Op: op, Type: b.typ}
	copy(in.Args[:], args)
	return b.emit(in)
}

func (b *body) load(from home, at ir.Index) ir.Reg {
	return b.emit(ir.Instr{Op: ir.Load, Buf: from.buf, Index: from.at(at)})
}

func (b *body) loadStored(what read, from home, at ir.Index) ir.Reg {
	r := b.load(from, at)
	b.reads[r] = what
	return r
}

// inType makes b write instructions of type t until the returned function is called.
func (b *body) inType(t ir.Type) (end func()) {
	before := b.typ
	b.typ = t
	return func() { b.typ = before }
}

// number returns the register of the value of an index. It uses F64, since F32 represents integers only up to 2²⁴.
func (b *body) number(a ir.Index) ir.Reg {
	defer b.inType(ir.F64)()
	sum := b.constant(float64(a.Const))
	add := func(r ir.Reg, stride int) {
		if stride != 1 {
			r = b.apply(ir.Mul, r, b.constant(float64(stride)))
		}
		if b.instrs[sum].Op == ir.Const && b.instrs[sum].Imm == 0 {
			sum = r
			return
		}
		sum = b.apply(ir.Add, sum, r)
	}
	for k, s := range a.Stride {
		if s != 0 {
			add(b.emit(ir.Instr{Op: ir.Counter, Axis: k}), s)
		}
	}
	for _, d := range a.Dyn {
		r := b.apply(ir.Maximum, b.constant(0), b.apply(ir.Minimum, d.Reg, b.constant(float64(d.Limit-1))))
		add(r, d.Stride)
	}
	return sum
}

// value returns the register of v at coordinates; user is the value that reads it, nil for a kernel's output.
func (b *body) value(v *value, at []ir.Index, user *value) ir.Reg {
	b.use(v, user)
	key := strconv.AppendInt(nil, int64(v.id), 10)
	for _, c := range at {
		key = appendKey(key, c)
	}
	if r, ok := b.memo[string(key)]; ok {
		return r
	}
	r := b.compute(v, at)
	b.memo[string(key)] = r
	return r
}

func (b *body) use(v, user *value) {
	users := b.trace.users[v]
	if users == nil {
		users = map[*value]bool{}
		b.trace.users[v] = users
	}
	users[user] = true
}

func (b *body) compute(v *value, at []ir.Index) ir.Reg {
	if v.kind == autodiff.OpConst {
		return b.inline(v, at)
	}
	if h, ok := b.plan.leaf(v); ok {
		return b.load(h, flatten(at, v.shape))
	}
	if h, ok := b.plan.stored[v]; ok {
		pointwise := b.atOwnPoint(v, at)
		if !b.computed[v] {
			return b.loadStored(read{v, pointwise}, h, flatten(at, v.shape))
		}
		if !pointwise {
			internal("value %d is read away from its point in its own kernel", v.id)
		}
	}
	b.written[v]++
	if b.written[v] > maxWritten {
		return b.requireStored(v)
	}
	b.trace.evals[v] += b.points(at)
	return b.inline(v, at)
}

// points returns the number of times that a kernel computes a value at these coordinates. It is 1 if they do not depend
// on the point, since devices move such code out of the loops.
func (b *body) points(at []ir.Index) float64 {
	for _, c := range at {
		if canonical(c).Stride != nil || c.Dyn != nil {
			return float64(size(b.extents))
		}
	}
	return 1
}

// atOwnPoint reports whether `at` is the current point of a kernel over v's own shape.
func (b *body) atOwnPoint(v *value, at []ir.Index) bool {
	if !v.pointwise() || !sameShape(loops(v.shape), b.extents) {
		return false
	}
	for k, c := range identity(v.shape) {
		if v.shape[k] != 1 && !sameIndex(c, at[k]) {
			return false
		}
	}
	return true
}

// constantCoordinate returns the coordinate that a known index selects, if it is affine in its coordinates and stays
// below n; the index then needs no memory and no check. It applies only to layout Apart.
func (b *body) constantCoordinate(index *value, lead []ir.Index, n int) (to ir.Index, ok bool) {
	if b.plan.prog.layout != ir.Apart {
		return to, false
	}
	lo, by, ok := steps(index)
	if !ok {
		return to, false
	}
	low, high := lo, lo
	for axis, step := range by {
		to = plus(to, scale(lead[axis], step))
		last := step * (index.shape[axis] - 1)
		low, high = low+min(0, last), high+max(0, last)
	}
	return shift(to, lo), low >= 0 && high < n
}
