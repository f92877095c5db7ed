package check

import (
	"ppl/compiler/frontend/lint"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/typing"
	"ppl/lang/diag"
)

// drawBodies turns an array's draws into terms, once every type is known.
func (c *checker) drawBodies(a *arrayInfo) {
	if a.state != typed && a.decl == nil {
		return
	}
	a.state = done
	piece := 0
	for i := range a.draws {
		d := &a.draws[i]
		if d.scope == nil { // an observation
			if !c.observe(a, d) {
				continue
			}
		}
		var p *model.Piece
		if a.observed && a.Role == model.Latent {
			p = &model.Piece{At: d.head.Span(), Slots: d.slots, Plates: model.Plates(d.slots)}
			a.Pieces = append(a.Pieces, p)
		}
		if !a.observed {
			for piece < len(a.Pieces) && a.Pieces[piece].At != d.head.Span() {
				piece++
			}
			if piece == len(a.Pieces) {
				return
			}
			p = a.Pieces[piece]
			if p.Value != nil { // a template's block defines it
				continue
			}
		}
		if t := c.term(a, d, p); t != nil {
			c.Model.Terms = append(c.Model.Terms, t)
		}
	}
	switch {
	case a.observed && a.Role == model.Latent:
		c.coverData(a)
	case a.Role == model.Imputed && len(a.draws) > 1:
		c.coverMissing(a)
	}
}

// term elaborates one ~ statement.
func (c *checker) term(a *arrayInfo, d *draw, p *model.Piece) *model.Term {
	l := c.drawnFrom(d)
	if !l.ok {
		return nil
	}
	t := &model.Term{At: d.head.Span(), Array: a.Array, Piece: p, Kind: c.kind(a), Dist: l.dist, Form: l.form,
		Plates: model.Plates(d.slots), Event: d.event}
	ok := true
	rank := func(i int) int { return l.form.Args[i].Rank }
	for i, x := range l.args {
		x, fits := c.absorb(x, rank(i), d.bare, a.Name)
		// one number for every element
		if n := rank(i); fits && len(x.Info().Type.Axes) == 0 && n > 0 && n == len(d.event) {
			x = &model.Fill{Value: x, Fact: *x.Info()}
			x.Info().Type.Axes = d.event
		}
		if fits && len(x.Info().Type.Axes) < rank(i) {
			c.Errorf(diag.Arguments, x.Info().At, "argument `%s` of `%s` is a vector, but `%s` has %s",
				l.form.Args[i].Name, l.dist.Name, x.Info().At.Text(), model.HaveAxes(x.Info().Type.Axes))
			fits = false
		}
		ok = ok && fits
		t.Args = append(t.Args, x)
	}
	if l.density != nil {
		var fits bool
		t.Density, fits = c.absorb(l.density, 0, d.bare, a.Name)
		ok = ok && fits
	}
	if l.dist != nil && l.dist.Support.EventRank() == 2 && len(d.event) == 2 && !d.event[0].Same(d.event[1]) {
		c.Errorf(diag.NotSquare, d.head.Span(), "%s draws a square matrix, but the axes of `%s` are %s", l.dist.Name,
			a.Name, model.AxesText(d.event)).Help("give it one set twice: `%s[%s, %s]`", a.Name, d.event[0].Name,
			d.event[0].Name)
		ok = false
	}
	t.Value = c.valueAt(a, d)
	ok = c.modifiers(a, d, t) && ok
	if !ok || !lint.RefuseCrossedEnds(t, &c.Diags) {
		return nil
	}
	if !c.SetOffset(a.IndexOf, t) {
		return nil
	}
	if p != nil {
		p.Term = t
	}
	return t
}

func (c *checker) kind(a *arrayInfo) model.TermKind {
	switch {
	case a.Role == model.Latent:
		return model.LatentPrior
	case a.observed:
		return model.Likelihood
	case a.Role == model.Generated:
		return model.Generate
	}
	return model.Prior
}

// valueAt is the array at the statement's plates.
func (c *checker) valueAt(a *arrayInfo, d *draw) model.Expr {
	static := a.observed && a.Role != model.Latent && a.Role != model.Imputed
	ref := &model.Ref{Array: a.Array, Fact: model.Fact{At: d.head.Span(), Type: a.Type, Static: static}}
	if len(d.slots) == 0 {
		return ref
	}
	sub := &model.Subscript{X: ref, Fact: ref.Fact}
	for _, s := range d.slots {
		at := s.At
		if s.Index != nil {
			at = typing.IndexVar(s.Index, d.head)
		}
		sub.Subs = append(sub.Subs, model.Sub{At: at})
	}
	sub.Type.Axes = a.Type.Axes[min(len(d.slots), len(a.Type.Axes)):] // fewer where pieces disagree, which was reported
	return sub
}
