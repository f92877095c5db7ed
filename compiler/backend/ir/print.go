package ir

import (
	"fmt"
	"io"
	"strings"

	"ppl/numbers"
)

// Print writes the program as text, one instruction per line. Buffers are b0, b1, …, with their names in the
// declarations; kernel loops are i, j, k, …; the iteration of a Loop or Tiles is t; registers are r0, r1, ….
func (p *Program) Print(w io.Writer) {
	pr := &printer{w: w, p: p}
	if p.Layout != Interleaved {
		pr.line(0, "lanes %v", p.Layout)
	}
	for i, b := range p.Buffers {
		pr.line(0, "b%d = %s %v[%d] %q%s", i, b.spaceText(), b.Type, b.Size, b.Name, initText(b.Init))
	}
	if len(p.Setup) > 0 {
		pr.line(0, "setup")
		pr.statements(p.Setup)
	}
	for _, e := range p.Entries {
		pr.line(0, "entry %q%s", e.Name, when(e.Still, " still"))
		pr.statements(e.Body)
	}
}

func (p *Program) String() string {
	var b strings.Builder
	p.Print(&b)
	return b.String()
}

func (t Type) String() string { return [...]string{"f64", "f32", "i32"}[t] }

func (s Space) String() string { return [...]string{"shared", "lane", "scratch", "tile"}[s] }

// spaceText returns the space of a buffer, or "given" if the host writes it.
func (b *Buffer) spaceText() string {
	if b.Given {
		return "given"
	}
	return b.Space.String()
}

// initText shows the first and the last initial values of a shared buffer.
func initText(init numbers.List) string {
	n := init.Len()
	switch {
	case init.None():
		return ""
	case n > 8:
		return fmt.Sprintf(" = %v … %v", init.Part(0, 6).Doubles(), init.At(n-1))
	}
	return fmt.Sprintf(" = %v", init.Doubles())
}

type printer struct {
	w     io.Writer
	p     *Program
	depth int // number of surrounding loops
}

func (p *printer) line(depth int, format string, args ...any) {
	fmt.Fprintf(p.w, strings.Repeat("  ", p.depth+depth)+format+"\n", args...)
}

func (p *printer) statements(body []Stmt) {
	for _, s := range body {
		p.statement(s)
	}
}

func (p *printer) statement(s Stmt) {
	switch s := s.(type) {
	case *Kernel:
		p.kernel(s)
	case *MatMul:
		p.matMul(s)
	case *CumSum:
		p.line(1, "b%d = cumsum b%d [%d, %d, %d]%s", s.Out, s.In, s.Outer, s.N, s.Inner, when(s.Reverse, " reverse"))
	case *Cholesky:
		p.line(1, "b%d = cholesky b%d batch %d, %d×%d", s.Out, s.In, s.Batch, s.N, s.N)
	case *Eigen:
		p.line(1, "b%d = eigen b%d batch %d, %d×%d", s.Out, s.In, s.Batch, s.N, s.N)
	case *Loop:
		p.line(1, "for t<%d%s", s.N, when(s.Reverse, " reverse"))
		p.depth++
		p.statements(s.Body)
		p.depth--
	case *Tiles:
		p.tiles(s)
	case *TriSolve:
		p.line(1, "b%d = trisolve b%d%s, b%d batch %d, %d×%d", s.Out, s.L, when(s.Trans, "ᵀ"), s.B, s.Batch, s.N, s.M)
	case *Peer:
		for _, c := range s.Copies {
			p.line(1, "b%d = b%d of the lane whose b%d is b%d", c.To, c.From, s.Key, s.Want)
		}
	case *CholeskyPull:
		p.line(1, "b%d = choleskypull b%d, b%d batch %d, %d×%d", s.Out, s.L, s.Bar, s.Batch, s.N, s.N)
	}
}

func (p *printer) matMul(s *MatMul) {
	rows := [...]string{"", ", rows m", ", rows k"}[s.Rows]
	if s.Each > 1 {
		rows += fmt.Sprintf(", %d each", s.Each)
	}
	p.line(1, "b%d%s = matmul %s, %s batch %d, %d×%d×%d%s", s.C, s.PartC, matText(s.A, s.PartA, s.TransA, s.SharedA),
		matText(s.B, s.PartB, s.TransB, s.SharedB), s.Batch, s.M, s.K, s.N, rows)
}

func matText(id BufID, from Part, trans, shared bool) string {
	return fmt.Sprintf("b%d%s%s%s", id, from, when(trans, "ᵀ"), when(shared, " for all"))
}

// String returns the start of a part in brackets, or "" if the part starts at element 0 in every iteration.
func (p Part) String() string {
	if p == (Part{}) {
		return ""
	}
	return Index{Const: p.First, Step: p.Step}.String()
}

func (p *printer) tiles(s *Tiles) {
	p.line(1, "for tiles t<%d of %d rows, %d in all", s.Turns(), s.Size, s.Rows)
	p.depth++
	p.statements(s.Body)
	p.depth--
	for _, o := range s.Out {
		p.line(1, "%v b%d, b%d of all tiles", o.Combine, o.To, o.From)
	}
}

func when(b bool, s string) string {
	if b {
		return s
	}
	return ""
}

func (p *printer) kernel(k *Kernel) {
	p.line(1, "for%s", loopsText(k.Extents))
	for r := range k.Body {
		p.line(2, "r%d = %s", r, instrText(&k.Body[r]))
	}
	for _, o := range k.Out {
		p.line(2, "%v b%d%s, r%d", o.Combine, o.Buf, o.Index, o.Value)
	}
}

// loopName returns i, j, k, l, m, n for the first six loops, then i6, i7, ….
func loopName(axis int) string {
	if axis < 6 {
		return string(rune('i' + axis))
	}
	return fmt.Sprintf("i%d", axis)
}

func loopsText(extents []int) string {
	if len(extents) == 0 {
		return " one point"
	}
	var b strings.Builder
	for axis, n := range extents {
		fmt.Fprintf(&b, " %s<%d", loopName(axis), n)
	}
	return b.String()
}

func instrText(in *Instr) string {
	if in.Type != F64 {
		double := *in
		double.Type = F64
		return fmt.Sprintf("%v %s", in.Type, instrText(&double))
	}
	switch in.Op {
	case Const:
		return fmt.Sprint(in.Imm)
	case Counter:
		return loopName(in.Axis) + moved(in.Index)
	case Load:
		return fmt.Sprintf("b%d%s", in.Buf, in.Index)
	case Normal, Uniform, Common:
		return fmt.Sprintf("%v site %d%s", in.Op, in.Site, moved(in.Index))
	}
	var args []string
	for _, a := range in.Args[:in.Op.Arity()] {
		args = append(args, fmt.Sprintf("r%d", a))
	}
	if in.Op == Addressed {
		args = append(args, fmt.Sprintf("site %d", in.Site))
	}
	if in.Op == Shuffle {
		args = append(args, fmt.Sprintf("rows %d", in.Rows))
	}
	return fmt.Sprintf("%v %s", in.Op, strings.Join(args, ", "))
}

// moved returns the text of the offset that an index adds to a counter or a point.
func moved(ix Index) string {
	if ix.Const == 0 && ix.Step == 0 {
		return ""
	}
	return " + " + strings.Trim(ix.String(), "[]")
}

// String returns the index in brackets: [3 + 2·t + 4·i + j + 2·r5<7].
func (ix Index) String() string {
	var terms []string
	if ix.Const != 0 {
		terms = append(terms, fmt.Sprint(ix.Const))
	}
	if ix.Step != 0 {
		terms = append(terms, scaled(ix.Step, "t"))
	}
	for axis, s := range ix.Stride {
		if s != 0 {
			terms = append(terms, scaled(s, loopName(axis)))
		}
	}
	for _, d := range ix.Dyn {
		terms = append(terms, scaled(d.Stride, fmt.Sprintf("r%d<%d", d.Reg, d.Limit)))
	}
	if len(terms) == 0 {
		return "[0]"
	}
	return "[" + strings.Join(terms, " + ") + "]"
}

func scaled(s int, name string) string {
	if s == 1 {
		return name
	}
	return fmt.Sprintf("%d·%s", s, name)
}
