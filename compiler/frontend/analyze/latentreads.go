package analyze

import (
	"fmt"
	"slices"

	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// A latentReader finds the latents that a term reads. It follows definitions and maps their indices to the plates of
// the term:
//
//	eta[n in N] = m[z[n]]
//	y[k in N] ~ Normal(eta[k], 1)
//
// the term of y reads z at its plate k.
type latentReader struct {
	in    *latents
	term  *model.Term
	bound map[*model.Index]*model.Index // maps an index of the term or of a definition to the term's plate
	open  map[*model.Array]bool         // definitions being followed
	carry []*model.Array                // recurrences among the definitions being followed, outermost first
	seen  map[string]bool               // keys of definitions and the plates at which they have been followed
}

// followed reports whether a definition was already followed at the same plates, and records it. Without this,
// definitions that each read the previous one twice would take exponential time. It returns false for definitions in
// the body of a function, because their reads depend on the indices of the call too.
func (r *latentReader) followed(a *model.Array, sub *model.Subscript) bool {
	if !r.in.stated[a] {
		return false
	}
	key := fmt.Sprintf("%p %t", a, len(r.carry) > 0)
	for k := range a.Type.Axes {
		// plate is nil for t-1, for an index given by data, and for an entire axis.
		key += fmt.Sprintf(" %p", r.plate(sub, k))
	}
	if r.seen[key] {
		return true
	}
	r.seen[key] = true
	return false
}

func (r *latentReader) visit(e model.Expr) {
	switch e := e.(type) {
	case *model.Probability, *model.Mode:
		r.in.diags.Errorf(diag.AfterInference, e.Info().At, "`%s` is computed only after inference; the "+
			"model cannot read it", e.Info().At.Text())
		return
	case *model.Ref:
		r.array(e, nil)
		return
	case *model.Subscript:
		if ref, ok := e.X.(*model.Ref); ok {
			r.array(ref, e)
			for _, s := range e.Subs {
				if s.At != nil {
					r.visit(s.At)
				}
			}
			return
		}
	}
	for _, x := range e.Children() {
		r.visit(x)
	}
}

// array records a read of a latent, or follows a read of a definition.
func (r *latentReader) array(ref *model.Ref, sub *model.Subscript) {
	switch a := ref.Array; a.Role {
	case model.Latent:
		r.latent(ref, sub)
	case model.Definition:
		// A recurrence reads itself, so it may be open.
		if r.open[a] || r.followed(a, sub) {
			return
		}
		outer := r.carry
		if slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool { return p.Recurrence != nil }) {
			r.carry = append(r.carry, a)
		}
		r.open[a] = true
		for _, p := range a.Pieces {
			if p.Value != nil {
				r.follow(p, sub)
			}
		}
		r.carry = outer
		delete(r.open, a)
	}
}

// follow visits the value of a piece with its indices bound to the plates at which it is read.
func (r *latentReader) follow(p *model.Piece, sub *model.Subscript) {
	for k, s := range p.Slots {
		if s.Index == nil {
			continue
		}
		delete(r.bound, s.Index)
		if i := r.plate(sub, k); i != nil {
			r.bound[s.Index] = i
		}
	}
	r.visit(p.Value)
}

// plate returns the term's plate if subscript k is an index bound to that plate, else nil.
func (r *latentReader) plate(sub *model.Subscript, k int) *model.Index {
	if v, ok := subAt(sub, k).At.(*model.IndexVar); ok {
		return r.bound[v.Index]
	}
	return nil
}

func (r *latentReader) latent(ref *model.Ref, sub *model.Subscript) {
	z := ref.Array
	if slices.Contains(r.in.refused, z) || r.throughRecurrence(ref) {
		return
	}
	read := model.LatentRead{Latent: z, Gather: make([]model.Expr, len(z.Type.Axes))}
	for k, axis := range z.Type.Axes {
		i, onChain := r.plate(sub, k), z.Chain != nil && k == z.Chain.Axis
		switch {
		case onChain && r.alongChain(&read, sub, k):
		case !onChain && r.ownPiece(z, sub, k):
			read.Plates = append(read.Plates, r.term.Piece.Slots[k].Index)
		case !onChain && i != nil && i.Set.Same(axis):
			read.Plates = append(read.Plates, i)
		case r.gathered(sub, k):
			read.Plates = append(read.Plates, nil)
			read.Gather[k] = sub.Subs[k].At
		default:
			r.refuseRead(ref)
			return
		}
	}
	r.add(ref, read)
}

// throughRecurrence reports an error and returns true if a recurrence reads a latent. Terms would depend on all earlier
// values of the latent.
func (r *latentReader) throughRecurrence(ref *model.Ref) bool {
	if len(r.carry) == 0 {
		return false
	}
	z, a := ref.Array, r.carry[0]
	r.in.diags.Errorf(diag.DiscreteRecurrence, ref.At, "the recurrence `%s` reads `%s`, which is summed out: "+
		"each element would depend on all earlier values of `%s`", a.Name, z.Name, z.Name).
		Related(a.At, "the recurrence").
		Help("read `%s` in the arguments of distributions, not in a recurrence", z.Name)
	return true
}

// ownPiece reports whether the term is a prior of a piece of z that reads z in this piece along axis k: at the same
// index, or at the one element that the piece defines.
func (r *latentReader) ownPiece(z *model.Array, sub *model.Subscript, k int) bool {
	x := subAt(sub, k).At
	if r.term.Array != z || r.term.Kind != model.LatentPrior || x == nil {
		return false
	}
	slot := r.term.Piece.Slots[k]
	if slot.Index == nil {
		return model.SameForm(slot.At, x)
	}
	return r.plate(sub, k) == slot.Index
}

// gathered reports whether data choose the element that is read: the subscript depends only on data and on the term's
// plates.
func (r *latentReader) gathered(sub *model.Subscript, k int) bool {
	x := subAt(sub, k).At
	if x == nil || !x.Info().Static || len(x.Info().Type.Axes) > 0 {
		return false
	}
	return !slices.ContainsFunc(model.Indices(x), func(i *model.Index) bool {
		return !slices.Contains(r.term.Plates, i)
	})
}

func (r *latentReader) refuseRead(ref *model.Ref) {
	name := ref.Array.Name
	r.in.diags.Errorf(diag.NotCompiled, ref.At, "reading the discrete latent `%s` other than at an index of the term, "+
		"at one that data give, or along a chain at a constant distance, is not supported by this version of ppl yet",
		name).
		Help("give the statement an index for each axis of `%s` that it reads, and read `%s` at these; an element "+
			"that data choose is written `%s[g[n]]`; %s", name, name, name, togetherAdvice(ref.Array))
}

// togetherAdvice explains how to write elements that one term reads together as one unknown, if they have few
// combinations.
func togetherAdvice(a *model.Array) string {
	values, size := "K", ""
	for _, t := range a.Pieces {
		if t.Term != nil && t.Term.Dist != nil && t.Term.Dist.Name == "Bernoulli" {
			values = "2"
		}
	}
	for _, s := range a.Type.Axes {
		if size != "" {
			size += " * "
		}
		size += s.SizeText()
	}
	if len(a.Type.Axes) > 1 {
		size = "(" + size + ")"
	}
	return fmt.Sprintf("the elements have %s^%s combinations; if these are few, make them the values of one unknown, "+
		"`c ~ Categorical(fill(%s^(-%s), %s^%s))`; element k, counted from 0, is its k-th digit, "+
		"`floor((c - 1) / %s^(k - 1)) %% %s`", values, size, values, size, values, size, values, values)
}

// alongChain records in read at which position a term reads a chain: at a constant distance from a plate of the term,
// or at one element. It returns false for other positions.
func (r *latentReader) alongChain(read *model.LatentRead, sub *model.Subscript, k int) bool {
	x := subAt(sub, k).At
	if x == nil {
		return false
	}
	if info := x.Info(); info.Static && len(model.Indices(x)) == 0 && len(info.Type.Axes) == 0 {
		read.Plates, read.At, read.Gaps = append(read.Plates, nil), x, []int{0}
		return true
	}
	for _, i := range model.Indices(x) {
		gap := model.Offset(x, i)
		if t := r.bound[i]; t != nil && gap.IsConst() {
			far := int(gap.Const)
			read.Plates, read.Gaps, sub.Gap = append(read.Plates, t), []int{far}, &far
			return true
		}
	}
	return false
}

// add records a read. It reports an error unless the read is at the same plates as the term's other reads of this
// latent, or along a chain at a constant distance from them, because a term must not read two elements of a latent that
// is not a chain.
func (r *latentReader) add(ref *model.Ref, read model.LatentRead) {
	for k := range r.term.Reads {
		old := &r.term.Reads[k]
		if old.Latent != read.Latent {
			continue
		}
		far, ok := distance(old.At, read.At)
		if !ok || !slices.Equal(old.Plates, read.Plates) || !slices.EqualFunc(old.Gather, read.Gather, model.SameForm) {
			r.in.diags.Errorf(diag.NotSummable, ref.At, "`%s` cannot be summed out: two different elements of it "+
				"occur together in one term", read.Latent.Name).
				Related(r.term.At, "this term").
				Help("%s", togetherAdvice(read.Latent))
		}
		for _, gap := range read.Gaps {
			old.Gaps = append(old.Gaps, gap+far)
		}
		slices.Sort(old.Gaps)
		old.Gaps = slices.Compact(old.Gaps)
		return
	}
	r.term.Reads = append(r.term.Reads, read)
}

// distance returns to − from for the subscripts of two elements of a chain. A nil subscript means a read at the index
// of a plate; the distance of two nil subscripts is 0. It returns false if only one of them is nil or if the distance
// is not constant.
func distance(from, to model.Expr) (int, bool) {
	if from == nil || to == nil {
		return 0, from == to
	}
	gap := model.AffineOf(to).Minus(model.AffineOf(from))
	return int(gap.Const), gap.IsConst()
}
