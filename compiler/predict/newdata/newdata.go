// Package newdata changes a model that was sampled so that it draws what it observes at new data, from the draws of the
// run. Each element of a parameter is either one that the run knows, and keeps its draws, or is drawn from its
// distribution given the others. Of
//
//	a[j in J] ~ Normal(mu, tau)               new group: a[J] is drawn, mu and tau are those of the draw
//	f ~ MvNormal(0, rbf(x, s, l))             new points: f there is drawn given f at the points of the run
//	y[t in 2..T] ~ Normal(phi * y[t-1], s)    later times: y continues from its observed past
//
// What is computed from data as a whole, such as the mean of a predictor, is that of the run.
//
// It works in two steps around the binding of data: Before says which data need not be given, and Changes.Apply changes
// the model once the new data are known.
//
// Elements are known by their names, or by their numbers (a series by its time). Rows that nothing refers to are new
// ones; where a distribution or a Cholesky factor spans all rows, as a Gaussian process does, they are laid behind
// those of the run, since what is drawn depends on these (conditioning: Rasmussen & Williams 2006, Gaussian Processes
// for Machine Learning, section 2.2).
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

// A Run is what is known of the run whose draws predictions are made from.
type Run struct {
	Saved  []types.Variable                     // of the posterior
	Data   []types.Variable                     // observed arrays and predictors that the run holds
	Values func(name string) ([]float64, error) // of one of Data, row-major
	Sets   []types.IndexSet                     // whose sizes its data gave
	// what is not known of the run even at given parameters: discrete unknowns, and data with missing entries
	Unknown []types.Variable
	// the new data are the rows that data statements held out from the run; else all rows of what is given are taken
	HeldOut bool
	// what is recorded between two ends (`censored`) is drawn as it is recorded; else as it is before that
	Recorded bool
	// outcomes have their expected values at the parameters of each draw; else they are drawn
	Expected bool
	Category int // of outcomes that are categories: whose probability is their expected value; 0 for none
	Groups   NewGroups
}

// NewGroups says what becomes of parameters of groups that the run did not have.
type NewGroups uint8

const (
	DrawGroups   NewGroups = iota // they are drawn from their distribution
	GroupsAtMean                  // they have the mean of their distribution, such as 0 of effects around 0
	RefuseGroups                  // there is an error
)

// Changes are what new data change in a model.
type Changes struct {
	m     *model.Model // draws replicates of what it observes (analyze.Predictive)
	run   Run
	d     *dataset.Dataset
	diags diag.List

	replaced []*model.Array       // data that are observed: their values are drawn
	series   []*model.Array       // observed arrays whose distributions read them
	inputs   []*model.Array       // data with missing entries that other distributions than their own read
	cut      []*model.Array       // observed arrays that are recorded between two ends
	unread   []*model.Array       // data that no distribution reads
	summed   map[*model.Size]bool // sizes along which sums are cumulated: times
	same     map[*model.Size]bool // sizes over which the data are those of the run; found when they are asked for
	joined   map[*model.Size]rows // sizes whose new rows stand behind those of the run
	known    map[string][]int     // for each parameter, its elements among those of the run
	drawn    map[string][]bool    // for each observed array of which parts are known, which elements are not
	indices  int                  // that were made

	sampled *dataset.Dataset // data as they were in the run, as far as they were asked for
}

// Rows are how many an axis had in the run, and how many were added.
type rows struct{ before, added int }

// Before marks the data of a model that need not be given: what is observed, and what the run holds.
func Before(m *model.Model, run Run) *Changes {
	c := newChanges(m, run)
	c.summed = axesOf(m, "cumsum")
	c.findCut()
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

// mark lets what is replaced, and what the run holds, be left out of the new data.
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

// Apply changes the model and its data. The result is nil when a diagnostic is an error.
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

// Elements says of a parameter which element of the run's variable of its name each of its elements is; −1 for one that
// the run does not have, which is drawn.
func (c *Changes) Elements(parameter string) []int { return c.known[parameter] }

// replacedData returns the data that are observed, and those from which an observed definition is computed and nothing
// that predictions read. What has axes in common with them comes from the new data alone, not from where the model
// found its rows.
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

// visit marks what the statements of an array read, directly or through others, but for some arrays and what they
// read.
func visit(a *model.Array, but []*model.Array, seen map[*model.Array]bool) {
	for _, b := range model.Arrays(a.Exprs()...) {
		if !seen[b] && !slices.Contains(but, b) {
			seen[b] = true
			visit(b, but, seen)
		}
	}
}

// sharesRows reports whether data arrays have an axis in common whose size data give.
func sharesRows(a, b *model.Array) bool {
	return slices.ContainsFunc(a.Type.Axes, func(s *model.Set) bool {
		return sizeOf(s) != nil && slices.ContainsFunc(b.Type.Axes, s.Same)
	})
}

// fill gives arrays that are not among the new data their values in the run, and those that are drawn their shape.
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

// asInRun returns the values of an array that the new data leave as they were.
func (c *Changes) asInRun(a *model.Array, shape []int) []float64 {
	old, held := Find(c.run.Data, a.Name)
	if !held {
		return nil // only statements that are left out read it
	}
	if !slices.Equal(old.Shape, shape) {
		c.diags.Errorf(diag.DataUnavailable, a.At, "`%s` has other elements than in the run, and the new "+
			"data do not give it", a.Name).
			Help("give it for all of them with `--data`")
		return nil
	}
	return c.valuesOf(a)
}

// valuesOf returns the values that an array had in the run.
func (c *Changes) valuesOf(a *model.Array) []float64 {
	values, err := c.run.Values(a.Name)
	if err != nil {
		c.diags.Errorf(diag.DataUnavailable, a.At, "predictions need `%s` as it was in the run: %v", a.Name, err)
	}
	return values
}

// Find returns the variable of a name among others.
func Find(vs []types.Variable, name string) (types.Variable, bool) {
	i := slices.IndexFunc(vs, func(v types.Variable) bool { return v.Name == name })
	if i < 0 {
		return types.Variable{}, false
	}
	return vs[i], true
}
