package lower

import (
	"math"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/ir"
)

// A body writes the straight-line code of one kernel. A value is computed at coordinates over the kernel's loops, from
// its arguments at theirs, down to buffers; equal instructions are merged.
type body struct {
	plan    *plan
	extents []int
	instrs  []ir.Instr
	seen    map[string]ir.Reg // of instructions
	memo    map[string]ir.Reg // of values at coordinates
	reads   map[ir.Reg]read   // loads of stored values
	own     map[*value]bool   // stored values that this kernel itself computes point by point
	typ     ir.Type           // of what is written
	trace   *trace
}

// A trace is what writing bodies finds out.
type trace struct {
	evals  map[*value]float64         // points at which a value is computed
	users  map[*value]map[*value]bool // what computes with it; nil: a kernel's output
	demand map[*value]bool            // values that must be stored for the code to be possible
}

// A read of a stored value is pointwise when the kernel could as well compute the value where it reads it.
type read struct {
	value     *value
	pointwise bool
}

func newTrace() *trace {
	return &trace{evals: map[*value]float64{}, users: map[*value]map[*value]bool{}, demand: map[*value]bool{}}
}

func (p *plan) body(extents []int, own map[*value]bool, t *trace) *body {
	return &body{plan: p, extents: extents, seen: map[string]ir.Reg{}, memo: map[string]ir.Reg{},
		reads: map[ir.Reg]read{}, own: own, trace: t}
}

// emit returns the register of an instruction.
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

// within writes in a type from now on, until the function that it returns is called.
func (b *body) within(t ir.Type) (end func()) {
	before := b.typ
	b.typ = t
	return func() { b.typ = before }
}

// number is the value of an index as a register; whole numbers want F64.
func (b *body) number(a ir.Index) ir.Reg {
	defer b.within(ir.F64)()
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

// value is the register of v at a point.
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
		pointwise := b.here(v, at)
		if !b.own[v] {
			return b.loadStored(read{v, pointwise}, h, flatten(at, v.shape))
		}
		if !pointwise {
			internal("value %d is read away from its point in its own kernel", v.id)
		}
	}
	b.trace.evals[v] += b.points(at)
	return b.inline(v, at)
}

// points is how often a kernel computes what is at a place: once for all points where the place does not vary, since
// devices move such code out of the loops.
func (b *body) points(at []ir.Index) float64 {
	for _, c := range at {
		if canonical(c).Stride != nil || c.Dyn != nil {
			return float64(size(b.extents))
		}
	}
	return 1
}

// here reports whether at is where a kernel over v's own shape would be.
func (b *body) here(v *value, at []ir.Index) bool {
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
