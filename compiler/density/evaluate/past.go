package evaluate

import (
	"ppl/autodiff"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// inPast reports an error if a subscript along the axis of a recurrence with index t reads an element that data do not
// place before t (after t if time runs backwards).
func (e *Evaluator) inPast(s *model.Subscript, axis int, t *model.Index, back bool) {
	places, now, ok := e.pastAndNow(s.Subs[axis].At, t)
	if !ok {
		return
	}
	b := e.Box(s.X.Info().Type.Axes[axis])
	for k, at := range places {
		if at < float64(b.Lo) || at > float64(b.Hi) {
			e.OutOfRange(s, axis, int(at), int(at), b)
		}
		if at == now[k] || at > now[k] != back {
			e.Fail(diag.NotPast, s, "`%s` is %g if `%s` is %g, so it is not an earlier element",
				s.Subs[axis].At.Info().At.Text(), at, t.Name, now[k])
		}
	}
}

// pastAndNow returns the values of a subscript where they are used, and the values of t there; ok is false if they do
// not follow from data alone.
func (e *Evaluator) pastAndNow(x model.Expr, t *model.Index) (places, now []float64, ok bool) {
	at, i := e.Expr(x), e.IndexVar(t)
	bound := Union(at, i)
	lead := make([]int, len(bound))
	for k := range lead {
		lead[k] = k
	}
	places, counts, ok := e.Counted(Value{e.Align(at, bound, at.Axes), bound, at.Axes})
	if !ok {
		return nil, nil, false
	}
	now, _, _ = e.Counted(Value{autodiff.Broadcast(e.Align(i, bound, nil), e.Shape(bound, at.Axes), lead),
		bound, at.Axes})
	count := func(k int) bool { return counts[k] != 0 }
	return selected(places, count), selected(now, count), true
}

func selected(xs []float64, holds func(int) bool) (out []float64) {
	for k, x := range xs {
		if holds(k) {
			out = append(out, x)
		}
	}
	return out
}

// longPast is the number of reads of a recurrence over its entire past from which a warning reports its cost.
const longPast = 1_000_000

func (e *Evaluator) warnPast(m *member) {
	for _, v := range m.moves {
		if n := v.steps.Size(); n*n >= longPast {
			e.Diags.Warnf(diag.LongRecurrence, v.piece.At, "this recurrence reads its entire past, so a gradient "+
				"takes about %d² steps", n).
				Help("if elements far in the past matter little, end the range at a constant lag: `j in 1..20` with "+
					"`%s[%s-j]`",
					m.array.Name, v.t.Name)
		}
	}
}
