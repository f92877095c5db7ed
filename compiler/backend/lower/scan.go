package lower

import (
	"fmt"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A home is the memory of a value's elements in row-major order: a buffer and the first element, which may depend on
// the iteration of a loop.
type home struct {
	buf   ir.BufID
	first int // first element, in iteration 0
	step  int
}

// at returns the index in the buffer for an offset within the value.
func (h home) at(offset ir.Index) ir.Index {
	offset.Const += h.first
	offset.Step = h.step
	return canonical(offset)
}

// An operand is an argument of a statement in memory: a stored value, and the number of the argument's first element in
// it.
type operand struct {
	value *value
	first int
}

// operand returns v as a range of rows of a value that is stored in any case, if possible; otherwise v itself.
func (p *plan) operand(v *value) operand {
	v = base(v)
	if _, ok := p.leaf(v); ok || v.kind != autodiff.OpSlice {
		return operand{v, 0}
	}
	x := p.operand(v.args[0])
	whole := v.args[0].shape
	if !p.willStore(x.value, v.size()) || !slices.Equal(v.shape[1:], whole[1:]) {
		return operand{v, 0}
	}
	return operand{x.value, x.first + v.op.Lo[0]*size(whole[1:])}
}

// willStore reports whether a value of which n elements are read is stored. A value with at most twice that number of
// elements is stored: a concatenation can be written part by part, but reading it unstored means selecting a part at
// each element; and a value over all rows shares a loop with other values.
func (p *plan) willStore(v *value, n int) bool {
	_, leaf := p.leaf(v)
	return leaf || v.call() || v.size() <= 2*n
}

// operands returns the values that a statement reads from memory. Statements other than a Loop need entire buffers.
func (p *plan) operands(v *value) []*value {
	var out []*value
	for k, a := range v.args {
		a = base(a)
		switch h, leaf := p.leaf(a); {
		case v.kind == autodiff.OpScan && (k == 0 || a.kind == autodiff.OpConst):
		case v.kind == autodiff.OpScan, p.takesParts(v):
			out = append(out, p.operand(a).value)
		case leaf && (h.first != 0 || h.step != 0 || p.prog.buffers[h.buf].Size != a.size()):
			out = append(out, p.prog.values.copied(a))
		default:
			out = append(out, a)
		}
	}
	return out
}

// takesParts reports whether v is a product of layout Apart, whose operands may be parts of larger buffers.
func (p *plan) takesParts(v *value) bool {
	return v.kind == autodiff.OpMatMul && p.prog.layout == ir.Apart
}

// part returns the memory of an argument of a product.
func (p *plan) part(v *value) (ir.BufID, ir.Part) {
	o := p.operand(v)
	h, ok := p.home(o.value)
	if !ok {
		internal("value %d of a product is not stored", o.value.id)
	}
	return h.buf, ir.Part{First: h.first + o.first, Step: h.step}
}

// inputs returns the values that v is computed from.
func (p *plan) inputs(v *value) []*value {
	switch {
	case v.kind == autodiff.OpScan:
		return append(p.operands(v), v.args[0])
	case v.call():
		return p.operands(v)
	}
	return v.args
}

// scan returns a kernel that writes the first row, and a loop in which each iteration computes a row from the previous
// one, in place.
func (p *plan) scan(v *value, t *trace) []ir.Stmt {
	loop, ok := p.loops[v]
	if !ok {
		loop = &ir.Loop{N: v.shape[0] - 1, Reverse: v.op.Reverse, Body: p.planStep(v)}
		p.loops[v] = loop
	}
	return []ir.Stmt{p.kernel([]*item{start(v)}, t), loop}
}

// start returns the item of a Scan's first row.
func start(v *value) *item { return &item{out: v, operand: v.args[0]} }

// startsAt returns the offset of a Scan's first row.
func startsAt(v *value) int {
	if v.op.Reverse {
		return (v.shape[0] - 1) * v.args[0].size()
	}
	return 0
}

// planStep returns the statements of the step of a Scan, which is planned like a separate entry. The step reads the
// previous row, the rows of the arrays that the scan runs along, and shared values from memory.
func (p *plan) planStep(v *value) []ir.Stmt {
	vs, body, n := p.prog.values, v.op.Body, v.args[0].size()
	inner := &plan{prog: p.prog, space: p.space, stored: map[*value]home{}, provided: map[*value]home{}}
	before, after := home{p.stored[v].buf, 0, n}, home{p.stored[v].buf, n, n}
	if v.op.Reverse {
		before, after = after, before
	}
	inner.provided[vs.entry(v, body.Carry, v.precision)] = before
	for k, in := range slices.Concat(body.Xs, body.Shared) {
		a := base(v.args[1+k])
		if a.kind == autodiff.OpConst {
			vs.nodes[in] = vs.constant(a.op.Value, in.Shape())
			continue
		}
		o := p.operand(a)
		h, _ := p.home(o.value)
		h.first += o.first
		if k < len(body.Xs) {
			h.step = in.Size()
		}
		inner.provided[vs.entry(v, in, a.precision)] = h
	}
	next := base(vs.inPrecision(v.precision, vs.of(body.Next)))
	if _, leaf := inner.leaf(next); leaf || !next.pointwise() && next.kind != autodiff.OpConcat {
		next = vs.copied(next)
	}
	inner.stored[next] = after
	inner.begin([]*value{next})
	return inner.lower()
}

// entry returns the value of an Input of a step.
func (vs *values) entry(v *value, in autodiff.Node, p precision) *value {
	op := autodiff.Op{Kind: autodiff.OpInput, Name: fmt.Sprintf("%s of %d", in.Op().Name, v.id), Site: 1}
	x := vs.typed(op, in.Shape(), p)
	vs.nodes[in] = x
	return x
}
