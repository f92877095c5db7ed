package emit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/model"
	"ppl/lang/diag"
	"ppl/stdlib"
)

// A given emitter reads parameters (and arrays drawn after inference) from inputs, one for each piece: for densities at given
// values, for draws from the prior, and for what is generated.
type given struct {
	*emitter
	plan   *Plan
	inputs map[string][]float64
	tails  map[*stdlib.Form][]tail
}

func (p *Plan) given() *given {
	g := &given{emitter: newEmitter(autodiff.New(), p.Bound, &diag.List{}), plan: p,
		inputs: map[string][]float64{}, tails: map[*stdlib.Form][]tail{}}
	g.piece = func(piece *model.Piece) value {
		shape := g.shapeOf(piece)
		return value{g.g.Input(pieceName(piece), shape...), piece.Plates, piece.Term.Event}
	}
	return g
}

func (g *given) shapeOf(piece *model.Piece) []int {
	return g.shape(piece.Plates, piece.Term.Event)
}

func pieceName(p *model.Piece) string {
	if a := p.Term.Array; a.Replicates != nil { // of the name of what it replicates
		return fmt.Sprintf("replica of %s@%d", a.Name, p.At.Start)
	}
	return fmt.Sprintf("%s@%d", p.Term.Array.Name, p.At.Start)
}

// eval computes a node from the inputs so far; inputs that were not drawn yet are zeros.
func (g *given) eval(n Node) []float64 { return g.evalAll(n)[0] }

func (g *given) evalAll(nodes ...Node) [][]float64 {
	for _, r := range g.plan.drawn() {
		if _, ok := g.inputs[pieceName(r)]; !ok {
			g.inputs[pieceName(r)] = make([]float64, product(g.shapeOf(r)))
		}
	}
	return autodiff.Eval(g.inputs, nodes...)
}

// drawn lists the pieces that have a law of their own: of parameters and of generated arrays.
func (p *Plan) drawn() (pieces []*model.Piece) {
	for _, t := range p.Model.Terms {
		if t.Piece != nil && (t.Kind == model.Prior || t.Kind == model.Generate) {
			pieces = append(pieces, t.Piece)
		}
	}
	for _, h := range p.holes {
		pieces = append(pieces, h.piece)
	}
	return pieces
}

// sample draws a term's value from its law at the arguments' present values.
func (g *given) sample(r *rand.Rand, t *model.Term) []float64 {
	args := make([]value, len(t.Args))
	for i, a := range t.Args {
		args[i] = g.expr(a)
	}
	return g.sampleAt(r, t, args)
}

// sampleAt draws plate by plate.
func (g *given) sampleAt(r *rand.Rand, t *model.Term, at []value) []float64 {
	out := make([]float64, product(g.shapeOf(t.Piece)))
	args := make([][]float64, len(at))
	for i, v := range at {
		args[i] = g.eval(g.align(v, t.Plates, v.axes))
	}
	var lo, hi []float64
	if t.In != nil {
		lo = g.eval(g.align(g.expr(t.In.Lo), t.Plates, nil))
		hi = g.eval(g.align(g.expr(t.In.Hi), t.Plates, nil))
	}
	g.sampleRows(r, t, args, lo, hi, out)
	g.rearrange(t, out)
	return out
}

// sampleRows draws a term's value for every combination of its plates, row-major; args and the ends of `in`, where there are any, have as many rows.
func (g *given) sampleRows(r *rand.Rand, t *model.Term, args [][]float64, lo, hi, out []float64) {
	event := product(g.shape(nil, t.Event))
	if len(out) == 0 || event == 0 {
		return
	}
	rows := len(out) / event
	one := make([][]float64, len(args))
	for k := range rows {
		for i := range args {
			n := len(args[i]) / rows
			one[i] = args[i][k*n : (k+1)*n]
		}
		a, b := math.Inf(-1), math.Inf(1)
		if t.In != nil {
			a, b = lo[k], hi[k]
		}
		g.sampleInside(r, t, one, out[k*event:(k+1)*event], a, b)
	}
}

const (
	fewRejections = 100 // cost about as much as an inversion
	maxRejections = 10000
)

// reject draws until a draw lies between the ends; not ok where none does.
func reject(r *rand.Rand, t *model.Term, args [][]float64, out []float64, lo, hi float64, tries int) bool {
	for range tries {
		t.Form.Sample(r, args, out)
		if t.In == nil || out[0] >= lo && out[0] <= hi {
			return true
		}
	}
	return false
}

// sampleInside draws between lo and hi: by rejection, and where that does not succeed soon by inversion. Where that cannot be done it goes on, and
// clips in the end, which is a place to start from, not a draw.
func (g *given) sampleInside(r *rand.Rand, t *model.Term, args [][]float64, out []float64, lo, hi float64) {
	if !reject(r, t, args, out, lo, hi, fewRejections) {
		if x, ok := g.between(r, t, args, lo, hi); ok {
			out[0] = x
		} else {
			reject(r, t, args, out, lo, hi, maxRejections)
		}
	}
	for i := range out {
		out[i] = math.Max(lo, math.Min(hi, out[i]))
		if t.Offset != nil {
			out[i] += t.Offset.(*model.Num).Value
		}
	}
}

// rearrange makes draws ordered, or sum to zero, along the last plate.
func (g *given) rearrange(t *model.Term, x []float64) {
	if !t.Ordered && !t.ZeroSum {
		return
	}
	n := g.box(t.Plates[len(t.Plates)-1].Set).size()
	for at := 0; at+n <= len(x); at += n {
		row := x[at : at+n]
		if t.Ordered {
			slices.Sort(row)
			continue
		}
		mean := 0.0
		for _, v := range row {
			mean += v / float64(n)
		}
		for i := range row {
			row[i] -= mean
		}
	}
}

// Start draws a point to begin at: parameters from their laws, in an order in which arguments come first; uniform on (−2, 2) in
// unconstrained coordinates where there is no law to draw from. A series that reads its own past is drawn as if the past were 0.
func (p *Plan) Start(r *rand.Rand) []float64 {
	g := p.given()
	theta := make([]float64, p.Dim)
	for _, reg := range p.inOrder() {
		u := g.start(r, reg)
		copy(theta[reg.offset:], u)
	}
	return theta
}

// inOrder sorts regions so that a region comes after those its law reads.
func (p *Plan) inOrder() []*region {
	var out []*region
	state := map[*model.Array]bool{}
	var visit func(a *model.Array)
	visit = func(a *model.Array) {
		if state[a] {
			return
		}
		state[a] = true
		for _, r := range p.regions {
			if r.term.Array == a {
				for _, b := range readsOf(r.term) {
					visit(b)
				}
			}
		}
		for _, piece := range a.Pieces {
			if piece.Value != nil {
				for _, b := range model.Arrays(piece.Value) {
					visit(b)
				}
			}
		}
		for _, r := range p.regions {
			if r.term.Array == a {
				out = append(out, r)
			}
		}
	}
	for _, r := range p.regions {
		visit(r.term.Array)
	}
	return out
}

func readsOf(t *model.Term) []*model.Array { return model.Arrays(t.Exprs()...) }

// start finds unconstrained coordinates for one region and enters its values for those that read it.
func (g *given) start(r *rand.Rand, reg *region) []float64 {
	t := reg.term
	for a, h := range g.b.holes {
		if h.piece == reg.piece {
			return g.startHoles(r, reg, a)
		}
	}
	if t.Dist == nil || t.Dist.Improper || len(t.Reads) > 0 { // what a law reads of discrete unknowns is summed out
		return g.dispersed(r, reg)
	}
	if t.Non {
		return g.standard(r, reg)
	}
	x := g.sample(r, t)
	u, err := g.unconstrain(reg, x)
	if err != nil {
		return g.dispersed(r, reg)
	}
	g.inputs[pieceName(reg.piece)] = x
	return u
}

// standard draws non-centred coordinates from the standard form of the law.
func (g *given) standard(r *rand.Rand, reg *region) []float64 {
	u := make([]float64, reg.size)
	if reg.term.Dist.Event == 0 {
		u = g.sampleAt(r, reg.term, g.standardArgs(reg.term))
	} else {
		for i := range u {
			u[i] = r.NormFloat64()
		}
	}
	g.enterUnconstrained(reg, u)
	return u
}

// enterUnconstrained enters a region's value from its coordinates.
func (g *given) enterUnconstrained(reg *region, u []float64) {
	theta := make([]float64, g.plan.Dim)
	copy(theta[reg.offset:], u)
	v, _ := g.constrain(reg, g.g.Data("start", theta, len(theta)))
	g.inputs[pieceName(reg.piece)] = g.eval(v.node)
}

// farthest is how far a start may lie out where coordinates are logarithms: priors with heavy tails reach e^±1000.
const farthest = 12

func (g *given) unconstrain(reg *region, x []float64) ([]float64, error) {
	u, err := g.free(reg, x)
	if err != nil {
		return nil, err
	}
	if reg.transform.Kind != 0 {
		for i := range u {
			u[i] = math.Max(-farthest, math.Min(farthest, u[i]))
		}
	}
	return u, nil
}

// free is the inverse of the region's transform, event by event.
func (g *given) free(reg *region, x []float64) ([]float64, error) {
	event := max(1, product(reg.event))
	rows := len(x) / event
	lo, hi := g.endValues(reg, rows)
	var u []float64
	for k := range rows {
		f, err := reg.transform.Unconstrain(x[k*event:(k+1)*event], reg.event, lo[k], hi[k])
		if err != nil {
			return nil, err
		}
		u = append(u, f...)
	}
	return u, nil
}

func (g *given) endValues(reg *region, rows int) (lo, hi []float64) {
	l, h := g.bounds(reg.term, reg.plates)
	value := func(n Node, none float64) []float64 {
		out := make([]float64, rows)
		var v []float64
		if n.Valid() {
			v = g.eval(n)
		}
		for k := range out {
			out[k] = none
			if len(v) == rows {
				out[k] = v[k]
			} else if len(v) == 1 {
				out[k] = v[0]
			}
		}
		return out
	}
	return value(l, math.Inf(-1)), value(h, math.Inf(1))
}

// dispersed is uniform on (−2, 2) in each unconstrained coordinate.
func (g *given) dispersed(r *rand.Rand, reg *region) []float64 {
	u := make([]float64, reg.size)
	for i := range u {
		u[i] = 4*r.Float64() - 2
	}
	g.enterUnconstrained(reg, u)
	return u
}

// A Completer computes what stands after inference: draws of generated arrays and of summed-out latents, and what reads them.
type Completer struct {
	*given          // latents as drawn
	sums     *given // latents summed out: their tables
	maxima   *given // latents maximised out
	generate []generation
	late     []int // saved arrays that are computed here
}

// NewCompleter is nil when everything saved is a function of the parameters.
func (p *Plan) NewCompleter() *Completer {
	c := &Completer{given: p.given()}
	c.drawn = true
	for i, a := range p.saved {
		if a.Role != model.Parameter && p.after(a) {
			c.late = append(c.late, i)
		}
	}
	if len(c.late) == 0 {
		return nil
	}
	c.generate = generations(p.Model)
	if slices.ContainsFunc(p.Model.Terms, func(t *model.Term) bool { return t.Kind == model.LatentPrior }) {
		c.sums, c.maxima = p.eliminator(false), p.eliminator(true)
	}
	return c
}

// eliminator emits the density and keeps the tables of the latents.
func (p *Plan) eliminator(most bool) *given {
	g := p.given()
	g.posterior, g.most = &posterior{}, most
	g.factors(p.Model.Terms, nil)
	return g
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
	c.enter(values)
	if c.sums != nil {
		c.latents(r, values)
	}
	for k := range c.generate {
		c.generate[k].draw(r, c.given)
	}
	at := 0
	for i, a := range c.plan.saved {
		n := c.plan.vars[i].Size()
		if slices.Contains(c.late, i) {
			copy(values[at:at+n], c.eval(c.array(a).node))
		}
		at += n
	}
}

// latents enters one joint draw of the latents, their marginals and their joint mode.
func (c *Completer) latents(r *rand.Rand, values []float64) {
	c.sums.enter(values)
	c.maxima.enter(values)
	c.sums.posterior.eval(c.sums)
	c.maxima.posterior.eval(c.maxima)
	for a, z := range c.sums.posterior.choose(c.sums, drawIndex(r)) {
		c.inputs[drawnName(a)] = z
	}
	for a, p := range c.sums.posterior.marginals(c.sums) {
		c.inputs[marginalName(a)] = p
	}
	for a, z := range c.maxima.posterior.choose(c.maxima, argmax) {
		c.inputs[modeName(a)] = z
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
	whole := g.shape(nil, a.Type.Axes)
	for _, p := range a.Pieces {
		if p.Term == nil {
			continue
		}
		lo, hi := make([]int, len(whole)), slices.Clone(whole)
		for k, s := range p.Slots {
			origin := g.box(a.Type.Axes[k]).lo
			if s.Index != nil {
				b := g.box(s.Index.Set)
				lo[k], hi[k] = b.lo-origin, b.hi-origin+1
			} else {
				at := toInt(g.staticValues(s.At)[0])
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
