package render

import (
	"fmt"

	"ppl/compiler/ir"
)

// instr declares a register: r5, and m5 beside it where it is a truth value.
func (k *kernel) instr(r int) {
	in := &k.in.Body[r]
	w := k.varies[r]
	switch {
	case in.Op == ir.Normal || in.Op == ir.Uniform:
		k.noise(r)
	case truths[in.Op]:
		k.line("const %s m%d = %s;", flagType(w), r, k.apply(in, w))
		k.line("const %s r%d = truth_%s(m%d);", k.typeOf(w), r, suffix(w), r)
	default:
		k.line("const %s r%d = %s;", k.typeOf(w), r, k.value(in, w))
	}
}

func flagType(wide bool) string {
	if wide {
		return "ints"
	}
	return "long"
}

func (k *kernel) value(in *ir.Instr, wide bool) string {
	switch in.Op {
	case ir.Const:
		return number(in.Imm)
	case ir.Counter:
		strides := make([]int, len(k.in.Extents))
		strides[in.Axis] = 1
		return k.element(ir.Index{Const: in.Index.Const, Step: in.Index.Step, Stride: strides})
	case ir.Load:
		return k.load(in)
	case ir.Shuffle:
		return fmt.Sprintf("shuffle_%s(c, %d, %s, %s)", suffix(wide), in.Rows, k.arg(in, 0, wide), k.arg(in, 1, wide))
	case ir.Select:
		return k.choose(in.Args[0], k.arg(in, 1, wide), k.arg(in, 2, wide), wide)
	}
	return k.apply(in, wide)
}

func (k *kernel) load(in *ir.Instr) string {
	if k.varying(in.Index) {
		return fmt.Sprintf("gather_%s(b%d, %s)", suffix(k.wide(in.Buf)), in.Buf, k.element(in.Index))
	}
	return fmt.Sprintf("b%d[%s]", in.Buf, k.element(in.Index))
}

// choose tests a register, by its truth value where it has one.
func (k *kernel) choose(test ir.Reg, a, b string, wide bool) string {
	flag := fmt.Sprintf("ne_%s(%s, %s)", suffix(k.varies[test]), reg(test), as("0", false, k.varies[test]))
	if truths[k.in.Body[test].Op] {
		flag = fmt.Sprintf("m%d", test)
	}
	if wide && !k.varies[test] { // one choice for all lanes
		return fmt.Sprintf("(%s ? %s : %s)", flag, a, b)
	}
	return fmt.Sprintf("select_%s(%s, %s, %s)", suffix(wide), flag, a, b)
}

// apply is an op on registers, by an operator or a function.
func (k *kernel) apply(in *ir.Instr, wide bool) string {
	var args []any
	for i := range in.Op.Arity() {
		args = append(args, k.arg(in, i, wide))
	}
	if format := operators[in.Op]; format != "" {
		return fmt.Sprintf(format, args...)
	}
	format := "%s_%s(%s)"
	if len(args) == 2 {
		format = "%s_%s(%s, %s)"
	}
	return fmt.Sprintf(format, append([]any{in.Op, suffix(wide)}, args...)...)
}

func (k *kernel) arg(in *ir.Instr, i int, wide bool) string {
	a := in.Args[i]
	return as(reg(a), k.varies[a], wide)
}

// noise takes a point's half of its pair's words, and computes these where they are another pair's.
func (k *kernel) noise(r int) {
	in := &k.in.Body[r]
	point := ir.Dense(k.in.Extents...)
	point.Const, point.Step = in.Index.Const, in.Index.Step
	k.line("const word q%d = %s;", r, k.element(point))
	k.line("if (q%d >> 1 != p%d) {", r, r)
	k.line("p%d = q%d >> 1;", r, r)
	k.line("n%d = philox(c, %d, p%d);", r, in.Site, r)
	k.line("}")
	k.line("const wide r%d = %v_w(n%d.half[q%d & 1]);", r, in.Op, r, r)
}
