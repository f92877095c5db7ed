package check

import (
	"ppl/compiler/frontend/lint"
	"ppl/compiler/frontend/model"
	"ppl/compiler/frontend/scope"
	"ppl/compiler/frontend/typing"
	"ppl/lang/diag"
)

// drawBodies adds a term to the model for each draw of an array. The types of all names in its scope are known.
func (c *checker) drawBodies(a *scope.Array) {
	if a.State != scope.Typed && a.Decl == nil {
		return
	}
	a.State = scope.Done
	piece := 0
	for i := range a.Draws {
		d := &a.Draws[i]
		if d.Scope == nil { // an observation
			if !c.observe(a, d) {
				continue
			}
		}
		var p *model.Piece
		if a.Observed && a.Role == model.Latent {
			p = &model.Piece{At: d.Head.Span(), Slots: d.Slots, Plates: model.Plates(d.Slots)}
			a.Pieces = append(a.Pieces, p)
		}
		if !a.Observed {
			for piece < len(a.Pieces) && a.Pieces[piece].At != d.Head.Span() {
				piece++
			}
			if piece == len(a.Pieces) {
				return
			}
			p = a.Pieces[piece]
			if p.Value != nil { // defined by a template's block
				continue
			}
		}
		if t := c.term(a, d, p); t != nil {
			c.Model.Terms = append(c.Model.Terms, t)
		}
	}
	switch {
	case a.Observed && a.Role == model.Latent:
		c.pieces().RefuseUncovered(a)
	case a.Role == model.Imputed && len(a.Draws) > 1:
		c.pieces().RefuseUncoveredMissing(a)
	}
}

// term returns the term of one ~ statement, or nil after an error. p is the piece that the statement defines; nil for
// observed data.
func (c *checker) term(a *scope.Array, d *scope.Draw, p *model.Piece) *model.Term {
	l := c.drawnFrom(d)
	if !l.Ok {
		return nil
	}
	t := &model.Term{At: d.Head.Span(), Array: a.Array, Piece: p, Kind: c.kind(a), Dist: l.Dist, Form: l.Form,
		Plates: model.Plates(d.Slots), Event: d.Event}
	ok := true
	rank := func(i int) int { return l.Form.Args[i].Rank }
	for i, x := range l.Args {
		x, fits := c.absorb(x, rank(i), d.Bare, a.Name)
		// A scalar is repeated for every element of a vector or matrix argument.
		if n := rank(i); fits && len(x.Info().Type.Axes) == 0 && n > 0 && n == len(d.Event) {
			x = &model.Fill{Value: x, Fact: *x.Info()}
			x.Info().Type.Axes = d.Event
		}
		if fits && len(x.Info().Type.Axes) < rank(i) {
			c.Errorf(diag.Arguments, x.Info().At, "argument `%s` of `%s` must be a %s, but `%s` has %s",
				l.Form.Args[i].Name, l.Dist.Name, [...]string{"number", "vector", "matrix"}[rank(i)],
				x.Info().At.Text(), model.HaveAxes(x.Info().Type.Axes))
			fits = false
		}
		ok = ok && fits
		t.Args = append(t.Args, x)
	}
	if l.Density != nil {
		var fits bool
		t.Density, fits = c.absorb(l.Density, 0, d.Bare, a.Name)
		ok = ok && fits
	}
	if l.Dist != nil && l.Dist.Support.EventRank() == 2 && len(d.Event) == 2 && !d.Event[0].Same(d.Event[1]) {
		c.Errorf(diag.NotSquare, d.Head.Span(), "%s draws a square matrix, but the axes of `%s` are %s", l.Dist.Name,
			a.Name, model.AxesText(d.Event)).Help("use one set for both axes: `%s[%s, %s]`", a.Name, d.Event[0].Name,
			d.Event[0].Name)
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

func (c *checker) kind(a *scope.Array) model.TermKind {
	switch {
	case a.Role == model.Latent:
		return model.LatentPrior
	case a.Observed:
		return model.Likelihood
	case a.Role == model.Generated:
		return model.Generate
	}
	return model.Prior
}

// valueAt returns the array on the left of ~, subscripted by the statement's slots.
func (c *checker) valueAt(a *scope.Array, d *scope.Draw) model.Expr {
	static := a.Observed && a.Role != model.Latent && a.Role != model.Imputed
	ref := &model.Ref{Array: a.Array, Fact: model.Fact{At: d.Head.Span(), Type: a.Type, Static: static}}
	if len(d.Slots) == 0 {
		return ref
	}
	sub := &model.Subscript{X: ref, Fact: ref.Fact}
	for _, s := range d.Slots {
		at := s.At
		if s.Index != nil {
			at = typing.IndexVar(s.Index, d.Head)
		}
		sub.Subs = append(sub.Subs, model.Sub{At: at})
	}
	// If pieces disagree, an error has been reported, and the array may have fewer axes than slots.
	sub.Type.Axes = a.Type.Axes[min(len(d.Slots), len(a.Type.Axes)):]
	return sub
}
