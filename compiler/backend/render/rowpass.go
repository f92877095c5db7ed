package render

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/backend/ir"
)

// For a regression, an iteration of Tiles multiplies its rows by a vector of coefficients, computes a few numbers from
// each result, and adds the row times one of these numbers to the gradient. On a GPU a single thread runs the
// iteration. If each statement is a loop of its own, numbers pass from one loop to the next through memory, the rows
// are read twice, and each result waits for the one before it. So the statements share one loop over blocks of rows.
// For
//
//	b9 = matmul b6, b0 rows m                 wide v[20] = b0, s[20] = 0;
//	for i<49 { … b9[i] … store b10[i] }       for (; first + 4 <= rows; first += 4) {
//	b12 = matmul b6ᵀ, b10 rows k                the products of 4 rows with v; the numbers of 4 rows;
//	                          becomes           s += 4 rows times their numbers
//	                                          }
//	                                          b12 = s;
//
// b9 and b10 are then four registers each. Each sum has its terms in the same order as in separate loops, so the
// results are identical.

// A rowPass is the loop over the rows of an iteration of Tiles that runs all its statements.
type rowPass struct {
	*file
	*ir.Tiles
	// tile buffers with one number for each row: only numbers of the current rows are kept
	held   []ir.BufID
	atOnce int // number of rows of a block
}

// A thread has 255 registers. Coefficients and sums take at most mostKept of them; each row of a block takes those of
// its elements and kernelRegisters more (estimates; ptxas reports 254 for 20 columns and two rows). If a block had one
// row, each operation would wait for the one before it.
const (
	mostKept        = 96
	passRegisters   = 230
	kernelRegisters = 24
	fewestAtOnce    = 2
	mostAtOnce      = 4
	// largest number of instructions of the kernels of a pass, which are written for each row of a block; it bounds
	// the compile time
	mostInstructions = 250
)

// rowPass returns the loop over rows of a Tiles; nil if its statements need separate loops.
func (f *file) rowPass(s *ir.Tiles) *rowPass {
	if !f.rowPasses || s.Size < mostAtOnce {
		return nil
	}
	w := &rowPass{file: f, Tiles: s}
	for id := range count(s.Body) {
		if f.Buffers[id].Space == ir.Tile && !w.combines(id) {
			w.held = append(w.held, id)
		}
	}
	slices.Sort(w.held)
	if slices.ContainsFunc(s.Body, func(b ir.Stmt) bool { return !w.joins(b) }) || !w.fits() {
		return nil
	}
	return w
}

// combines reports whether a buffer is complete only after the last row.
func (w *rowPass) combines(id ir.BufID) bool {
	return slices.ContainsFunc(w.Out, func(o ir.TileOut) bool { return o.From == id })
}

// fits chooses the number of rows of a block. It reports whether there are products, whether registers suffice for
// them, and whether the kernels are short.
func (w *rowPass) fits() bool {
	kept, instructions, elements := 0, 0, map[ir.BufID]int{}
	for _, s := range w.Body {
		switch s := s.(type) {
		case *ir.Kernel:
			instructions += len(s.Body)
		case *ir.MatMul:
			n := s.M // the sums over rows, or the coefficients of a row
			if s.Rows == ir.DimM {
				n = s.K
			}
			kept += n * w.registers(s.C)
			elements[s.A] = n * w.registers(s.A)
		}
	}
	row := kernelRegisters
	for _, n := range elements {
		row += n
	}
	w.atOnce = min(max((passRegisters-kept)/row, fewestAtOnce), mostAtOnce)
	return 0 < kept && kept <= mostKept && instructions <= mostInstructions
}

// registers returns the number of registers of a number.
func (w *rowPass) registers(id ir.BufID) int {
	if w.form(id).single {
		return 1
	}
	return 2
}

// passOf returns the loop over rows of a statement that is a Tiles and has one; otherwise nil.
func (f *file) passOf(s ir.Stmt) *rowPass {
	if s, ok := s.(*ir.Tiles); ok {
		return f.rowPass(s)
	}
	return nil
}

// holds reports whether only numbers of the current rows of a buffer are kept.
func (w *rowPass) holds(id ir.BufID) bool { return w != nil && slices.Contains(w.held, id) }

// numbers returns the number of elements of each buffer that is held.
func (w *rowPass) numbers() map[ir.BufID]int {
	if w == nil {
		return nil
	}
	sizes := map[ir.BufID]int{}
	for _, id := range w.held {
		sizes[id] = w.atOnce
	}
	return sizes
}

// joins reports whether a statement can run row by row. Of the buffers that are held, a row must use its own number
// only, and no other buffer may be both written and read.
func (w *rowPass) joins(s ir.Stmt) bool {
	if slices.ContainsFunc(ir.Reads(s), w.writesElsewhere) {
		return false
	}
	switch s := s.(type) {
	case *ir.Kernel:
		return w.joinsKernel(s)
	case *ir.MatMul:
		return w.joinsProduct(s)
	}
	return false
}

// joinsKernel reports whether a kernel can run row by row. It must not store to an I32 buffer, because narrow truncates
// these in a separate pass after the store.
func (w *rowPass) joinsKernel(k *ir.Kernel) bool {
	own := func(id ir.BufID, at ir.Index) bool {
		return !w.holds(id) || len(at.Dyn) == 0 && at.Const == 0 && at.Step == 0 && at.Stride != nil &&
			at.Stride[0] == 1 && !slices.ContainsFunc(at.Stride[1:], func(s int) bool { return s != 0 })
	}
	return !slices.ContainsFunc(k.Body, func(in ir.Instr) bool { return in.Op == ir.Load && !own(in.Buf, in.Index) }) &&
		!slices.ContainsFunc(k.Out, func(o ir.Output) bool {
			return !own(o.Buf, o.Index) || w.holds(o.Buf) && o.Combine != ir.Store || w.Buffers[o.Buf].Type == ir.I32
		})
}

// writesElsewhere reports whether the pass writes a buffer that it does not hold.
func (w *rowPass) writesElsewhere(id ir.BufID) bool {
	written := func(s ir.Stmt) bool { return slices.Contains(ir.Writes(s), id) }
	return !w.holds(id) && slices.ContainsFunc(w.Body, written)
}

// joinsProduct reports whether a product is that of rows with a vector, one number for each row, or the sum of rows
// times a number for each row.
func (w *rowPass) joinsProduct(s *ir.MatMul) bool {
	whole := func(id ir.BufID, p ir.Part) bool { return !w.holds(id) || p == ir.Part{} }
	switch {
	case s.N != 1 || s.Batch != 1 || s.Each > 1 || w.holds(s.A) || !whole(s.B, s.PartB) || !whole(s.C, s.PartC):
		return false
	case s.Rows == ir.DimM:
		return !w.holds(s.B) && s.PartB.Step == 0 && s.K > 0
	}
	return !w.holds(s.C) && s.PartC.Step == 0 && s.M > 0
}

// A rowStep writes a statement of a pass: what comes before the loop over rows, the code for n rows from the row named
// first, and what comes after the loop.
type rowStep interface {
	before()
	rows(n int)
	after()
}

// run writes the pass.
func (w *rowPass) run() {
	var steps []rowStep
	names := 0
	for _, s := range w.Body {
		switch s := s.(type) {
		case *ir.Kernel:
			k := w.begin(s, names, 0)
			k.held = w.held
			names += len(s.Body) + len(s.Out)
			steps = append(steps, rowKernel{k})
		case *ir.MatMul:
			p := rowProduct{w.product(s), w, len(steps)}
			if s.Rows == ir.DimM {
				steps = append(steps, rowDot{p})
			} else {
				steps = append(steps, rowSum{p})
			}
		}
	}
	each := func(write func(rowStep)) {
		for _, s := range steps {
			write(s)
		}
	}
	w.line("const long n = 0;")
	each(rowStep.before)
	w.line("long first = 0;")
	w.head("for (; first + %d <= rows; first += %d) {", w.atOnce, w.atOnce)
	each(func(s rowStep) { s.rows(w.atOnce) })
	w.line("}")
	w.head("for (; first < rows; first++) {")
	each(func(s rowStep) { s.rows(1) })
	w.line("}")
	each(rowStep.after)
}

// row returns the text of row first + r of a buffer.
func (w *rowPass) row(id ir.BufID, r int) string {
	if w.holds(id) {
		return fmt.Sprint(r)
	}
	return fmt.Sprintf("first + %d", r)
}

// A rowKernel runs a kernel.
type rowKernel struct{ *kernel }

func (k rowKernel) before() { k.beforeRows() }

func (k rowKernel) rows(n int) {
	for r := range n {
		k.row(fmt.Sprintf("first + %d", r))
	}
}

func (k rowKernel) after() { k.afterRows() }

// A rowProduct has a number, which distinguishes its variables from those of other products.
type rowProduct struct {
	*product
	pass   *rowPass
	number int
}

// repeated writes the body of an unrolled loop over the elements of a row.
func (p rowProduct) repeated(n int, body func()) {
	p.line(p.unroll, n)
	p.line("for (long k = 0; k < %d; k++) {", n)
	body()
	p.line("}")
}

// A rowDot computes the products of rows with the same vector.
type rowDot struct{ rowProduct }

func (p rowDot) before() {
	p.line("%s v%d[%d];", p.form(p.B).typ(), p.number, p.K)
	p.repeated(p.K, func() { p.line("v%d[k] = %s;", p.number, p.b.at("k", "0")) })
}

func (p rowDot) rows(n int) {
	sums := make([]string, n)
	for r := range sums {
		sums[r] = fmt.Sprintf("s%d = %s", r, p.result.constant("0"))
	}
	p.line("{")
	p.line("%s %s;", p.result.typ(), strings.Join(sums, ", "))
	p.repeated(p.K, func() {
		for r := range n {
			p.line("s%d += %s * v%d[k];", r, p.a.at(p.pass.row(p.A, r), "k"), p.number)
		}
	})
	for r := range n {
		p.line("b%d[%s + %s] = %s;", p.C, start(p.PartC), p.pass.row(p.C, r),
			convert(fmt.Sprintf("s%d", r), p.result, p.form(p.C)))
	}
	p.line("}")
}

func (rowDot) after() {}

// A rowSum adds up rows, each times a number of its own.
type rowSum struct{ rowProduct }

func (p rowSum) before() {
	p.line("%s sum%d[%d];", p.result.typ(), p.number, p.M)
	p.repeated(p.M, func() { p.line("sum%d[k] = %s;", p.number, p.result.constant("0")) })
}

func (p rowSum) rows(n int) {
	p.line("{")
	for r := range n {
		p.line("const %s y%d = %s;", p.form(p.B).typ(), r, p.b.at(p.pass.row(p.B, r), "0"))
	}
	p.repeated(p.M, func() {
		for r := range n {
			p.line("sum%d[k] += %s * y%d;", p.number, p.a.at("k", p.pass.row(p.A, r)), r)
		}
	})
	p.line("}")
}

func (p rowSum) after() {
	p.repeated(p.M, func() {
		sum := convert(fmt.Sprintf("sum%d[k]", p.number), p.result, p.form(p.C))
		p.line("b%d[%s + k] = %s;", p.C, start(p.PartC), sum)
	})
}
