package emit

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
)

// A walk draws a group of arrays that read their own or each other's past after inference, step by step (ancestral
// sampling): what stands outside the group is evaluated once for all steps, and the graph of one step at each.
type walk struct {
	carry  Node // before the first step
	paces  []pace
	pieces []*model.Piece // that are drawn
}

// A pace is the graph of a step in a stretch of time.
type pace struct {
	steps   box
	back    bool
	along   int               // of the nodes outside, those that have a row for each step
	outside *autodiff.Routine // what the steps read
	names   []string          // of the inputs that stand for it in the step
	rolls   []roll
	next    *autodiff.Routine // the carry after the step
}

// A roll is a draw in a step. Its law gives the arguments and then, where there is `in`, the ends, over the plates that
// do not run along the recurrence.
type roll struct {
	move  *move
	name  string // of the input that stands for it
	law   *autodiff.Routine
	shape []int
}

func (g *given) newWalk(of *model.Group) *walk {
	s := &series{e: g.emitter, back: of.Back, walks: true}
	s.enlist(of, nil)
	w := &walk{}
	for _, m := range s.members {
		for _, v := range m.moves {
			if v.piece.Value == nil {
				w.pieces = append(w.pieces, v.piece)
			}
		}
	}
	stretches := s.stretches()
	if len(stretches) == 0 {
		return w
	}
	w.carry = s.begin(stretches)
	for _, b := range stretches {
		w.paces = append(w.paces, s.pace(b, w.carry.Shape()))
	}
	return w
}

func (s *series) pace(b box, carry []int) pace {
	rows, wholes := s.feeds(b)
	p, g := pace{steps: b, back: s.back, along: len(rows),
		outside: autodiff.NewRoutine(slices.Concat(rows, wholes)...)}, autodiff.New()
	input := func(shape []int) Node {
		p.names = append(p.names, fmt.Sprint("read ", len(p.names)))
		return g.Input(p.names[len(p.names)-1], shape...)
	}
	var xs, shared []Node
	for _, n := range rows {
		xs = append(xs, input(n.Shape()[1:]))
	}
	for _, n := range wholes {
		shared = append(shared, input(n.Shape()))
	}
	p.next = autodiff.NewRoutine(s.step(b, g.Input("carry", carry...), xs, shared))
	p.rolls, s.rolls = s.rolls, nil
	return p
}

// roll emits what a draw needs, and stands for it.
func (s *series) roll(step *emitter, v *move) value {
	t, plates := v.piece.Term, v.still()
	r := roll{move: v, name: pieceName(v.piece), shape: step.shape(plates, t.Event)}
	var nodes []Node
	for _, x := range lawOf(t) {
		w := step.expr(x)
		nodes = append(nodes, step.align(w, plates, w.axes))
	}
	r.law = autodiff.NewRoutine(nodes...)
	s.rolls = append(s.rolls, r)
	return value{step.g.Input(r.name, r.shape...), plates, t.Event}
}

// lawOf are the arguments of a law and the ends of `in`.
func lawOf(t *model.Term) []model.Expr {
	if t.In == nil {
		return t.Args
	}
	return append(slices.Clone(t.Args), t.In.Lo, t.In.Hi)
}

// draw enters a draw of the walk's pieces.
func (w *walk) draw(r *rand.Rand, to *given) {
	for _, p := range w.pieces {
		to.inputs[pieceName(p)] = make([]float64, product(to.shapeOf(p)))
	}
	if len(w.paces) == 0 {
		return
	}
	carry := to.eval(w.carry)
	for _, p := range w.paces {
		carry = p.draw(r, to, carry)
	}
}

// draw goes from the carry before a stretch to that after it.
func (p pace) draw(r *rand.Rand, to *given, carry []float64) []float64 {
	n, reads := p.steps.size(), map[string][]float64{}
	values := to.run(p.outside)
	for k := p.along; k < len(values); k++ {
		reads[p.names[k]] = values[k]
	}
	for step := range n {
		if p.back {
			step = n - 1 - step
		}
		reads["carry"] = carry
		for k := range p.along {
			size := len(values[k]) / n
			reads[p.names[k]] = values[k][step*size : (step+1)*size]
		}
		for _, l := range p.rolls {
			reads[l.name] = l.draw(r, to, reads, p.steps.lo+step)
		}
		carry = p.next.Eval(reads)[0]
	}
	return carry
}

// draw draws at one place along the recurrence, and enters it in the piece.
func (l roll) draw(r *rand.Rand, to *given, reads map[string][]float64, place int) []float64 {
	t, out := l.move.piece.Term, make([]float64, product(l.shape))
	args := l.law.Eval(reads)
	var lo, hi []float64
	if n := len(t.Args); t.In != nil {
		lo, hi, args = args[n], args[n+1], args[:n]
	}
	to.sampleTerm(r, t, args, lo, hi, out)
	after, steps := len(out), l.move.steps.size()
	if i := l.move.t; i != nil {
		after = product(l.shape[slices.Index(t.Plates, i):])
	}
	whole := to.inputs[l.name]
	for k := 0; k < len(out); k += after {
		copy(whole[(k/after*steps+place-l.move.steps.lo)*after:], out[k:k+after])
	}
	return out
}
