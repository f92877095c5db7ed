// Package newdata changes a model that was sampled so that it predicts new data from the draws of the run. An element
// of a parameter that the run has keeps its draws; a new element is drawn from its distribution given the others. For
//
//	a[j in J] ~ Normal(mu, tau)               new group: a[J] is drawn, mu and tau are those of the draw
//	f ~ MvNormal(0, rbf(x, s, l))             new points: f there is drawn given f at the points of the run
//	y[t in 2..T] ~ Normal(phi * y[t-1], s)    later times: y continues from its observed past
//
// Quantities computed from all data, such as the mean of a predictor, keep their values from the run.
//
// The package works in two steps, before and after the binding of data: Before marks data that need not be given, and
// Changes.Apply changes the model once the new data are known.
//
// Elements are identified by their labels, or by their numbers (a series by its time). Rows to which no data refer are
// new rows. If a distribution or a Cholesky factor spans all rows, as in a Gaussian process, they are appended to those
// of the run, because their distribution is conditional on these (Rasmussen & Williams 2006, Gaussian Processes for
// Machine Learning, section 2.2).
package newdata

import (
	"math"
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/numbers"
)

// A Run describes the run whose draws are used for predictions.
type Run struct {
	Saved  []types.Variable                     // variables of the posterior
	Data   []types.Variable                     // observed arrays and predictors that the run holds
	Values func(name string) ([]float64, error) // returns the values of one of Data, in row-major order
	Sets   []types.IndexSet                     // index sets whose sizes the data of the run gave
	// Unknown lists what is not determined by the parameters: discrete unknowns, and data with missing entries.
	Unknown []types.Variable
	// HeldOut selects the rows that data statements held out from the run as the new data; otherwise all rows are used.
	HeldOut bool
	// Recorded makes censored outcomes be drawn as recorded, between their bounds; otherwise they are drawn uncensored.
	Recorded bool
	// Expected replaces draws of outcomes by their expected values given the parameters of each draw.
	Expected bool
	Category int // category whose probability is the expected value of categorical outcomes; 0 for none
	Groups   NewGroups
}

// NewGroups determines how parameters of groups that the run did not have are treated.
type NewGroups uint8

const (
	DrawGroups   NewGroups = iota // draw them from their distribution
	GroupsAtMean                  // set them to the mean of their distribution, such as 0 for effects around 0
	RefuseGroups                  // report an error
)

// Changes holds the changes of a model for new data.
type Changes struct {
	m     *model.Model // the model, which draws replicas of its observations (analyze.Predictive)
	run   Run
	d     *dataset.Dataset
	diags diag.List

	replaced []*model.Array       // observed data, whose values are drawn
	series   []*model.Array       // observed arrays that their own distributions read
	inputs   []*model.Array       // data with missing entries that distributions of other arrays read
	censored []*model.Array       // observed arrays that are censored
	unread   []*model.Array       // data that no distribution reads
	summed   map[*model.Size]bool // sizes along which cumulative sums run, that is, times
	same     map[*model.Size]bool // caches whether the data over a size are those of the run
	joined   map[*model.Size]rows // sizes whose new rows are appended to those of the run
	known    map[string][]int     // maps a parameter's elements to those of the run
	drawn    map[string][]bool    // for partly known observed arrays, which elements are drawn
	indices  int                  // number of indices created

	sampled *dataset.Dataset // the data of the run, filled as needed
}

// A rows holds the number of rows in the run and the number of added rows.
type rows struct{ before, added int }

// Before marks data of a model that need not be given: observed arrays, and data that the run holds.
func Before(m *model.Model, run Run) *Changes {
	c := newChanges(m, run)
	c.summed = axesOf(m, "cumsum")
	c.findCensored()
	c.findSeries()
	c.findInputs()
	c.replaced = slices.DeleteFunc(replacedData(m), func(a *model.Array) bool { return slices.Contains(c.inputs, a) })
	c.findUnread()
	c.mark()
	return c
}

func newChanges(m *model.Model, run Run) *Changes {
	return &Changes{m: m, run: run, same: map[*model.Size]bool{}, joined: map[*model.Size]rows{},
		known: map[string][]int{}, drawn: map[string][]bool{},
		sampled: &dataset.Dataset{Model: m, Arrays: map[*model.Array]dataset.Array{}, Sizes: map[*model.Size]int{},
			Labels: map[*model.Size][]string{}}}
}

// mark makes replaced data, and data that the run holds, optional in the new data.
func (c *Changes) mark() {
	for _, a := range c.m.Arrays {
		if a.Selection.HoldsOut() {
			if c.run.HeldOut {
				a.Selection.Others, a.Permuted = true, nil
				continue
			}
			a.Selection.HeldOut = 0
		}
		if slices.ContainsFunc(c.replaced, func(of *model.Array) bool { return sharesRows(a, of) }) {
			a.Value, a.From, a.Permuted = nil, "", nil
		} else if _, held := Find(c.run.Data, a.Name); held && a.Role == model.Data && a.Value == nil && a.From == "" {
			a.Optional = true
		}
	}
	for _, a := range slices.Concat(c.replaced, c.inputs, c.unread) {
		a.Optional = true
	}
}

// Apply changes the model and its data. It returns nil if a diagnostic is an error.
func (c *Changes) Apply(d *dataset.Dataset) (*dataset.Dataset, []diag.Diagnostic) {
	c.d = d
	for _, step := range []func(){c.drop, c.fill, c.keep, c.join, c.extend, c.forecast, c.refuse} {
		step()
		if c.diags.HasErrors() {
			return nil, c.diags.All()
		}
	}
	if c.indices > 0 {
		analyze.Recurrences(c.m, &c.diags, nil)
	}
	if c.diags.HasErrors() {
		return nil, c.diags.All()
	}
	out := dataset.New(c.m, d.Arrays, d.Sizes, d.Labels)
	out.RowNumbers, out.Memory = d.RowNumbers, d.Memory
	return out, nil
}

// Elements maps each element of a parameter to its position in the run's variable with the same name, or −1 for a new
// element, which is drawn.
func (c *Changes) Elements(parameter string) []int { return c.known[parameter] }

// replacedData returns the observed data, and data that are used only to compute an observed definition. Data that
// share axes with these must come from the new data; the files and values in the model are not used for them.
func replacedData(m *model.Model) (all []*model.Array) {
	observed, needed := []*model.Array{}, map[*model.Array]bool{}
	for _, a := range m.Arrays {
		if a.Replicates != nil {
			observed = append(observed, a.Replicates)
		}
	}
	for _, a := range m.Arrays {
		if a.Replicates != nil {
			visit(a, observed, needed)
		}
	}
	for _, of := range observed {
		read := map[*model.Array]bool{of: true}
		visit(of, nil, read)
		for _, a := range m.Arrays {
			if read[a] && !needed[a] && a.Role == model.Data && (a == of || len(of.Pieces) > 0) {
				all = append(all, a)
			}
		}
	}
	return all
}

// visit marks everything that the statements of an array read, directly or indirectly, except the arrays in but and
// what only they read.
func visit(a *model.Array, but []*model.Array, seen map[*model.Array]bool) {
	for _, b := range model.Arrays(a.Exprs()...) {
		if !seen[b] && !slices.Contains(but, b) {
			seen[b] = true
			visit(b, but, seen)
		}
	}
}

// sharesRows reports whether two arrays share an axis whose size data give.
func sharesRows(a, b *model.Array) bool {
	return slices.ContainsFunc(a.Type.Axes, func(s *model.Set) bool {
		return sizeOf(s) != nil && slices.ContainsFunc(b.Type.Axes, s.Same)
	})
}

// fill sets arrays that are not in the new data to their values in the run, and arrays that are drawn to NaN.
func (c *Changes) fill() {
	for _, a := range c.m.Arrays {
		if _, given := c.d.Arrays[a]; given || a.Role != model.Data || !a.Optional {
			continue
		}
		shape, size := []int{}, 1
		for _, s := range a.Type.Axes {
			k, ds := evaluate.SetSize(c.d, s)
			c.diags.Add(ds...)
			shape, size = append(shape, k), size*k
		}
		values := slices.Repeat([]float64{math.NaN()}, size)
		if !slices.Contains(c.replaced, a) && !slices.Contains(c.inputs, a) {
			values = c.asInRun(a, shape)
		}
		c.d.Arrays[a] = dataset.Array{Shape: shape, Values: numbers.Packed(values)}
	}
}

// asInRun returns the values in the run of an array that the new data do not give.
func (c *Changes) asInRun(a *model.Array, shape []int) []float64 {
	old, held := Find(c.run.Data, a.Name)
	if !held {
		return nil // only statements that are skipped read it
	}
	if !slices.Equal(old.Shape, shape) {
		c.diags.Errorf(diag.DataUnavailable, a.At, "`%s` has another shape than in the run, and the new "+
			"data do not contain it", a.Name).
			Help("give all its values with `--data`")
		return nil
	}
	return c.valuesOf(a)
}

// valuesOf returns the values of an array in the run.
func (c *Changes) valuesOf(a *model.Array) []float64 {
	values, err := c.run.Values(a.Name)
	if err != nil {
		c.diags.Errorf(diag.DataUnavailable, a.At, "predictions need the values of `%s` in the run: %v", a.Name, err)
	}
	return values
}

// Find returns the variable with a name. ok is false if there is none.
func Find(vs []types.Variable, name string) (types.Variable, bool) {
	i := slices.IndexFunc(vs, func(v types.Variable) bool { return v.Name == name })
	if i < 0 {
		return types.Variable{}, false
	}
	return vs[i], true
}
