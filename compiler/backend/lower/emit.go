package lower

import (
	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// kernel returns one loop nest for items over the same iteration space.
func (p *plan) kernel(items []*item, t *trace) *ir.Kernel {
	computed := map[*value]bool{}
	for _, it := range items {
		if it.out.pointwise() {
			computed[it.out] = true
		}
	}
	b := p.body(loops(items[0].operand.shape), computed, t)
	k := &ir.Kernel{Extents: b.extents}
	for _, it := range items {
		k.Out = append(k.Out, b.output(it))
	}
	k.Body = b.instrs
	return k
}

// output computes an item's operand and describes where it is written.
func (b *body) output(it *item) ir.Output {
	v, at := it.out, identity(it.operand.shape)
	to := b.plan.stored[v]
	out := ir.Output{Buf: to.buf, Value: b.operand(it, at)}
	switch v.kind {
	case autodiff.OpSum, autodiff.OpMax, autodiff.OpMin:
		out.Combine = reductions[v.kind].combine
		out.Index = flatten(pick(at, kept(len(at), v.op.Axes)), v.shape)
	case autodiff.OpScatterAdd:
		out.Combine = ir.Sum
		out.Index = flatten(b.chosen(v, at, v.shape), v.shape)
	case autodiff.OpConcat:
		out.Index = partIndex(v, it, at)
	case autodiff.OpScan:
		out.Index = shift(flatten(at, it.operand.shape), startsAt(v))
	default:
		out.Index = flatten(at, v.shape)
	}
	out.Index = to.at(out.Index)
	return out
}

// operand returns the register of the value that an item stores. If the item's result is itself that value, it is
// computed here and not loaded.
func (b *body) operand(it *item, at []ir.Index) ir.Reg {
	b.use(it.operand, nil)
	if it.operand == it.out {
		return b.inline(it.out, at)
	}
	return b.value(it.operand, at, nil)
}

// needs lists the stored values that an output is computed from.
func (b *body) needs(out ir.Output) []read {
	var needs []read
	seen := make([]bool, len(b.instrs))
	var visit func(r ir.Reg)
	visitIndex := func(x ir.Index) {
		for _, d := range x.Dyn {
			visit(d.Reg)
		}
	}
	visit = func(r ir.Reg) {
		if seen[r] {
			return
		}
		seen[r] = true
		if n, ok := b.reads[r]; ok {
			needs = append(needs, n)
		}
		in := b.instrs[r]
		for k := range in.Op.Arity() {
			visit(in.Args[k])
		}
		visitIndex(in.Index)
	}
	visit(out.Value)
	visitIndex(out.Index)
	return needs
}

// partIndex returns the index at which a part of a concatenation is written.
func partIndex(v *value, it *item, at []ir.Index) ir.Index {
	axis := v.op.Axes[0]
	if axis == 0 {
		return shift(flatten(at, it.operand.shape), it.part.lo*size(v.shape[1:]))
	}
	at[axis] = shift(at[axis], it.part.lo)
	return flatten(at, v.shape)
}

func pick(at []ir.Index, axes []int) []ir.Index {
	out := make([]ir.Index, len(axes))
	for k, a := range axes {
		out[k] = at[a]
	}
	return out
}

// call returns the statements of a value that a kernel cannot compute.
func (p *plan) call(v *value, t *trace) []ir.Stmt {
	if v.kind == autodiff.OpScan {
		return p.scan(v, t)
	}
	return []ir.Stmt{p.linear(v)}
}

// linear returns a linear-algebra statement on entire buffers or parts of them.
func (p *plan) linear(v *value) ir.Stmt {
	if p.takesParts(v) {
		s := matMul(v, 0, 0, p.stored[v].buf)
		s.A, s.PartA = p.part(v.args[0])
		s.B, s.PartB = p.part(v.args[1])
		return s
	}
	out, args := p.stored[v].buf, p.operands(v)
	arg := func(k int) ir.BufID {
		h, ok := p.home(args[k])
		if !ok {
			internal("argument %d of value %d is not stored", k, v.id)
		}
		return h.buf
	}
	switch v.kind {
	case autodiff.OpMatMul:
		return matMul(v, arg(0), arg(1), out)
	case autodiff.OpCumSum:
		outer, n, inner := around(v.shape, v.op.Axes[0])
		return &ir.CumSum{In: arg(0), Out: out, Outer: outer, N: n, Inner: inner, Reverse: v.op.Reverse}
	case autodiff.OpCholesky:
		batch, n, _ := matrices(v.shape)
		return &ir.Cholesky{In: arg(0), Out: out, Batch: batch, N: n}
	case autodiff.OpEigen:
		batch, _, n := matrices(v.shape)
		return &ir.Eigen{In: arg(0), Out: out, Batch: batch, N: n}
	case autodiff.OpTriSolve:
		batch, n, m := matrices(v.shape)
		return &ir.TriSolve{L: arg(0), B: arg(1), Out: out, Batch: batch, N: n, M: m, Trans: v.op.TransA}
	case autodiff.OpCholeskyPull:
		batch, n, _ := matrices(v.shape)
		return &ir.CholeskyPull{L: arg(0), Bar: arg(1), Out: out, Batch: batch, N: n}
	}
	internal("kind %d is not a statement", v.kind)
	return nil
}

func matMul(v *value, a, b, c ir.BufID) *ir.MatMul {
	batch, m, n := matrices(v.shape)
	x, y := v.args[0], v.args[1]
	_, k, kT := matrices(x.shape)
	if !v.op.TransA {
		k = kT
	}
	return &ir.MatMul{A: a, B: b, C: c, Batch: batch, M: m, K: k, N: n, TransA: v.op.TransA, TransB: v.op.TransB,
		SharedA: len(x.shape) < len(v.shape), SharedB: len(y.shape) < len(v.shape)}
}

func matrices(shape []int) (batch, rows, cols int) {
	n := len(shape)
	return size(shape[:n-2]), shape[n-2], shape[n-1]
}
