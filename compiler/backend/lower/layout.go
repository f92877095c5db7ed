package lower

import (
	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// Least sizes of a product for which a program gets layout Apart.
const (
	apartWork = 1 << 16 // multiplications of the largest product
	apartSide = 8       // smallest dimension: matrix times vector is limited by memory in either layout
)

// state returns the type of a lane buffer of that size. Large buffers are F32 in programs of layout Apart whose large
// products are in single precision.
func (prog *program) state(size int) ir.Type {
	if prog.single && size >= minState {
		return ir.F32
	}
	return ir.F64
}

// layout returns Apart if some entry spends most of its arithmetic in products of matrices that both differ by lane,
// and at least one of these products is large. Products with data that all lanes share are faster with interleaved
// lanes, which then form additional columns. single reports whether all large products are in single precision.
func layout(entries []Entry) (l ir.Layout, single bool) {
	for _, e := range entries {
		if w := workOf(e); w.large && w.products > w.rest {
			return ir.Apart, w.single
		}
	}
	return ir.Interleaved, false
}

// A work counts arithmetic, in additions.
type work struct {
	products float64 // products of matrices that both differ by lane
	rest     float64
	large    bool
	single   bool // all large products are in single precision
	seen     map[autodiff.Node]bool
}

func workOf(e Entry) *work {
	w := &work{seen: map[autodiff.Node]bool{}}
	for _, a := range e.Assign {
		w.add(a.Value, 1)
	}
	return w
}

// add counts a node and the nodes that it is computed from, each `times` times.
func (w *work) add(n autodiff.Node, times float64) {
	if w.seen[n] || n.Static() {
		return
	}
	w.seen[n] = true
	for _, a := range n.Args() {
		w.add(a, times)
	}
	switch op := n.Op(); op.Kind {
	case autodiff.OpScan:
		w.add(op.Body.Next, float64(n.Shape()[0]-1))
	case autodiff.OpMatMul:
		w.product(n, times)
	default:
		if row := op.Kind.Row(); row != nil {
			w.rest += times * row.Cost * float64(n.Size())
		}
	}
}

func (w *work) product(n autodiff.Node, times float64) {
	a, b := n.Args()[0], n.Args()[1]
	inner := a.Shape()[a.Rank()-1]
	if n.Op().TransA {
		inner = a.Shape()[a.Rank()-2]
	}
	cost := times * float64(n.Size()) * float64(inner)
	if a.Static() || b.Static() {
		w.rest += cost
		return
	}
	w.products += cost
	rows, cols := n.Shape()[n.Rank()-2], n.Shape()[n.Rank()-1]
	if rows*cols*inner >= apartWork && min(rows, cols, inner) >= apartSide {
		w.single = n.Single() && (w.single || !w.large)
		w.large = true
	}
}
