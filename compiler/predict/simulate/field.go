package simulate

import (
	"math/rand/v2"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// A field draws arrays that read their own or each other's elements along several axes: first the elements that read no
// other, then those that read only these, and so on. Definitions among the arrays are computed from the draws.
//
//	generate f[r in 2..R, c in 2..C] ~ Normal(f[r-1, c] + f[r, c-1], s)    a layer is a diagonal of the field
type field struct {
	pieces []fieldPiece
	layers int
}

// A fieldPiece is a piece whose elements are drawn in layers.
type fieldPiece struct {
	term *model.Term
	args *autodiff.Routine // arguments and the bounds of `in`, over all plates
	rows [][]int           // for each layer, its elements of the piece, numbered over its plates
}

func (g *Numbers) newField(arrays []*model.Array, terms []*model.Term) *field {
	reads := newReading(g.E, arrays)
	layer := reads.layers()
	out := &field{}
	for _, t := range terms {
		p := fieldPiece{term: t}
		var nodes []autodiff.Node
		for _, x := range argumentsOf(t) {
			v := g.E.Expr(x)
			nodes = append(nodes, g.E.Align(v, t.Plates, v.Axes))
		}
		p.args = autodiff.NewRoutine(nodes...)
		row := 0
		evaluate.EachPlace(reads.boxes[t.Array], g.boxesOf(t.Piece)[:len(reads.boxes[t.Array])], func(at int) {
			k := layer[reads.first[t.Array]+at]
			for len(p.rows) <= k {
				p.rows = append(p.rows, nil)
			}
			p.rows[k] = append(p.rows[k], row)
			row++
		})
		out.pieces, out.layers = append(out.pieces, p), max(out.layers, len(p.rows))
	}
	return out
}

// layers returns the layer of each element: the largest number of draws on a path of reads to it.
func (r *reading) layers() []int {
	layer := make([]int, len(r.of))
	r.depthFirst(func(i int) {
		for _, x := range r.of[i] {
			after := 0
			if r.arrayOf(x.element).Role == model.Generated {
				after = 1
			}
			layer[i] = max(layer[i], layer[x.element]+after)
		}
	})
	return layer
}

// boxesOf returns the range of indices that a piece covers on each of its axes.
func (g *Numbers) boxesOf(p *model.Piece) (boxes []evaluate.Box) {
	for _, s := range p.Slots {
		if s.Index != nil {
			boxes = append(boxes, g.E.Box(s.Index.Set))
			continue
		}
		at := evaluate.ToInt(g.E.StaticValues(s.At)[0])
		boxes = append(boxes, evaluate.Box{Lo: at, Hi: at})
	}
	return boxes
}

// draw draws all pieces and stores them as inputs.
func (l *field) draw(r *rand.Rand, to *Numbers) {
	for _, p := range l.pieces {
		to.Inputs[PieceName(p.term.Piece)] = make([]float64, evaluate.Product(to.ShapeOf(p.term.Piece)))
	}
	for k := range l.layers {
		for _, p := range l.pieces {
			if k < len(p.rows) && len(p.rows[k]) > 0 {
				p.draw(r, to, p.rows[k])
			}
		}
	}
}

// draw draws some elements of a piece, given the elements drawn so far.
func (p fieldPiece) draw(r *rand.Rand, to *Numbers, rows []int) {
	t, whole := p.term, to.Inputs[PieceName(p.term.Piece)]
	event := evaluate.Product(to.E.Shape(nil, t.Event))
	all := len(whole) / event
	var args [][]float64
	for _, x := range to.run(p.args) {
		var some []float64
		n := len(x) / all
		for _, row := range rows {
			some = append(some, x[row*n:(row+1)*n]...)
		}
		args = append(args, some)
	}
	var lo, hi []float64
	if n := len(t.Args); t.In != nil {
		lo, hi, args = args[n], args[n+1], args[:n]
	}
	out := make([]float64, len(rows)*event)
	to.sampleTerm(r, t, args, lo, hi, out)
	for k, row := range rows {
		copy(whole[row*event:(row+1)*event], out[k*event:(k+1)*event])
	}
}
