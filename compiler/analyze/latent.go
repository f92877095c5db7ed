package analyze

import (
	"slices"

	"ppl/compiler/model"
	"ppl/lang/diag"
)

// Latents finds, for each term, the latents it reads and at which plates, and refuses patterns that this version does
// not sum out.
func Latents(m *model.Model, diags *diag.List) {
	l := latents{m: m, diags: diags}
	for _, t := range m.Terms {
		if t.Kind == model.LatentPrior {
			l.support(t)
		}
	}
	for _, t := range m.Terms {
		if t.Kind == model.Generate {
			continue
		}
		f := &latentFinder{in: &l, term: t, bound: map[*model.Index]*model.Index{}}
		for _, i := range t.Plates {
			f.bound[i] = i
		}
		if t.Kind == model.LatentPrior && t.Array.Chain != nil {
			t.Reads = append(t.Reads, ownRead(t))
		}
		for _, e := range t.Exprs() {
			f.visit(e)
		}
		if t.NonCentered && len(t.Reads) > 0 {
			diags.Errorf("E61", t.At, "`noncentered` on `%s`: its law reads the discrete unknown `%s`, which is "+
				"summed out", t.Array.Name, t.Reads[0].Latent.Name)
		}
	}
	if !diags.HasErrors() {
		beside(m)
	}
}

type latents struct {
	m       *model.Model
	diags   *diag.List
	refused []*model.Array // their own law is refused, so that reads of them are not reported too
}

// ownRead is a chain's law reading its own value.
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

// chain finds the axis along which a latent in pieces runs.
func (l *latents) chain(t *model.Term) bool {
	a := t.Array
	r, ok := direction(l.diags, t)
	if !ok {
		return false
	}
	axis := -1
	switch cut := cutAxes(a); {
	case r != nil:
		axis = r.Axis
	case len(cut) == 1:
		axis = cut[0]
	default:
		axis = l.aside(a)
	}
	switch {
	case axis < 0:
		return true
	case r != nil && r.Whole:
		l.diags.Errorf("E71", t.At, "`%s` cannot be summed out: its law reads all of its past; read it at a constant "+
			"distance: `%s[t-1]`", a.Name, a.Name)
		return false
	}
	a.Chain = &model.Chain{Axis: axis, Joint: []*model.Array{a}}
	return true
}

// cutAxes are the axes along which an array is in pieces.
func cutAxes(a *model.Array) (cut []int) {
	for k := range a.Type.Axes {
		if slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool { return k < len(p.Slots) && !p.Covers(a, k) }) {
			cut = append(cut, k)
		}
	}
	return cut
}

// aside is an axis along which some statement reads a latent beside its own place, at t − c; -1 if none does.
func (l *latents) aside(a *model.Array) int {
	axis := -1
	look := func(x model.Expr) {
		readsIn(x, []*model.Array{a}, func(_ *model.Ref, sub *model.Subscript) {
			for k := range a.Type.Axes {
				if sub == nil || k >= len(sub.Subs) || sub.Subs[k].At == nil {
					continue
				}
				for _, i := range model.Indices(sub.Subs[k].At) {
					if gap := model.Offset(sub.Subs[k].At, i); gap.IsConst() && gap.Const != 0 {
						axis = k
					}
				}
			}
		})
	}
	for _, t := range l.m.Terms {
		if t.Kind != model.Generate {
			for _, x := range t.Exprs() {
				look(x)
			}
		}
	}
	for _, b := range l.m.Arrays {
		for _, p := range b.Pieces {
			if p.Value != nil {
				look(p.Value)
			}
		}
	}
	return axis
}

// support: the support must be finite.
func (l *latents) support(t *model.Term) {
	if len(t.Array.Pieces) > 0 && !l.chain(t) {
		l.refused = append(l.refused, t.Array)
		return
	}
	if t.Dist.Enumerate == nil && t.In == nil {
		l.diags.Errorf("E70", t.At, "`%s ~ %s(…)` cannot be summed out: unbounded; add `in 0..200`", t.Array.Name,
			t.Dist.Name)
	}
	if t.In != nil && !(t.In.Lo.Info().Static && t.In.Hi.Info().Static) {
		l.diags.Errorf("E48", t.At, "the values that `%s` may take must depend on data only", t.Array.Name)
	}
}

// A latentFinder walks a term's expressions, following definitions with their indices replaced by those of the reader.
type latentFinder struct {
	in    *latents
	term  *model.Term
	bound map[*model.Index]*model.Index // an index met on the way ↦ the term's plate it stands for
	open  []*model.Array                // definitions being followed
}

func (f *latentFinder) visit(e model.Expr) {
	switch e := e.(type) {
	case *model.Probability, *model.Mode:
		f.in.diags.Errorf("E84", e.Info().At, "`%s` is known only after inference; the model cannot read it",
			e.Info().At.Text())
		return
	case *model.Ref:
		f.read(e, nil)
		return
	case *model.Subscript:
		if r, ok := e.X.(*model.Ref); ok {
			f.read(r, e)
			for _, s := range e.Subs {
				if s.At != nil {
					f.visit(s.At)
				}
			}
			return
		}
	}
	for _, x := range e.Children() {
		f.visit(x)
	}
}

// read follows one reference.
func (f *latentFinder) read(r *model.Ref, sub *model.Subscript) {
	switch r.Array.Role {
	case model.Latent:
		f.latent(r, sub)
	case model.Definition:
		if slices.Contains(f.open, r.Array) { // a recurrence reads itself
			return
		}
		f.open = append(f.open, r.Array)
		for _, p := range r.Array.Pieces {
			if p.Value != nil {
				f.follow(p, sub)
			}
		}
		f.open = f.open[:len(f.open)-1]
	}
}

// follow enters a definition: its indices stand for the subscripts it is read at.
func (f *latentFinder) follow(p *model.Piece, sub *model.Subscript) {
	for k, s := range p.Slots {
		if s.Index == nil {
			continue
		}
		delete(f.bound, s.Index)
		if i := f.subIndex(sub, k); i != nil {
			f.bound[s.Index] = i
		}
	}
	f.visit(p.Value)
}

// subIndex is the term's plate that subscript k is, if it is just that.
func (f *latentFinder) subIndex(sub *model.Subscript, k int) *model.Index {
	if sub == nil || k >= len(sub.Subs) || sub.Subs[k].At == nil {
		return nil
	}
	if v, ok := sub.Subs[k].At.(*model.IndexVar); ok {
		return f.bound[v.Index]
	}
	return nil
}

func (f *latentFinder) latent(r *model.Ref, sub *model.Subscript) {
	z := r.Array
	if slices.Contains(f.in.refused, z) { // reported where it is drawn
		return
	}
	for _, a := range f.open {
		for _, p := range a.Pieces {
			if p.Recurrence != nil {
				f.in.diags.Errorf("E72", r.Info().At, "`%s` carries `%s` through a recurrence: the whole path "+
					"matters; make `%s` enter terms, not a recurrence", a.Name, z.Name, z.Name).
					Related(a.At, "the recurrence")
				return
			}
		}
	}
	read := model.LatentRead{Latent: z, Gather: make([]model.Expr, len(z.Type.Axes))}
	for k, axis := range z.Type.Axes {
		i := f.subIndex(sub, k)
		switch {
		case z.Chain != nil && k == z.Chain.Axis && f.along(&read, sub, k):
		case !(z.Chain != nil && k == z.Chain.Axis) && f.ownPart(z, sub, k):
			read.Plates = append(read.Plates, f.term.Piece.Slots[k].Index)
		case !(z.Chain != nil && k == z.Chain.Axis) && i != nil && i.Set.Same(axis):
			read.Plates = append(read.Plates, i)
		case f.gathered(sub, k):
			read.Plates = append(read.Plates, nil)
			read.Gather[k] = sub.Subs[k].At
		default:
			f.other(r)
			return
		}
	}
	f.enter(r, read)
}

// ownPart reports whether a law of a part of a latent reads the latent in that part: at its own index, or at the
// element that it is for.
func (f *latentFinder) ownPart(z *model.Array, sub *model.Subscript, k int) bool {
	if f.term.Array != z || f.term.Kind != model.LatentPrior || sub == nil || k >= len(sub.Subs) ||
		sub.Subs[k].At == nil {
		return false
	}
	slot := f.term.Piece.Slots[k]
	if slot.Index == nil {
		return model.SameForm(slot.At, sub.Subs[k].At)
	}
	return f.subIndex(sub, k) == slot.Index
}

// gathered reports whether data say which element is read: a static expression of the term's own plates.
func (f *latentFinder) gathered(sub *model.Subscript, k int) bool {
	if sub == nil || k >= len(sub.Subs) || sub.Subs[k].At == nil || !sub.Subs[k].At.Info().Static ||
		len(sub.Subs[k].At.Info().Type.Axes) > 0 {
		return false
	}
	for _, i := range model.Indices(sub.Subs[k].At) {
		if !slices.Contains(f.term.Plates, i) {
			return false
		}
	}
	return true
}

func (f *latentFinder) other(r *model.Ref) {
	f.in.diags.Errorf("E99", r.Info().At, "reading the discrete latent `%s` other than at an index of the term, at "+
		"one that data give, or along a chain at a constant distance: not compiled by this version of ppl yet",
		r.Array.Name).
		Help("give the statement an index for each axis of `%s` that it reads, and read `%s` at these; which element "+
			"data choose is written `%s[g[n]]`", r.Array.Name, r.Array.Name, r.Array.Name)
}

// along finds the place of a read along a chain: a constant distance from one of the term's plates, or one element.
func (f *latentFinder) along(read *model.LatentRead, sub *model.Subscript, k int) bool {
	if sub == nil || k >= len(sub.Subs) || sub.Subs[k].At == nil {
		return false
	}
	x := sub.Subs[k].At
	if info := x.Info(); info.Static && len(model.Indices(x)) == 0 && len(info.Type.Axes) == 0 {
		read.Plates, read.At, read.Gaps = append(read.Plates, nil), x, []int{0}
		return true
	}
	for _, i := range model.Indices(x) {
		gap := model.Offset(x, i)
		if t := f.bound[i]; t != nil && gap.IsConst() {
			far := int(gap.Const)
			read.Plates, read.Gaps, sub.Gap = append(read.Plates, t), []int{far}, &far
			return true
		}
	}
	return false
}

// enter notes a read, which must be at the places of the term's other reads of the same latent, or along a chain a
// constant from them.
func (f *latentFinder) enter(r *model.Ref, read model.LatentRead) {
	for k := range f.term.Reads {
		old := &f.term.Reads[k]
		if old.Latent != read.Latent {
			continue
		}
		far, ok := distance(old.At, read.At)
		if !ok || !slices.Equal(old.Plates, read.Plates) || !slices.EqualFunc(old.Gather, read.Gather, model.SameForm) {
			f.in.diags.Errorf("E71", r.Info().At, "`%s` cannot be summed out: two different elements of it meet in "+
				"one term", read.Latent.Name).
				Related(f.term.At, "this term")
		}
		for _, gap := range read.Gaps {
			old.Gaps = append(old.Gaps, gap+far)
		}
		slices.Sort(old.Gaps)
		old.Gaps = slices.Compact(old.Gaps)
		return
	}
	f.term.Reads = append(f.term.Reads, read)
}

// distance between two places that are one element each; 0 where a plate tells both.
func distance(from, to model.Expr) (int, bool) {
	if from == nil || to == nil {
		return 0, from == to
	}
	gap := model.AffineOf(to).Minus(model.AffineOf(from))
	return int(gap.Const), gap.IsConst()
}
