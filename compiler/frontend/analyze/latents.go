package analyze

import (
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Latents finds which discrete latents each term reads, and at which plates. It reports an error for patterns that this
// version cannot sum out. It fills Array.Chain, Term.Reads and Subscript.Gap. In
//
//	z[1] ~ Categorical(start)
//	z[t in 2..T] ~ Categorical(move[z[t-1]])
//	y[t in 1..T] ~ Normal(m[z[t]], 1)
//
// z is a chain along its axis. Its second term reads z at gaps −1 and 0 from the plate t; the term of y reads it at gap
// 0.
func Latents(m *model.Model, diags *diag.List) {
	l := latents{m: m, diags: diags, stated: map[*model.Array]bool{}}
	for _, a := range m.Arrays {
		l.stated[a] = true
	}
	for _, t := range m.Terms {
		if t.Kind == model.LatentPrior {
			l.prior(t)
		}
	}
	for _, t := range m.Terms {
		if t.Kind != model.Generate {
			l.term(t)
		}
	}
	if !diags.HasErrors() {
		joinChains(m)
	}
}

type latents struct {
	m       *model.Model
	diags   *diag.List
	stated  map[*model.Array]bool // arrays defined by statements, not in the bodies of functions
	refused []*model.Array        // latents with an invalid prior; errors about reading them are suppressed
}

// prior determines whether a latent is a chain, and reports an error if the latent cannot be summed out with this
// prior.
func (l *latents) prior(t *model.Term) {
	if len(t.Array.Pieces) > 0 && !l.chain(t) {
		l.refused = append(l.refused, t.Array)
		return
	}
	if t.Dist == nil || !t.Dist.Discrete() {
		l.diags.Errorf(diag.NoFiniteSupport, t.At,
			"`%s` has a discrete distribution in another statement, so its distribution here must be discrete too",
			t.Array.Name).Related(t.Array.At, "`%s`", t.Array.Name).
			Help("use discrete distributions for all elements of `%s`, or give these elements another name",
				t.Array.Name)
		l.refused = append(l.refused, t.Array)
		return
	}
	if t.Dist.Enumerate == nil && t.In == nil {
		l.diags.Errorf(diag.NoFiniteSupport, t.At, "`%s ~ %s(…)` cannot be summed out: it has infinitely "+
			"many values; add bounds, such as `in 0..200`", t.Array.Name, t.Dist.Name)
	}
	if t.In != nil && !(t.In.Lo.Info().Static && t.In.Hi.Info().Static) {
		l.diags.Errorf(diag.ParameterBound, t.At, "the bounds of `%s` must depend on data only, because "+
			"it is summed out",
			t.Array.Name)
	}
}

// term finds the latents that a term reads.
func (l *latents) term(t *model.Term) {
	r := &latentReader{in: l, term: t, bound: map[*model.Index]*model.Index{}, open: map[*model.Array]bool{},
		seen: map[string]bool{}}
	for _, i := range t.Plates {
		r.bound[i] = i
	}
	if t.Kind == model.LatentPrior && t.Array.Chain != nil {
		t.Reads = append(t.Reads, ownRead(t))
	}
	for _, e := range t.Exprs() {
		r.visit(e)
	}
	if t.NonCentered && t.OnLine() && slices.Contains(model.Arrays(t.Exprs()...), t.Array) {
		l.diags.Errorf(diag.BadNoncentered, t.At, "`%s` is a series, which can be noncentered only if its "+
			"distribution has no bounds and no `zerosum`", t.Array.Name).Help("leave `noncentered` out")
	}
	if t.NonCentered && len(t.Reads) > 0 {
		l.diags.Errorf(diag.BadNoncentered, t.At, "`%s` cannot be noncentered: its distribution reads the discrete "+
			"unknown `%s`, which is summed out", t.Array.Name, t.Reads[0].Latent.Name).Help("leave `noncentered` out")
	}
}

// ownRead returns the element of a chain that its prior draws, as a read.
func ownRead(t *model.Term) model.LatentRead {
	r := model.LatentRead{Latent: t.Array, Gaps: []int{0}, Gather: make([]model.Expr, len(t.Piece.Slots))}
	for k, s := range t.Piece.Slots {
		r.Plates = append(r.Plates, s.Index)
		if k == t.Array.Chain.Axis {
			r.At = s.At
		}
	}
	return r
}

// chain sets Array.Chain if there is an axis along which elements of a latent occur in the same terms: the axis along
// which its prior reads earlier elements, or else the only axis along which it is divided into pieces, or else an axis
// along which some statement reads a neighbour. It returns false after an error.
func (l *latents) chain(t *model.Term) bool {
	a := t.Array
	past, ok := l.direction(t)
	if !ok {
		return false
	}
	axis := -1
	switch cut := cutAxes(a); {
	case past != nil:
		axis = past.Axis
	case len(cut) == 1:
		axis = cut[0]
	default:
		axis = l.neighbourAxis(a)
	}
	switch {
	case axis < 0:
		return true
	case past != nil && past.Whole:
		l.diags.Errorf(diag.NotSummable, t.At, "`%s` cannot be summed out: its distribution reads all of its past; "+
			"read it at a constant distance: `%s[t-1]`", a.Name, a.Name)
		return false
	}
	a.Chain = &model.Chain{Axis: axis, Joint: []*model.Array{a}}
	return true
}

// direction returns the axis along which a latent's prior reads earlier elements, with the lag, or nil if the prior
// does not read the latent. The second result is false after an error.
func (l *latents) direction(t *model.Term) (*model.Member, bool) {
	g := group{arrays: []*model.Array{t.Array}}
	for _, x := range t.Args {
		eachRead(x, g.arrays, func(ref *model.Ref, sub *model.Subscript) {
			g.reads = append(g.reads, newRead(t.Array, t.Piece, ref, sub))
		})
	}
	if len(g.reads) == 0 {
		return nil, true
	}
	if i := slices.IndexFunc(g.reads, func(r read) bool { return r.sub == nil }); i >= 0 {
		noOrder(l.diags, g.reads[i])
		return nil, false
	}
	for k := range t.Array.Type.Axes {
		if r := g.along([]int{k}, false); r != nil {
			return &r.Members[0], true
		}
	}
	noDirection(l.diags, g)
	return nil, false
}

// cutAxes returns the axes along which an array is divided into pieces.
func cutAxes(a *model.Array) (cut []int) {
	for k := range a.Type.Axes {
		if slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool { return k < len(p.Slots) && !p.Covers(a, k) }) {
			cut = append(cut, k)
		}
	}
	return cut
}

// neighbourAxis returns an axis along which some statement, other than a draw after inference, reads a latent at a
// constant distance from an index, such as z[t-1]; -1 if there is none.
func (l *latents) neighbourAxis(a *model.Array) int {
	axis := -1
	look := func(_ *model.Ref, sub *model.Subscript) {
		for k := range a.Type.Axes {
			x := subAt(sub, k).At
			if x == nil {
				continue
			}
			for _, i := range model.Indices(x) {
				if gap := model.Offset(x, i); gap.IsConst() && gap.Const != 0 {
					axis = k
				}
			}
		}
	}
	for _, t := range l.m.Terms {
		if t.Kind != model.Generate {
			for _, x := range t.Exprs() {
				eachRead(x, []*model.Array{a}, look)
			}
		}
	}
	for _, b := range l.m.Arrays {
		for _, p := range b.Pieces {
			if p.Value != nil {
				eachRead(p.Value, []*model.Array{a}, look)
			}
		}
	}
	return axis
}
