package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ppl/compiler/frontend/model"
	"ppl/lang/types"
)

// Elimination describes how each discrete latent is summed out: its dependence pattern and the size of the table per
// element, as `ppl check` prints them. It fills Model.Latents.
func Elimination(m *model.Model) {
	e := elimination{m}
	for _, t := range m.Terms {
		if t.Kind != model.LatentPrior || slices.ContainsFunc(m.Latents, func(s model.LatentNote) bool {
			return s.Latent == t.Array
		}) {
			continue
		}
		a := t.Array
		n := model.LatentNote{Latent: a, Pattern: e.pattern(a)}
		table := []string{valuesText(t)}
		if a.Chain != nil {
			table = e.chainTable(a.Chain)
		}
		for _, b := range e.together(a) {
			table = append(table, valuesText(b))
		}
		n.Table = strings.Join(table, " × ")
		for _, axis := range a.Type.Axes {
			n.Elements = append(n.Elements, axis.Name)
		}
		m.Latents = append(m.Latents, n)
	}
}

type elimination struct{ m *model.Model }

func (e elimination) pattern(a *model.Array) string {
	words := "own plate"
	if a.Chain != nil {
		words = "chain along " + a.Type.Axes[a.Chain.Axis].Name + orderText(a)
	} else if len(a.Type.Axes) == 0 {
		words = "one value"
	}
	gather, outer := false, false
	for _, t := range e.m.Terms {
		for _, r := range t.Reads {
			if r.Latent != a {
				continue
			}
			gather = gather || slices.ContainsFunc(r.Gather, func(x model.Expr) bool { return x != nil })
			outer = outer || t.Array != a && len(t.Plates) > len(a.Type.Axes)
		}
	}
	if gather {
		words += ", gathered by data"
	} else if outer {
		words += ", terms multiplied over further plates"
	}
	return words
}

// orderText describes the order of a chain, if it is above 1, and the chains with which it is summed out.
func orderText(a *model.Array) string {
	words := ""
	if a.Chain.Order > 1 {
		words = fmt.Sprintf(", order %d", a.Chain.Order)
	}
	for _, b := range a.Chain.Joint {
		if b != a {
			words += ", together with `" + b.Name + "`"
		}
	}
	return words
}

// together lists the priors of the latents that share terms with a, or with the chains summed out together with a, and
// are summed out after a. It lists a chain once for each lag at which it is read.
func (e elimination) together(a *model.Array) (priors []*model.Term) {
	all := []*model.Array{a}
	if a.Chain != nil {
		all = a.Chain.Joint
	}
	var seen []lagged
	for _, t := range e.m.Terms {
		reads := readsWithOwn(t)
		if !slices.ContainsFunc(reads, func(r model.LatentRead) bool { return slices.Contains(all, r.Latent) }) {
			continue
		}
		for _, v := range valuesIn(reads) {
			if v.array != a && later(v.array, a) && !slices.Contains(seen, v) {
				seen = append(seen, v)
				priors = append(priors, e.prior(v.array))
			}
		}
	}
	return priors
}

// later reports whether b is summed out after a: if a is a chain, b has fewer axes than a; otherwise at most as many.
func later(b, a *model.Array) bool {
	if a.Chain != nil {
		return len(b.Type.Axes) < len(a.Type.Axes)
	}
	return len(b.Type.Axes) <= len(a.Type.Axes)
}

func (e elimination) prior(a *model.Array) *model.Term {
	for _, t := range e.m.Terms {
		if t.Kind == model.LatentPrior && t.Array == a {
			return t
		}
	}
	panic("internal error: latent without a prior")
}

// valuesText returns the number of values of a latent as text. If only data give it, the text is the name of a set, or
// names the distribution.
func valuesText(t *model.Term) string {
	// for data with missing entries, Range includes the code for missing
	lo, hi := max(t.Array.Type.Range.Lo, t.Dist.Lo), min(t.Array.Type.Range.Hi, t.Dist.Hi)
	for i, a := range t.Form.Args {
		if axes := t.Args[i].Info().Type.Axes; a.Rank == 1 && len(axes) > 0 && a.Domain.Kind == types.Simplex ||
			a.Rank == 1 && a.Name == "logits" {
			last := axes[len(axes)-1]
			first, end := model.AffineOf(last.Lo), model.AffineOf(last.Hi)
			if !first.IsConst() || !end.IsConst() {
				return last.Name
			}
			lo, hi = first.Const, end.Const
		}
	}
	if t.In != nil {
		if x, ok := t.In.Lo.(*model.Num); ok {
			lo = max(lo, math.Ceil(x.Value))
		}
		if x, ok := t.In.Hi.(*model.Num); ok {
			hi = min(hi, math.Floor(x.Value))
		}
	}
	if n := hi - lo + 1; n > 0 && n < 1e9 {
		return fmt.Sprintf("%g", n)
	}
	return "values of " + t.Dist.Name
}

func readLatents(t *model.Term) (out []*model.Array) {
	for _, r := range t.Reads {
		out = append(out, r.Latent)
	}
	return out
}
