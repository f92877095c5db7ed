package lower_test

import (
	"fmt"
	"io"

	"ppl/compiler/ir"
)

func dump(w io.Writer, p *ir.Program) {
	for k, b := range p.Buffers {
		fmt.Fprintf(w, "buf%d %q %v %d init=%v\n", k, b.Name, b.Space, b.Size, b.Init != nil)
	}
	fmt.Fprintln(w, "setup")
	dumpStmts(w, p.Setup)
	for _, e := range p.Entries {
		fmt.Fprintln(w, "entry", e.Name)
		dumpStmts(w, e.Body)
	}
}

func ix(x ir.Index) string {
	s := fmt.Sprint(x.Const)
	for k, st := range x.Stride {
		if st != 0 {
			s += fmt.Sprintf("+%d*i%d", st, k)
		}
	}
	for _, d := range x.Dyn {
		s += fmt.Sprintf("+%d*%%%d<%d", d.Stride, d.Reg, d.Limit)
	}
	return s
}

func dumpStmts(w io.Writer, ss []ir.Stmt) {
	for _, s := range ss {
		k, ok := s.(*ir.Kernel)
		if !ok {
			fmt.Fprintf(w, "  %T %+v\n", s, s)
			continue
		}
		fmt.Fprintf(w, "  kernel %v\n", k.Extents)
		for r, in := range k.Body {
			fmt.Fprintf(w, "    %%%d = %v", r, in.Op)
			switch in.Op {
			case ir.Const:
				fmt.Fprintf(w, " %g", in.Imm)
			case ir.Counter:
				fmt.Fprintf(w, " %d", in.Axis)
			case ir.Load:
				fmt.Fprintf(w, " buf%d[%s]", in.Buf, ix(in.Index))
			}
			for a := range in.Op.Arity() {
				fmt.Fprintf(w, " %%%d", in.Args[a])
			}
			fmt.Fprintln(w)
		}
		for _, o := range k.Out {
			fmt.Fprintf(w, "    buf%d[%s] %v= %%%d\n", o.Buf, ix(o.Index), o.Combine, o.Value)
		}
	}
}
