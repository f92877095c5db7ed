package render

import (
	"fmt"

	"ppl/compiler/backend/ir"
)

// instr declares a register such as r5, and also m5 if it is a truth value.
func (k *kernel) instr(r int) {
	in, w, n := &k.in.Body[r], k.forms[r], k.first+r
	switch {
	case in.Op == ir.Normal || in.Op == ir.Uniform:
		k.noise(r)
	case isTruth(in.Op):
		k.line("const %s m%d = %s;", flagType(w), n, k.apply(in, w))
		k.line("const %s r%d = truth_%s(m%d);", w.typ(), n, w.suffix(), n)
	default:
		k.line("const %s %s = %s;", w.typ(), k.reg(ir.Reg(r)), k.value(in, w))
	}
}

// isTruth reports whether the function of an op returns a truth value.
func isTruth(op ir.Op) bool {
	row := op.Row()
	return row != nil && row.Truth
}

func flagType(f form) string {
	switch {
	case !f.wide:
		return "long"
	case f.single:
		return "mask_f"
	}
	return "mask"
}

func (k *kernel) value(in *ir.Instr, f form) string {
	switch in.Op {
	case ir.Const:
		return number(in.Imm, f.single)
	case ir.Counter:
		strides := make([]int, len(k.in.Extents))
		strides[in.Axis] = 1
		return k.element(ir.Index{Const: in.Index.Const, Step: in.Index.Step, Stride: strides})
	case ir.Load:
		return k.load(in)
	case ir.Common:
		return fmt.Sprintf("common_s(c, %d)", in.Site)
	case ir.Addressed:
		return fmt.Sprintf("addressed_%s(c, %d, %s, %s, %s)", f.suffix(), in.Site, k.arg(in, 0, f), k.arg(in, 1, f),
			k.arg(in, 2, f))
	case ir.Shuffle:
		return fmt.Sprintf("shuffle_%s(c, %d, %s, %s)", f.suffix(), in.Rows, k.arg(in, 0, f), k.arg(in, 1, f))
	case ir.Add:
		if text := k.guardedSum(in, f); text != "" {
			return text
		}
	case ir.Select:
		return k.choose(in.Args[0], k.arg(in, 1, f), k.arg(in, 2, f), f)
	}
	return k.apply(in, f)
}

func (k *kernel) load(in *ir.Instr) string {
	if k.varying(in.Index) {
		return fmt.Sprintf("gather_%s(b%d, %s)", k.form(in.Buf).suffix(), in.Buf, k.element(in.Index))
	}
	return fmt.Sprintf("b%d[%s]", in.Buf, k.elementOf(in.Buf, in.Index))
}

// choose returns the text that selects a or b by a register; it uses the register's truth value if it has one.
func (k *kernel) choose(test ir.Reg, a, b string, f form) string {
	t := k.forms[test]
	flag := fmt.Sprintf("ne_%s(%s, %s)", t.suffix(), k.reg(test), t.constant("0"))
	if isTruth(k.in.Body[test].Op) {
		flag = fmt.Sprintf("m%d", k.first+int(test))
	}
	if f.wide && !t.wide { // one choice for all lanes
		return fmt.Sprintf("(%s ? %s : %s)", flag, a, b)
	}
	if t.wide && t.single != f.single {
		flag = fmt.Sprintf("%s_from(%s)", flagType(f), flag)
	}
	return fmt.Sprintf("select_%s(%s, %s, %s)", f.suffix(), flag, a, b)
}

// apply returns the text of an op applied to its registers, as an operator or a function call.
func (k *kernel) apply(in *ir.Instr, f form) string {
	var args []any
	for i := range in.Op.Arity() {
		args = append(args, k.arg(in, i, f))
	}
	if row := in.Op.Row(); row != nil && row.Operator != "" {
		return fmt.Sprintf(row.Operator, args...)
	}
	format := "%s_%s(%s)"
	if len(args) == 2 {
		format = "%s_%s(%s, %s)"
	}
	return fmt.Sprintf(format, append([]any{in.Op, f.suffix()}, args...)...)
}

// guardedSum returns one operation for the sum of a number and a MulZero product, and "" for other instructions. In a
// recurrence each operation waits for the one before, so one operation fewer makes it faster.
func (k *kernel) guardedSum(in *ir.Instr, f form) string {
	for i, a := range in.Args[:2] {
		if p := &k.in.Body[a]; p.Op == ir.MulZero && f.wide && k.forms[a] == f {
			return fmt.Sprintf("mulzeroadd_%s(%s, %s, %s)", f.suffix(), k.arg(p, 0, f), k.arg(p, 1, f),
				k.arg(in, 1-i, f))
		}
	}
	return ""
}

func (k *kernel) arg(in *ir.Instr, i int, f form) string {
	a := in.Args[i]
	return convert(k.reg(a), k.forms[a], f)
}

// noise writes the noise of a point. Two consecutive points use the two halves of one block of random words, which is
// computed once for both.
func (k *kernel) noise(r int) {
	if k.Layout == ir.Apart {
		k.oneNoise(r)
		return
	}
	in, n := &k.in.Body[r], k.first+r
	point := k.point(r, -1)
	if in.Type == ir.F32 {
		k.line("const singles r%d = normal_fw(c, %d, %s);", n, in.Site, point)
		return
	}
	k.line("const word q%d = %s;", n, point)
	k.line("if (q%d >> 1 != p%d) {", n, n)
	k.line("p%d = q%d >> 1;", n, n)
	k.line("n%d = philox(c, %d, p%d);", n, in.Site, n)
	k.line("}")
	k.line("const wide r%d = %v_w(n%d.half[q%d & 1]);", n, in.Op, n, n)
}
