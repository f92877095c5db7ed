package emit

import (
	"math/rand/v2"
	"slices"

	"ppl/compiler/model"
	"ppl/lang/diag"
)

// A Completer computes generated quantities for each posterior draw: draws of generated arrays and of summed-out latents,
// and what reads them.
type Completer struct {
	drawn    *given     // with latents as drawn
	sums     *posterior // of latents; nil where there are none
	maxima   *posterior // with latents maximised out; nil where no mode is asked for
	generate []generation
	late     []int // saved arrays that are computed here
}

// NewCompleter is nil when everything saved is a function of the parameters.
func (p *Plan) NewCompleter() *Completer {
	c := &Completer{drawn: p.given(drawn{newLatents(inputs{})}, &diag.List{})}
	for i, a := range p.saved {
		if a.Role != model.Parameter && p.after(a) {
			c.late = append(c.late, i)
		}
	}
	if len(c.late) == 0 {
		return nil
	}
	c.generate = generations(p.Data.Model)
	if slices.ContainsFunc(p.Data.Model.Terms, func(t *model.Term) bool { return t.Kind == model.LatentPrior }) {
		c.sums = p.posterior(summed())
		if asksMode(p.Data.Model) {
			c.maxima = p.posterior(maximised())
		}
	}
	return c
}

// asksMode reports whether some statement reads the mode of a latent.
func asksMode(m *model.Model) (asks bool) {
	look := func(x model.Expr) {
		if _, ok := x.(*model.Mode); ok {
			asks = true
		}
	}
	for _, a := range m.Arrays {
		for _, p := range a.Pieces {
			model.Walk(p.Value, look)
			if p.Term != nil {
				for _, x := range p.Term.Exprs() {
					model.Walk(x, look)
				}
			}
		}
	}
	return asks
}

// posterior evaluates the density and keeps the steps by which latents were eliminated.
func (p *Plan) posterior(by reduction) *posterior {
	latents := newLatents(inputs{})
	g := p.given(latents, &diag.List{})
	_, steps := g.e.factors(p.Data.Model.Terms, nil, latents, by)
	return newPosterior(g, steps)
}

// afterwards emits what a Completer will, to find what is wrong with the data there before anything runs.
func (p *Plan) afterwards(diags *diag.List) {
	g := p.given(drawn{newLatents(inputs{})}, diags)
	for _, next := range generations(p.Data.Model) {
		for _, t := range next.terms {
			if t.Piece.Recurrence == nil {
				g.e.values(lawOf(t))
			}
		}
		if next.group != nil {
			g.newWalk(next.group)
		}
	}
	for _, a := range p.saved {
		if a.Role != model.Parameter && p.after(a) {
			g.e.array(a)
		}
	}
}

// after reports whether an array reads, through definitions, what is known only after inference.
func (p *Plan) after(a *model.Array) bool {
	found := a.Role == model.Generated
	p.reach(a, func(b *model.Array) { found = found || b.Role == model.Generated || b.Role == model.Latent })
	return found
}

// reach visits the arrays that an array reads through definitions and generated draws.
func (p *Plan) reach(a *model.Array, visit func(*model.Array)) {
	seen := map[*model.Array]bool{}
	var walk func(*model.Array)
	walk = func(a *model.Array) {
		for _, b := range readBy(a) {
			if !seen[b] {
				seen[b] = true
				visit(b)
				walk(b)
			}
		}
	}
	walk(a)
}

// readBy lists the arrays that an array's statements read.
func readBy(a *model.Array) (out []*model.Array) {
	if a.Role != model.Definition && a.Role != model.Generated {
		return nil
	}
	for _, piece := range a.Pieces {
		if piece.Value != nil {
			out = append(out, model.Arrays(piece.Value)...)
		} else if piece.Term != nil {
			out = append(out, readsOf(piece.Term)...)
		}
	}
	return out
}

// Complete fills in the late elements of values, which is laid out as Saved and holds the parameters.
func (c *Completer) Complete(r *rand.Rand, values []float64) {
	c.drawn.enter(values)
	if c.sums != nil {
		c.latents(r, values)
	}
	for k := range c.generate {
		c.generate[k].draw(r, c.drawn)
	}
	at := 0
	for i, a := range c.drawn.plan.saved {
		n := c.drawn.plan.vars[i].Size()
		if slices.Contains(c.late, i) {
			copy(values[at:at+n], c.drawn.eval(c.drawn.e.array(a).node))
		}
		at += n
	}
}

// latents enters one joint draw of the latents, their marginals and their joint mode.
func (c *Completer) latents(r *rand.Rand, values []float64) {
	c.sums.inputs.enter(values)
	c.sums.eval()
	for a, z := range c.sums.choose(false, drawIndex(r)) {
		c.drawn.inputs[drawnName(a)] = z
	}
	for a, p := range c.sums.marginals() {
		c.drawn.inputs[marginalName(a)] = p
	}
	if c.maxima == nil {
		return
	}
	c.maxima.inputs.enter(values)
	c.maxima.eval()
	for a, z := range c.maxima.choose(true, argmax) {
		c.drawn.inputs[modeName(a)] = z
	}
}

// enter takes parameters apart into the inputs of their pieces.
func (g *given) enter(values []float64) {
	at := 0
	for i, a := range g.plan.saved {
		n := g.plan.vars[i].Size()
		if a.Role == model.Parameter {
			g.enterArray(a, values[at:at+n])
		}
		at += n
	}
}

// enterArray cuts an array's values into its pieces.
func (g *given) enterArray(a *model.Array, values []float64) {
	whole := g.e.shape(nil, a.Type.Axes)
	for _, p := range a.Pieces {
		if p.Term == nil {
			continue
		}
		lo, hi := make([]int, len(whole)), slices.Clone(whole)
		for k, s := range p.Slots {
			origin := g.e.box(a.Type.Axes[k]).lo
			if s.Index != nil {
				b := g.e.box(s.Index.Set)
				lo[k], hi[k] = b.lo-origin, b.hi-origin+1
			} else {
				at := toInt(g.e.staticValues(s.At)[0])
				lo[k], hi[k] = at-origin, at-origin+1
			}
		}
		g.inputs[pieceName(p)] = cut(values, whole, lo, hi)
	}
}

// cut takes the box [lo, hi) of a row-major array.
func cut(x []float64, shape, lo, hi []int) []float64 {
	if len(shape) == 0 {
		return slices.Clone(x)
	}
	stride := product(shape[1:])
	var out []float64
	for i := lo[0]; i < hi[0]; i++ {
		out = append(out, cut(x[i*stride:(i+1)*stride], shape[1:], lo[1:], hi[1:])...)
	}
	return out
}
