package check

import (
	"fmt"
	"slices"
	"strings"

	"ppl/compiler/model"
	"ppl/lang/types"
)

// describeLatents says for each discrete latent how it is summed out: its pattern, the table of an element, and what a gradient pays.
func (c *checker) describeLatents() {
	for _, t := range c.model.Terms {
		if t.Kind != model.LatentPrior || slices.ContainsFunc(c.model.Latents, func(s model.LatentNote) bool { return s.Latent == t.Array }) {
			continue
		}
		a := t.Array
		n := model.LatentNote{Latent: a, Pattern: c.pattern(a)}
		table := []string{c.valuesText(t)}
		if a.Chain != nil {
			table = c.chainTable(a.Chain)
		}
		for _, b := range c.together(a) {
			table = append(table, c.valuesText(b))
		}
		n.Table = strings.Join(table, " × ")
		for _, axis := range a.Type.Axes {
			n.Elements = append(n.Elements, axis.Name)
		}
		c.model.Latents = append(c.model.Latents, n)
	}
}

func (c *checker) pattern(a *model.Array) string {
	words := "own plate"
	if a.Chain != nil {
		words = "chain along " + a.Type.Axes[a.Chain.Axis].Name + reach(a)
	} else if len(a.Type.Axes) == 0 {
		words = "one value"
	}
	gather, outer := false, false
	for _, t := range c.model.Terms {
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

// together lists the laws of other latents whose values stand in the same terms and are summed out later.
func (c *checker) together(a *model.Array) (laws []*model.Term) {
	seen := map[*model.Array]bool{a: true}
	for _, t := range c.model.Terms {
		reads := t.Kind == model.LatentPrior && t.Array == a
		for _, r := range t.Reads {
			reads = reads || r.Latent == a
		}
		if !reads {
			continue
		}
		for _, b := range append(readLatents(t), t.Array) {
			if b.Role == model.Latent && !seen[b] && (a.Chain == nil || !slices.Contains(a.Chain.Beside, b)) && len(b.Type.Axes) <= len(a.Type.Axes) {
				seen[b] = true
				laws = append(laws, c.lawOfLatent(b))
			}
		}
	}
	return laws
}

func readLatents(t *model.Term) (out []*model.Array) {
	for _, r := range t.Reads {
		out = append(out, r.Latent)
	}
	return out
}

func (c *checker) lawOfLatent(a *model.Array) *model.Term {
	for _, t := range c.model.Terms {
		if t.Kind == model.LatentPrior && t.Array == a {
			return t
		}
	}
	panic("internal error: latent without a law")
}

// valuesText is the number of a latent's values, as far as it is known without data.
func (c *checker) valuesText(t *model.Term) string {
	for i, a := range t.Form.Args {
		if axes := t.Args[i].Info().Type.Axes; a.Rank == 1 && len(axes) > 0 && a.Domain.Kind == types.Simplex || a.Rank == 1 && a.Name == "logits" {
			last := axes[len(axes)-1]
			if lo, hi := linearOf(last.Lo), linearOf(last.Hi); lo.isConst() && hi.isConst() {
				return fmt.Sprintf("%g", hi.c-lo.c+1)
			}
			return last.Name
		}
	}
	r := t.Array.Type.Range // of data with holes it has the missing entries' code too
	if n := min(r.Hi, t.Dist.Hi) - max(r.Lo, t.Dist.Lo) + 1; n > 0 && n < 1e9 {
		return fmt.Sprintf("%g", n)
	}
	return "values of " + t.Dist.Name
}
