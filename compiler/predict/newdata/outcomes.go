package newdata

import (
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
)

// Outcomes is Before for a model as it was sampled, whose likelihood is to be evaluated at new data that have what it
// observes, too.
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

// HasOutcomes reports whether all that is observed is among the new data.
func (c *Changes) HasOutcomes(d *dataset.Dataset) bool {
	return !slices.ContainsFunc(c.replaced, func(a *model.Array) bool {
		_, given := d.Arrays[a]
		return !given
	})
}

// Complete gives what the new data leave as it was in the run its values there.
func (c *Changes) Complete(d *dataset.Dataset) (*dataset.Dataset, []diag.Diagnostic) {
	c.d = d
	for _, step := range []func(){c.fill, c.keep} {
		if step(); c.diags.HasErrors() {
			return nil, c.diags.All()
		}
	}
	out := dataset.New(c.m, d.Arrays, d.Sizes, d.Labels)
	out.RowNumbers, out.Memory = d.RowNumbers, d.Memory
	return out, nil
}
