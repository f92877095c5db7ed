package simulate

import (
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A Completer computes, for each posterior draw, everything that is not a function of the parameters: draws of
// generated arrays and of summed-out latents, and what reads them.
type Completer struct {
	saved    []Saved
	drawn    *Numbers   // evaluates expressions given drawn latents
	sums     *posterior // posterior of the latents; nil if there are none
	marginal bool       // whether some statement reads a probability
	maxima   *posterior // the same with latents maximised out; nil if no mode is read
	generate []generation
}

// A Saved is an array whose values are saved with each draw.
type Saved struct {
	Array *model.Array
	Size  int
	Late  bool // not a function of the parameters alone; a Completer computes it
}

// NewCompleter returns a Completer, or nil if all saved arrays are functions of the parameters.
func NewCompleter(l *density.Layout, saved []Saved) *Completer {
	if !slices.ContainsFunc(saved, func(s Saved) bool { return s.Late }) {
		return nil
	}
	c := &Completer{saved: saved, drawn: NewNumbers(l, drawn{marginalize.Over(Inputs{})}),
		generate: generations(l.Data.Model)}
	latent := func(t *model.Term) bool { return t.Kind == model.LatentPrior }
	if slices.ContainsFunc(l.Data.Model.Terms, latent) {
		c.sums = posteriorOf(l, marginalize.Summed())
		var mode bool
		c.marginal, mode = posteriorReads(l.Data.Model)
		if mode {
			c.maxima = posteriorOf(l, marginalize.Maximised())
		}
	}
	return c
}

// posteriorReads reports whether some statement reads a probability of a latent's values, or its mode.
func posteriorReads(m *model.Model) (probability, mode bool) {
	look := func(x model.Expr) {
		switch x.(type) {
		case *model.Probability:
			probability = true
		case *model.Mode:
			mode = true
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
	return probability, mode
}

// posteriorOf evaluates the density and records the steps that eliminate latents.
func posteriorOf(l *density.Layout, by marginalize.Reduction) *posterior {
	latents := marginalize.Over(Inputs{})
	g := NewNumbers(l, latents)
	_, steps := marginalize.Factors(g.E, l.Data.Model.Terms, nil, latents, by)
	return newPosterior(g, steps)
}

// CheckCompletion evaluates what a Completer will evaluate, so that errors caused by data appear before sampling.
func CheckCompletion(l *density.Layout, saved []Saved, diags *diag.List) {
	g := ReportingNumbers(l, drawn{marginalize.Over(Inputs{})}, diags)
	for _, next := range generations(l.Data.Model) {
		for _, t := range next.terms {
			if t.Piece.Recurrence == nil {
				g.E.Exprs(argumentsOf(t))
			}
		}
		if next.group != nil {
			g.newWalk(next.group)
		}
		if next.among != nil {
			g.newField(next.among, next.terms)
		}
	}
	for _, s := range saved {
		if s.Late {
			refuseLarge(g.E, s.Array)
		}
	}
}

// refuseLarge reports an error for an array whose computation does not fit in memory. A Completer holds all inputs of
// the computation.
func refuseLarge(e *evaluate.Evaluator, a *model.Array) {
	bytes := 8 * autodiff.Numbers(e.Array(a).Node)
	if e.Data.Memory == 0 || bytes <= float64(e.Data.Memory) {
		return
	}
	e.Stop(e.Diags.Errorf(diag.TooManyElements, a.At, "computing `%s` for a draw needs %.3g GB of memory; "+
		"%.3g GB are available", a.Name, bytes/1e9, float64(e.Data.Memory)/1e9).
		Help("compute fewer elements at a time; --max-memory SIZE sets the available memory"))
}

// AfterInference reports whether an array depends, through definitions, on something known only after inference.
func AfterInference(a *model.Array) bool {
	if a.Role == model.Parameter {
		return false
	}
	found := a.Role == model.Generated
	EachRead(a, func(b *model.Array) { found = found || b.Role == model.Generated || b.Role == model.Latent })
	return found
}

// EachRead visits the arrays that an array reads, directly or through definitions and generated draws.
func EachRead(a *model.Array, visit func(*model.Array)) {
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
			out = append(out, ReadsOf(piece.Term)...)
		}
	}
	return out
}

// Complete computes the late elements of values, which has the layout of Saved and holds the parameters.
func (c *Completer) Complete(r *rand.Rand, values []float64) { c.CompleteBy(r, r, values) }

// CompleteBy is Complete with one stream of random numbers for latents and another for generated quantities.
func (c *Completer) CompleteBy(latents, r *rand.Rand, values []float64) {
	c.drawn.enterParameters(c.saved, values)
	if c.sums != nil {
		c.latents(latents, values)
	}
	for k := range c.generate {
		c.generate[k].draw(r, c.drawn)
	}
	at := 0
	for _, s := range c.saved {
		if s.Late {
			copy(values[at:at+s.Size], c.drawn.eval(c.drawn.E.Array(s.Array).Node))
		}
		at += s.Size
	}
}

// latents stores a joint draw of the latents, and their marginals and joint mode if they are read.
func (c *Completer) latents(r *rand.Rand, values []float64) {
	c.sums.inputs.enterParameters(c.saved, values)
	c.sums.eval()
	for a, z := range c.sums.choose(false, drawIndex(r)) {
		c.drawn.Inputs[drawnName(a)] = z
	}
	if c.marginal {
		for a, p := range c.sums.marginals() {
			c.drawn.Inputs[marginalName(a)] = p
		}
	}
	if c.maxima == nil {
		return
	}
	c.maxima.inputs.enterParameters(c.saved, values)
	c.maxima.eval()
	for a, z := range c.maxima.choose(true, argmax) {
		c.drawn.Inputs[modeName(a)] = z
	}
}

// enterParameters stores the values of parameters as inputs of their pieces.
func (g *Numbers) enterParameters(saved []Saved, values []float64) {
	at := 0
	for _, s := range saved {
		if s.Array.Role == model.Parameter {
			g.EnterArray(s.Array, values[at:at+s.Size])
		}
		at += s.Size
	}
}

// EnterArray stores an array's values as inputs of its pieces.
func (g *Numbers) EnterArray(a *model.Array, values []float64) {
	whole := g.E.Shape(nil, a.Type.Axes)
	for _, p := range a.Pieces {
		if p.Term == nil {
			continue
		}
		lo, hi := make([]int, len(whole)), slices.Clone(whole)
		for k, s := range p.Slots {
			origin := g.E.Box(a.Type.Axes[k]).Lo
			if s.Index != nil {
				b := g.E.Box(s.Index.Set)
				lo[k], hi[k] = b.Lo-origin, b.Hi-origin+1
			} else {
				at := evaluate.ToInt(g.E.StaticValues(s.At)[0])
				lo[k], hi[k] = at-origin, at-origin+1
			}
		}
		g.Inputs[PieceName(p)] = cut(values, whole, lo, hi)
	}
}

// cut returns the box [lo, hi) of a row-major array.
func cut(x []float64, shape, lo, hi []int) []float64 {
	if len(shape) == 0 {
		return slices.Clone(x)
	}
	stride := evaluate.Product(shape[1:])
	var out []float64
	for i := lo[0]; i < hi[0]; i++ {
		out = append(out, cut(x[i*stride:(i+1)*stride], shape[1:], lo[1:], hi[1:])...)
	}
	return out
}
