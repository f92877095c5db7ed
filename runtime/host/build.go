package host

import (
	"fmt"
	"slices"

	"ppl/compiler/backend/ir"
)

// value returns the register for an ir register. The ir register is computed at the first request, so that unused
// values are never computed.
func (k *kernelCode) value(r ir.Reg) int {
	if k.of[r] < 0 {
		k.of[r] = k.instr(&k.in.Body[r])
	}
	return k.of[r]
}

func (k *kernelCode) instr(in *ir.Instr) int {
	switch in.Op {
	case ir.Const:
		return k.constant(in.Imm)
	case ir.Counter:
		return k.counter(in)
	case ir.Load:
		return k.load(in)
	case ir.Normal, ir.Uniform:
		dst := k.register(k.both, false)
		return k.task(&random{dst: dst, shape: k.both, site: uint32(in.Site), first: in.Index,
			normal: in.Op == ir.Normal, single: in.Type == ir.F32}, dst)
	case ir.Common:
		dst := k.register(0, false)
		return k.task(&common{dst: dst, site: uint32(in.Site)}, dst)
	}
	return k.arithmetic(in)
}

// arithmetic widens the arguments to the shape of their union and applies the op's loop.
func (k *kernelCode) arithmetic(in *ir.Instr) int {
	var args [3]int
	var s shape
	n := in.Op.Arity()
	for i := range n {
		args[i] = k.value(in.Args[i])
		s |= k.regs[args[i]].shape
	}
	dataOnly := true
	for i := range n {
		args[i] = k.widen(args[i], s)
		dataOnly = dataOnly && k.regs[args[i]].dataOnly
	}
	dst := k.register(s, dataOnly)
	if in.Op == ir.Addressed {
		return k.task(&addressed{dst, args, s, uint32(in.Site)}, dst, args[:n]...)
	}
	if in.Op == ir.Shuffle {
		return k.task(&shuffle{dst, args[0], args[1], s, in.Rows}, dst, args[:n]...)
	}
	return k.addStep(&plannedStep{op: in.Op, loop: loops[in.Op], dst: dst, args: slices.Clone(args[:n])})
}

// register adds a register. It is invariant if its shape does not include points and the kernel has several chunks.
func (k *kernelCode) register(s shape, dataOnly bool) int {
	k.regs = append(k.regs, register{shape: s, invariant: s&perPoint == 0 && !k.whole, dataOnly: dataOnly, slot: -1})
	return len(k.regs) - 1
}

func (k *kernelCode) constant(v float64) int {
	k.regs = append(k.regs, register{constant: true, invariant: true, dataOnly: true, value: v})
	return len(k.regs) - 1
}

// addStep adds a step that defines a register.
func (k *kernelCode) addStep(p *plannedStep) int {
	r := k.regs[p.dst]
	p.invariant, p.dataOnly = r.invariant, r.dataOnly
	k.planned = append(k.planned, p)
	return p.dst
}

// task adds a step that is not a loop of an op.
func (k *kernelCode) task(t task, dst int, args ...int) int {
	return k.addStep(&plannedStep{task: t, dst: dst, args: slices.Clone(args)})
}

// widen repeats a register's values to fill a wider shape. Constants need no copy, since they already have full
// vectors.
func (k *kernelCode) widen(r int, to shape) int {
	from := k.regs[r]
	if from.constant || from.shape == to {
		return r
	}
	key := widening{r, to}
	if w, ok := k.widened[key]; ok {
		return w
	}
	dst := k.register(to, from.dataOnly)
	k.regs[dst].invariant = from.invariant
	k.widened[key] = k.task(&broadcast{dst: dst, src: r, from: from.shape, to: to, width: k.width}, dst, r)
	return dst
}

func (k *kernelCode) counter(in *ir.Instr) int {
	strides := make([]int, len(k.in.Extents))
	strides[in.Axis] = 1
	w := newAffine(in.Index.Const, k.in.Extents, strides)
	if w.constant() && in.Index.Step == 0 {
		return k.constant(float64(in.Index.Const))
	}
	dst := k.register(k.both&perPoint, in.Index.Step == 0)
	return k.task(&counter{dst: dst, walk: w, step: in.Index.Step, addr: k.newAddr()}, dst)
}

func (k *kernelCode) newAddr() int {
	k.addrs++
	return k.addrs - 1
}

// An addressRef is a compiled ir.Index: base alone, base + point, or a vector of elements.
type addressRef struct {
	kind     addressKind
	shape    shape // shape of the vector
	dataOnly bool  // the elements depend only on data, so they are the same in every run
	base     int   // element in iteration 0
	step     int   // added per iteration
	id       int
}

// first returns the element for point 0.
func (a *addressRef) first(w *worker) int { return a.base + a.step*w.turn }

type addressKind uint8

const (
	fixed  addressKind = iota // element base
	linear                    // element base + point
	listed                    // element addr[id][i]
)

func (k *kernelCode) address(ix ir.Index) addressRef {
	w := newAffine(ix.Const, k.in.Extents, ix.Stride)
	key := fmt.Sprint(w, ix.Step, ix.Dyn)
	ref, ok := k.addresses[key]
	if !ok {
		ref = k.newAddress(w, ix.Step, ix.Dyn)
		k.addresses[key] = ref
	}
	return ref
}

func (k *kernelCode) newAddress(w affine, step int, dyn []ir.Dyn) addressRef {
	dataOnly := step == 0
	if len(dyn) == 0 && w.constant() {
		return addressRef{kind: fixed, dataOnly: dataOnly, base: w.base, step: step}
	}
	if len(dyn) == 0 && w.linear() {
		return addressRef{kind: linear, shape: perPoint, dataOnly: dataOnly, base: w.base, step: step}
	}
	a := &address{dst: k.newAddr(), walk: w, step: step, width: k.width}
	if !w.constant() {
		a.shape |= perPoint
	}
	for _, d := range dyn {
		a.shape |= k.regs[k.value(d.Reg)].shape
	}
	var args []int
	for _, d := range dyn {
		r := k.widen(k.value(d.Reg), a.shape)
		a.terms = append(a.terms, term{r, d.Stride, d.Limit})
		args = append(args, r)
		dataOnly = dataOnly && k.regs[r].dataOnly
	}
	k.planned = append(k.planned, &plannedStep{task: a, dst: -1, args: args,
		invariant: a.shape&perPoint == 0 && !k.whole, dataOnly: dataOnly})
	return addressRef{kind: listed, shape: a.shape, dataOnly: dataOnly, id: a.dst}
}

// load returns a register with elements of a buffer: a view if they are consecutive there and this kernel does not
// overwrite them, else a copy.
func (k *kernelCode) load(in *ir.Instr) int {
	ref := k.address(in.Index)
	width := k.c.widthOf(in.Buf)
	s := ref.shape
	if width > 1 {
		s |= perLane
	}
	b := &k.c.program.Buffers[in.Buf]
	dst := k.register(s, ref.dataOnly && b.Space == ir.Shared && !b.Given)
	if ref.kind == listed {
		return k.task(&gather{dst: dst, buf: in.Buf, addr: ref, width: width, shape: s}, dst)
	}
	if !k.overwrites(in) {
		return k.view(in.Buf, ref, width, dst)
	}
	return k.task(&copyLoad{dst: dst, buf: in.Buf, addr: ref, width: width, shape: s}, dst)
}

// overwrites reports whether the kernel stores to the elements that it loads.
func (k *kernelCode) overwrites(in *ir.Instr) bool {
	return slices.ContainsFunc(k.in.Out, func(o ir.Output) bool {
		return o.Buf == in.Buf && !k.in.Disjoint(in.Index, o.Index)
	})
}

// view makes a register refer to consecutive elements of a buffer, without a copy.
func (k *kernelCode) view(buf ir.BufID, ref addressRef, width, dst int) int {
	k.regs[dst].alias = true
	when := atChunk
	switch {
	case k.runsAtLoad() && k.regs[dst].dataOnly:
		when = atLoad
	case k.whole && ref.dataOnly && !k.c.inTile:
		when = atBlock
	}
	k.views[when] = append(k.views[when], viewCode{dst, buf, ref, width})
	return dst
}
