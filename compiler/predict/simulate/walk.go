package simulate

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
)

// A walk draws a group of arrays that read their own or each other's past after inference, step by step (ancestral
// sampling). Expressions that do not read the group are evaluated once for all steps, the graph of one step at each
// step.
//
//	generate x[t in 2..T] ~ Normal(x[t-1], s)    outside: s; step: mean and sd of x[t] from the carry x[t-1];
//	                                             a number is drawn with them, and is the next carry
type walk struct {
	carry    autodiff.Node // values carried into the first step
	segments []segment
	pieces   []*model.Piece // pieces that are drawn
}

// A segment is the graph of one step, used for all steps in a range.
type segment struct {
	steps   evaluate.Box
	back    bool
	perStep int               // the first perStep nodes of outside have one row for each step
	outside *autodiff.Routine // expressions that the steps read
	names   []string          // inputs of the step graph for the values of outside
	draws   []*stepDraw
	next    *autodiff.Routine // the carry after the step
}

// A stepDraw is one random draw in a step. args computes the arguments of the distribution, followed by the bounds if
// the term has `in`, over the plates that do not run along the recurrence.
type stepDraw struct {
	piece *model.Piece
	time  *model.Index // plate along the recurrence; nil if the piece is one element
	steps evaluate.Box // steps at which the piece is drawn
	name  string       // name of the input that represents it
	args  *autodiff.Routine
	shape []int
}

func (g *Numbers) newWalk(of *model.Group) *walk {
	w := &walk{}
	var draws []*stepDraw
	s := evaluate.NewSeries(g.E, of, func(e *evaluate.Evaluator, p *model.Piece) *evaluate.Rule {
		if p.Term.Kind != model.Generate {
			return nil
		}
		w.pieces = append(w.pieces, p)
		reads := argumentsOf(p.Term)
		if ends := p.Term.Censored; ends != nil {
			reads = append(slices.Clone(reads), ends.Lo, ends.Hi)
		}
		return &evaluate.Rule{Reads: reads, Value: func(step *evaluate.Evaluator) evaluate.Value {
			d, v := newStepDraw(step, p)
			draws = append(draws, d)
			return asRecorded(step, p.Term, v)
		}}
	})
	segments := s.Segments()
	if len(segments) == 0 {
		return w
	}
	w.carry = s.Begin(segments)
	for _, b := range segments {
		w.segments = append(w.segments, newSegment(s, b, w.carry.Shape(), &draws))
	}
	return w
}

// newSegment builds the graph of a step; draws receives the draws in it.
func newSegment(s *evaluate.Series, b evaluate.Box, carry []int, draws *[]*stepDraw) segment {
	rows, wholes := s.Reads(b)
	p, g := segment{steps: b, back: s.Back, perStep: len(rows),
		outside: autodiff.NewRoutine(slices.Concat(rows, wholes)...)}, autodiff.New()
	input := func(shape []int) autodiff.Node {
		p.names = append(p.names, fmt.Sprint("read ", len(p.names)))
		return g.Input(p.names[len(p.names)-1], shape...)
	}
	var xs, shared []autodiff.Node
	for _, n := range rows {
		xs = append(xs, input(n.Shape()[1:]))
	}
	for _, n := range wholes {
		shared = append(shared, input(n.Shape()))
	}
	*draws = nil
	p.next = autodiff.NewRoutine(s.Step(b, g.Input("carry", carry...), xs, shared))
	p.draws = *draws
	return p
}

// newStepDraw evaluates the arguments of a draw, and represents its value by an input.
func newStepDraw(step *evaluate.Evaluator, p *model.Piece) (*stepDraw, evaluate.Value) {
	t, slot := p.Term, p.Slots[p.Recurrence.Axis]
	d := &stepDraw{piece: p, time: slot.Index, steps: step.Box(slot.Set()), name: PieceName(p)}
	plates := slices.DeleteFunc(slices.Clone(p.Plates), func(i *model.Index) bool { return i == d.time })
	d.shape = step.Shape(plates, t.Event)
	var nodes []autodiff.Node
	for _, x := range argumentsOf(t) {
		w := step.Expr(x)
		nodes = append(nodes, step.Align(w, plates, w.Axes))
	}
	d.args = autodiff.NewRoutine(nodes...)
	return d, evaluate.Value{Node: step.Graph.Input(d.name, d.shape...), Bound: plates, Axes: t.Event}
}

// argumentsOf returns the arguments of a distribution, followed by the bounds of `in`.
func argumentsOf(t *model.Term) []model.Expr {
	if t.In == nil {
		return t.Args
	}
	return append(slices.Clone(t.Args), t.In.Lo, t.In.Hi)
}

// draw draws the pieces of the walk and stores them as inputs.
func (w *walk) draw(r *rand.Rand, to *Numbers) {
	for _, p := range w.pieces {
		to.Inputs[PieceName(p)] = make([]float64, evaluate.Product(to.ShapeOf(p)))
	}
	if len(w.segments) == 0 {
		return
	}
	carry := to.eval(w.carry)
	for _, p := range w.segments {
		carry = p.draw(r, to, carry)
	}
}

// draw runs the steps of a segment; it maps the carry before the segment to the carry after it.
func (p segment) draw(r *rand.Rand, to *Numbers, carry []float64) []float64 {
	n, reads := p.steps.Size(), map[string][]float64{}
	values := to.run(p.outside)
	for k := p.perStep; k < len(values); k++ {
		reads[p.names[k]] = values[k]
	}
	for step := range n {
		if p.back {
			step = n - 1 - step
		}
		reads["carry"] = carry
		for k := range p.perStep {
			size := len(values[k]) / n
			reads[p.names[k]] = values[k][step*size : (step+1)*size]
		}
		for _, l := range p.draws {
			reads[l.name] = l.draw(r, to, reads, p.steps.Lo+step)
		}
		carry = p.next.Eval(reads)[0]
	}
	return carry
}

// draw draws the value at one step of the recurrence, and stores it in the piece.
func (d *stepDraw) draw(r *rand.Rand, to *Numbers, reads map[string][]float64, step int) []float64 {
	t, out := d.piece.Term, make([]float64, evaluate.Product(d.shape))
	args := d.args.Eval(reads)
	var lo, hi []float64
	if n := len(t.Args); t.In != nil {
		lo, hi, args = args[n], args[n+1], args[:n]
	}
	to.sampleTerm(r, t, args, lo, hi, out)
	after, steps := len(out), d.steps.Size()
	if d.time != nil {
		after = evaluate.Product(d.shape[slices.Index(t.Plates, d.time):])
	}
	whole := to.Inputs[d.name]
	for k := 0; k < len(out); k += after {
		copy(whole[(k/after*steps+step-d.steps.Lo)*after:], out[k:k+after])
	}
	return out
}
