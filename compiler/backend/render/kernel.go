package render

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/backend/ir"
)

// A kernel is a loop nest being rendered. Loops of one iteration are omitted. The depth of a value is the number of
// loops around its code: its code is inside the innermost loop that it depends on.
type kernel struct {
	*file
	in    *ir.Kernel
	first int   // number of its first variable name
	loops []int // axes, outermost first
	live  []bool
	forms []form
	depth []int
	outs  []output
	tiled int  // number of the loop that is divided into tiles, counted from 1; 0: no loop
	tile  int  // number of iterations of that loop in a tile
	strip bool // the noise of the loop's points has been computed as a strip
	nth   int  // index of the row within rows that are written together, see rowblock.go
	// buffers of which only the numbers of the rows from `first` on are kept, see rowpass.go
	held []ir.BufID
}

// An output that combines has an accumulator inside the loops that its index depends on, unless it depends on all
// loops.
type output struct {
	ir.Output
	number      int
	depth       int // depth of the index; for a store, of the index and the value
	accumulates bool
	perTile     bool // the accumulator is reset in each tile
}

func (f *file) kernel(in *ir.Kernel) {
	k := f.begin(in, 0, 0)
	k.reset()
	if in.Points() > 0 {
		k.noiseBlocks()
		k.level(0)
	}
}

// begin decides how a kernel is written inside its `outermost` outermost loops, which are already open; `first` is the
// number of its first variable name.
func (f *file) begin(in *ir.Kernel, first, outermost int) *kernel {
	k := &kernel{file: f, in: in, first: first}
	for axis, n := range in.Extents {
		if n != 1 && axis >= outermost {
			k.loops = append(k.loops, axis)
		}
	}
	k.analyse()
	k.cut()
	for i := range in.Out {
		k.addOutput(i)
	}
	return k
}

// analyse determines which registers are needed, their forms and their depths.
func (k *kernel) analyse() {
	n := len(k.in.Body)
	k.live, k.forms, k.depth = make([]bool, n), make([]form, n), make([]int, n)
	for r := range k.in.Body {
		in := &k.in.Body[r]
		f := form{single: in.Type == ir.F32}
		switch in.Op {
		case ir.Counter:
			k.depth[r] = k.depthOfAxis(in.Axis)
		case ir.Load:
			k.depth[r] = k.depthOf(in.Index)
			f = form{k.wide(in.Buf) || k.varying(in.Index), k.form(in.Buf).single}
		case ir.Normal, ir.Uniform:
			k.depth[r], f.wide = len(k.loops), k.Layout == ir.Interleaved
		}
		for _, a := range in.Args[:in.Op.Arity()] {
			k.depth[r] = max(k.depth[r], k.depth[a])
			f.wide = f.wide || k.forms[a].wide
		}
		k.forms[r] = f
	}
	k.markLive()
}

func (k *kernel) markLive() {
	for _, o := range k.in.Out {
		k.live[o.Value] = true
		k.markIndex(o.Index)
	}
	for r := len(k.in.Body) - 1; r >= 0; r-- {
		if in := &k.in.Body[r]; k.live[r] {
			for _, a := range in.Args[:in.Op.Arity()] {
				k.live[a] = true
			}
			k.markIndex(in.Index)
		}
	}
}

func (k *kernel) markIndex(ix ir.Index) {
	for _, d := range ix.Dyn {
		k.live[d.Reg] = true
	}
}

// depthOfAxis returns the depth of the code inside a loop; 0 for a loop of one iteration.
func (k *kernel) depthOfAxis(axis int) int {
	for i, a := range k.loops {
		if a == axis {
			return i + 1
		}
	}
	return 0
}

func (k *kernel) depthOf(ix ir.Index) int {
	d := 0
	for axis, s := range ix.Stride {
		if s != 0 {
			d = max(d, k.depthOfAxis(axis))
		}
	}
	for _, dyn := range ix.Dyn {
		d = max(d, k.depth[dyn.Reg])
	}
	return d
}

// varying reports whether lanes use different elements.
func (k *kernel) varying(ix ir.Index) bool {
	for _, d := range ix.Dyn {
		if k.forms[d.Reg].wide {
			return true
		}
	}
	return false
}

// cut chooses the innermost loop that contains more than ir.TilePoints points, and divides it into tiles of about that
// number. Summing tile by tile keeps rounding errors small.
func (k *kernel) cut() {
	points := 1
	for d := len(k.loops); d >= 1; d-- {
		n := k.in.Extents[k.loops[d-1]]
		if points*n > ir.TilePoints {
			if k.tiles == nil || k.loops[d-1] != 0 { // the rows of an iteration of Tiles already form a tile
				k.tiled, k.tile = d, max(1, ir.TilePoints/points)
			}
			return
		}
		points *= n
	}
}

func (k *kernel) addOutput(i int) {
	o := output{Output: k.in.Out[i], number: i, depth: k.depthOf(k.in.Out[i].Index)}
	if o.Combine == ir.Store {
		o.depth = max(o.depth, k.depth[o.Value])
	} else {
		o.accumulates = o.depth < len(k.loops)
		o.perTile = o.accumulates && o.depth < k.tiled
	}
	k.outs = append(k.outs, o)
}

// reset initialises the buffers that are combined into.
func (k *kernel) reset() {
	for _, o := range k.outs {
		if o.Combine == ir.Store {
			continue
		}
		n := k.Buffers[o.Buf].Size
		turns := n
		if n > registers && k.overlap == 0 {
			turns = 1
		}
		k.unrolled(turns, "for (long e = 0; e < %d; e++) {", n)
		k.line("b%d[e] = %s;", o.Buf, k.form(o.Buf).constant(combinations[o.Combine].start))
		k.line("}")
	}
}

// noiseBlocks declares the block of random words for a pair of points, which two consecutive iterations share.
func (k *kernel) noiseBlocks() {
	if k.Layout == ir.Apart {
		return
	}
	for r := range k.in.Body {
		if op := k.in.Body[r].Op; k.live[r] && (op == ir.Normal || op == ir.Uniform) {
			k.line("block n%d;", k.first+r)
			k.line("word p%d = -1;", k.first+r)
		}
	}
}

// level writes the code at depth d and the loops inside.
func (k *kernel) level(d int) {
	k.straight(d)
	switch {
	case d == 0 && k.isRowProduct():
		k.rowBlocks()
	case d < len(k.loops):
		k.inner(d)
	}
}

// beforeRows writes what precedes a loop in which row writes the code of the kernel.
func (k *kernel) beforeRows() {
	k.reset()
	k.noiseBlocks()
	k.straight(0)
	k.start(k.around(0))
}

// afterRows writes what follows that loop.
func (k *kernel) afterRows() { k.flush(k.around(0)) }

// row writes the code of a kernel for one row.
func (k *kernel) row(at string) {
	k.line("{")
	k.line("const long i0 = %s;", at)
	k.level(1)
	k.line("}")
}

// straight writes the instructions at depth d.
func (k *kernel) straight(d int) {
	for r := range k.in.Body {
		if k.live[r] && k.depth[r] == d {
			k.instr(r)
		}
	}
	for _, o := range k.outs {
		if o.Combine == ir.Store && o.depth == d {
			k.store(o)
		} else if d == len(k.loops) && o.Combine != ir.Store {
			k.combine(o)
		}
	}
}

// around selects the accumulators that are declared around the loop below depth d.
func (k *kernel) around(d int) func(output) bool {
	return func(o output) bool { return o.accumulates && !o.perTile && o.depth == d }
}

func (o output) inTile() bool { return o.perTile }

// inner writes the loop below depth d, with the accumulators declared around it.
func (k *kernel) inner(d int) {
	axis := k.loops[d]
	turns := k.in.Extents[axis]
	k.start(k.around(d))
	if d+1 == k.tiled {
		k.head("for (long t = 0; t < %d; t += %d) {", turns, k.tile)
		k.start(output.inTile)
		k.turns(d, "t", blockEnd("t", turns, k.tile))
		k.line("}")
		k.flush(output.inTile)
	} else {
		k.turns(d, "0", k.bound(axis))
	}
	k.line("}")
	k.flush(k.around(d))
}

// turns writes the loop below depth d for the iterations from ≤ i < to, without its closing brace.
func (k *kernel) turns(d int, from, to string) {
	axis := k.loops[d]
	if k.Layout == ir.Apart && d+1 == len(k.loops) {
		k.vectorTurns(axis, from, to)
		return
	}
	n := 1
	if from == "0" {
		n = k.in.Extents[axis]
	}
	k.points(d, n, from, to)
	k.level(d + 1)
}

// points writes the head of the loop below depth d; n is its number of iterations, or 1 if it must not be unrolled.
func (k *kernel) points(d, n int, from, to string) {
	axis := k.loops[d]
	head := fmt.Sprintf("for (long i%d = %s; i%d < %s; i%d++) {", axis, from, axis, to, axis)
	if d+1 == len(k.loops) && !k.small && k.instructions() <= shortLoop {
		k.short("%s", head)
		return
	}
	if k.small && n > 1 && k.overlap == 0 && k.inMemory() {
		k.line(k.unroll, 1)
		k.head("%s", head)
		return
	}
	k.unrolled(n, "%s", head)
}

// registers is the number of vector registers of a typical processor. If a kernel has more points, its values pass to
// the next kernel in memory.
const registers = 32

// inMemory reports whether unrolling a small kernel gains nothing but multiplies the compile time. Kernels with
// arithmetic stay unrolled, so that products of one are fused with sums of another. (On a GPU all are unrolled, so that
// their loads overlap.)
func (k *kernel) inMemory() bool {
	moves := k.in.Points() > registers
	for r, in := range k.in.Body {
		moves = moves && (!k.live[r] || in.Op == ir.Load || in.Op == ir.Const)
	}
	return moves || k.looksUp()
}

// looksUp reports whether an iteration reads the index of an element that it reads or writes, such as the group of a
// row. For such kernels compilers need ten times as long if the loop is unrolled, since they must assume that elements
// overlap.
func (k *kernel) looksUp() bool {
	read := make([]bool, len(k.in.Body)) // reports whether a register depends on a load
	named := func(at ir.Index) bool {
		return slices.ContainsFunc(at.Dyn, func(d ir.Dyn) bool { return read[d.Reg] })
	}
	for r, in := range k.in.Body {
		if k.live[r] && named(in.Index) {
			return true
		}
		read[r] = in.Op == ir.Load ||
			slices.ContainsFunc(in.Args[:in.Op.Arity()], func(a ir.Reg) bool { return read[a] })
	}
	return slices.ContainsFunc(k.outs, func(o output) bool { return named(o.Index) })
}

// shortLoop is the largest number of instructions of a short loop.
const shortLoop = 16

// instructions estimates the number of instructions of an iteration of the innermost loop.
func (k *kernel) instructions() (n int) {
	for r, in := range k.in.Body {
		if k.live[r] && k.depth[r] == len(k.loops) {
			n += instructions(in.Op)
		}
	}
	return n
}

// bound returns the text of the number of iterations of a loop.
func (k *kernel) bound(axis int) string {
	if k.tiles != nil && axis == 0 {
		return "rows"
	}
	return fmt.Sprint(k.in.Extents[axis])
}

// start declares the accumulators of the chosen outputs.
func (k *kernel) start(chosen func(output) bool) {
	for _, o := range k.outs {
		if chosen(o) {
			w := k.form(o.Buf).double()
			k.line("%s %s = %s;", w.typ(), k.sum(o), w.constant(combinations[o.Combine].start))
		}
	}
}

// flush combines the accumulators of the chosen outputs into their buffers.
func (k *kernel) flush(chosen func(output) bool) {
	for _, o := range k.outs {
		if chosen(o) {
			w := k.form(o.Buf)
			k.merge(o, convert(k.sum(o), w.double(), w))
		}
	}
}

// combine combines a point's value into its accumulator, or directly into the buffer if it has no accumulator.
func (k *kernel) combine(o output) {
	w := k.form(o.Buf)
	if !o.accumulates {
		k.merge(o, k.valueAs(o, w))
		return
	}
	a := k.sum(o)
	k.line("%s = %s;", a, combinations[o.Combine].of(a, k.valueAs(o, w.double()), w.double()))
}

func (k *kernel) valueAs(o output, f form) string {
	return convert(k.reg(o.Value), k.forms[o.Value], f)
}

// merge combines a value into the buffer.
func (k *kernel) merge(o output, v string) {
	c, w := combinations[o.Combine], k.form(o.Buf)
	at := k.element(o.Index)
	if k.varying(o.Index) {
		k.line("{ ints at = %s; scatter_%s(b%d, at, %s); }", at, w.suffix(), o.Buf,
			c.of(fmt.Sprintf("gather_%s(b%d, at)", w.suffix(), o.Buf), v, w))
		return
	}
	k.line("{ long at = %s; b%d[at] = %s; }", at, o.Buf, c.of(fmt.Sprintf("b%d[at]", o.Buf), v, w))
}

func (k *kernel) store(o output) {
	w := k.form(o.Buf)
	if k.varying(o.Index) {
		k.line("scatter_%s(b%d, %s, %s);", w.suffix(), o.Buf, k.element(o.Index), k.valueAs(o, w))
		return
	}
	k.line("b%d[%s] = %s;", o.Buf, k.elementOf(o.Buf, o.Index), k.valueAs(o, w))
}

// elementOf returns the text of the offset in a buffer that an index selects. In buffers that are held, values that are
// stored and loaded have indices that do not vary with the lane.
func (k *kernel) elementOf(id ir.BufID, ix ir.Index) string {
	if slices.Contains(k.held, id) {
		return k.element(ix) + " - first"
	}
	return k.element(ix)
}

// element returns the text of the offset that an index selects.
func (k *kernel) element(ix ir.Index) string {
	var terms []string
	if ix.Step != 0 {
		terms = append(terms, scaled(ix.Step, "turn"))
	}
	for axis, s := range ix.Stride {
		if s != 0 && k.in.Extents[axis] != 1 {
			terms = append(terms, scaled(s, k.counter(axis)))
		}
	}
	for _, d := range ix.Dyn {
		terms = append(terms,
			scaled(d.Stride, fmt.Sprintf("at_%s(%s, %d)", k.forms[d.Reg].double().suffix(),
				convert(k.reg(d.Reg), k.forms[d.Reg], k.forms[d.Reg].double()), d.Limit)))
	}
	if ix.Const != 0 || len(terms) == 0 {
		terms = append(terms, fmt.Sprint(ix.Const))
	}
	return strings.Join(terms, " + ")
}

func scaled(stride int, text string) string {
	if stride == 1 {
		return text
	}
	return fmt.Sprintf("%d * %s", stride, text)
}

func (k *kernel) reg(r ir.Reg) string {
	if k.nth > 0 && k.depth[r] > 0 {
		return fmt.Sprintf("r%d_%d", k.first+int(r), k.nth)
	}
	return fmt.Sprintf("r%d", k.first+int(r))
}

// sum returns the name of the accumulator of an output.
func (k *kernel) sum(o output) string {
	if k.nth > 0 {
		return fmt.Sprintf("a%d_%d", k.first+o.number, k.nth)
	}
	return fmt.Sprintf("a%d", k.first+o.number)
}

// counter returns the text of the counter of a loop.
func (k *kernel) counter(axis int) string {
	if k.nth > 0 && axis == k.loops[0] {
		return fmt.Sprintf("(i%d + %d)", axis, k.nth)
	}
	return fmt.Sprintf("i%d", axis)
}
