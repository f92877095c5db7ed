package newdata

import (
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Outcomes is like Before, for the original model: its likelihood is to be evaluated at new data that include the
// observed arrays.
func Outcomes(m *model.Model, run Run) *Changes {
	c := newChanges(m, run)
	for _, t := range m.Terms {
		if t.Kind == model.Likelihood && t.Array.Role == model.Data && !slices.Contains(c.replaced, t.Array) {
			c.replaced = append(c.replaced, t.Array)
		}
	}
	c.mark()
	return c
}

// HasOutcomes reports whether the new data have all observed arrays. If they have some, lacking names a missing one.
func (c *Changes) HasOutcomes(d *dataset.Dataset) (all bool, lacking string) {
	some := false
	for _, a := range c.replaced {
		if _, given := d.Arrays[a]; given {
			some = true
		} else if lacking == "" {
			lacking = "the new data lack `" + a.Name + "`"
		}
	}
	if !some {
		return false, ""
	}
	return lacking == "", lacking
}

// Complete sets arrays that the new data do not give to their values in the run.
func (c *Changes) Complete(d *dataset.Dataset) (*dataset.Dataset, []diag.Diagnostic) {
	c.d = d
	for _, step := range []func(){c.fill, c.keep, c.give} {
		step()
		if c.diags.HasErrors() {
			return nil, c.diags.All()
		}
	}
	out := dataset.New(c.m, d.Arrays, d.Sizes, d.Labels)
	out.RowNumbers, out.Memory = d.RowNumbers, d.Memory
	return out, nil
}

// give turns discrete unknowns that are known at each draw into parameters: given these, more rows are independent. It
// reports an error if only some elements are known. Unknowns without known elements are summed out.
func (c *Changes) give() {
	given := map[*model.Array]bool{}
	for _, a := range c.m.Arrays {
		if a.Role != model.Latent {
			continue
		}
		v, old, ok := c.both(a, c.run.Unknown)
		if !ok {
			continue
		}
		elements := c.elements(a, v, old)
		switch known := isKnown(elements); {
		case !slices.Contains(known, true):
		case slices.Contains(known, false):
			c.diags.Errorf("", a.At, "the run has no draws of `%s`", v.Element(slices.Index(elements, -1)))
		default:
			given[a] = true
		}
	}
	if len(given) == 0 || c.diags.HasErrors() {
		return
	}
	c.m.Terms = slices.DeleteFunc(c.m.Terms, func(t *model.Term) bool {
		return t.Kind == model.LatentPrior && given[t.Array]
	})
	for _, t := range c.m.Terms {
		t.Reads = slices.DeleteFunc(slices.Clone(t.Reads), func(r model.LatentRead) bool { return given[r.Latent] })
	}
	for _, a := range slices.Clone(c.m.Arrays) {
		if given[a] {
			b := c.atDraw(a, nil)
			a.Role, a.Chain, a.Pieces = model.Definition, nil, []*model.Piece{c.asWhole(a, b)}
		}
	}
	c.m.RowSets, c.m.Couplings = nil, nil
	analyze.Rows(c.m, &c.diags)
}
