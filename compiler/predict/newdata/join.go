package newdata

import (
	"maps"
	"math"
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/numbers"
)

// If draws at new rows depend on the rows of the run, both are needed together. A Gaussian process at new points x* is
//
//	f* | f ~ Normal(m* + K*' K⁻¹ (f − m), K** − K*' K⁻¹ K*)
//
// so the data become x followed by x*, and f is extended beyond its known elements.

// join appends new rows to those of the run.
func (c *Changes) join() {
	for z := range c.spanned() {
		if c.isRows(z) && c.hasPredictor(z) {
			c.joined[z] = rows{added: c.d.Sizes[z]}
		}
	}
	for _, a := range c.m.Arrays {
		x, ok := c.d.Arrays[a]
		if axis := slices.IndexFunc(a.Type.Axes, c.isJoinedAxis); ok && axis >= 0 {
			c.d.Arrays[a] = c.joinArray(a, x, axis)
		}
	}
	clear(c.same)
	for _, a := range c.m.Arrays {
		for _, x := range a.Exprs() {
			model.Walk(x, c.checkOrder)
		}
	}
	for z, r := range c.joined {
		c.d.Sizes[z] = r.before + r.added
		delete(c.d.RowNumbers, z)
	}
}

// checkOrder reports an error for arrays in which new rows would not come after all rows of the run.
func (c *Changes) checkOrder(x model.Expr) {
	items, ok := x.(*model.Concat)
	if !ok {
		return
	}
	for _, item := range items.Items[1:] {
		if axes := item.Info().Type.Axes; slices.ContainsFunc(sizesIn(axes[0]), c.isJoined) {
			c.notFirst(items.At, "`"+items.At.Text()+"`")
		}
	}
}

func (c *Changes) notFirst(at source.Span, what string) {
	c.diags.Errorf("", at, "in %s the rows of the run do not come first", what).
		Help("put them first, as in `concat(x, more)`")
}

func (c *Changes) isJoinedAxis(s *model.Set) bool { return sizeOf(s) != nil && c.isJoined(sizeOf(s)) }

// spanned returns the sizes of arrays that are drawn or factored jointly.
func (c *Changes) spanned() map[*model.Size]bool {
	all := map[*model.Size]bool{}
	for _, t := range c.m.Terms {
		if t.Form != nil && t.Form.Given != nil {
			for _, s := range t.Event {
				for _, z := range sizesIn(s) {
					all[z] = true
				}
			}
		}
	}
	maps.Copy(all, axesOf(c.m, cholesky))
	return all
}

const cholesky = "cholesky"

// axesOf returns the sizes of the axes of arguments of a vector or matrix function.
func axesOf(m *model.Model, function string) map[*model.Size]bool {
	all := map[*model.Size]bool{}
	for _, a := range m.Arrays {
		for _, x := range a.Exprs() {
			model.Walk(x, func(x model.Expr) {
				if v, ok := x.(*model.Vector); ok && v.Name == function {
					for _, s := range v.X.Info().Type.Axes {
						for _, z := range sizesIn(s) {
							all[z] = true
						}
					}
				}
			})
		}
	}
	return all
}

// hasPredictor reports whether the new data give an array over an axis that is not an observed array.
func (c *Changes) hasPredictor(z *model.Size) bool {
	for a := range c.d.Arrays {
		if !slices.Contains(c.replaced, a) &&
			slices.ContainsFunc(a.Type.Axes, func(s *model.Set) bool { return sizeOf(s) == z }) {
			return true
		}
	}
	return false
}

// joinArray returns an array with the new rows after those of the run; new elements of observed arrays are NaN.
func (c *Changes) joinArray(a *model.Array, added dataset.Array, axis int) dataset.Array {
	z := sizeOf(a.Type.Axes[axis])
	old, held := Find(c.run.Data, a.Name)
	switch {
	case !held:
		c.diags.Errorf(diag.DataUnavailable, a.At, "predictions need the values of `%s` in the run, which the "+
			"run does not store", a.Name)
		return added
	case slices.ContainsFunc(a.Type.Axes[axis+1:], c.isJoinedAxis):
		c.diags.Errorf(diag.DataUnavailable, a.At, "`%s` has a value for each pair of rows, so new rows would need "+
			"a value for each pair with a row of the run", a.Name).
			Help("compute it in the model from data with one value per row")
		return added
	}
	values := c.valuesOf(a)
	if c.diags.HasErrors() {
		return added
	}
	if slices.Contains(c.replaced, a) {
		added.Values = added.Values.Map(func(float64) float64 { return math.NaN() })
	}
	r := c.joined[z]
	r.before = old.Shape[axis]
	c.joined[z] = r
	out := dataset.Array{Shape: slices.Clone(added.Shape), Origin: added.Origin}
	out.Shape[axis] += r.before
	inner := 1
	for _, n := range added.Shape[axis+1:] {
		inner *= n
	}
	m, n := r.before*inner, added.Shape[axis]*inner
	news, all := added.Values.Doubles(), []float64(nil)
	for len(all) < len(values)+len(news) {
		at := len(all) / (m + n)
		all = append(append(all, values[at*m:(at+1)*m]...), news[at*n:(at+1)*n]...)
	}
	out.Values = numbers.Packed(all)
	return out
}
