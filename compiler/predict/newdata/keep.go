package newdata

import (
	"slices"

	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/frontend/model"
	"ppl/numbers"
)

// A quantity computed from all data, without parameters, is part of the model that was sampled. In
//
//	z[i in N] = (x[i] - mean(x)) / sd(x)
//	u[i in N, d in D] = X[i, d] - mean([j in N: X[j, d]])
//
// mean(x) and sd(x) keep their values from the run, and so do the means of columns, one for each d. Each such
// expression becomes a number, or a data array over the indices that it reads.

// keep replaces quantities computed from data over changed sets by their values in the run.
func (c *Changes) keep() {
	r := rewriter{c, map[model.Expr]model.Expr{}, map[model.Expr]bool{}, map[*model.Array]bool{}}
	for _, a := range slices.Clone(c.m.Arrays) {
		r.array(a)
	}
	for _, s := range c.m.Systems {
		for _, u := range s.States {
			u.Replace(r.root)
		}
	}
}

// A rewriter changes expressions in place, each once.
type rewriter struct {
	*Changes
	done    map[model.Expr]model.Expr
	stays   map[model.Expr]bool // bounds of sets, and sizes in subscripts: these keep their new values
	entered map[*model.Array]bool
}

func (r rewriter) array(a *model.Array) {
	if r.entered[a] {
		return
	}
	r.entered[a] = true
	for _, p := range a.Pieces {
		p.Value = r.root(p.Value)
		if t := p.Term; t != nil {
			for i, x := range t.Args {
				t.Args[i] = r.root(x)
			}
			t.Density = r.root(t.Density)
			for _, b := range t.Ranges() {
				b.Lo, b.Hi = r.root(b.Lo), r.root(b.Hi)
			}
			t.UpTo, t.Rounded, t.Weight = r.root(t.UpTo), r.root(t.Rounded), r.root(t.Weight)
		}
	}
}

// root rewrites a complete expression of a statement. Definitions inside functions are rewritten where they are read.
func (r rewriter) root(x model.Expr) model.Expr {
	if x == nil {
		return nil
	}
	for e := range endsIn(x) {
		r.stays[e] = true
	}
	model.Walk(x, func(y model.Expr) {
		if s, ok := y.(*model.Subscript); ok {
			for _, sub := range s.Subs {
				model.Walk(sub.At, func(z model.Expr) { r.stays[z] = r.stays[z] || isCount(z) })
			}
		}
	})
	for _, a := range model.Arrays(x) {
		r.array(a)
	}
	return r.rewrite(x)
}

func isCount(x model.Expr) bool {
	switch x.(type) {
	case *model.SizeOf, *model.SetSize:
		return true
	}
	return false
}

func (r rewriter) rewrite(x model.Expr) model.Expr {
	if x == nil || r.stays[x] {
		return x
	}
	if y, ok := r.done[x]; ok {
		return y
	}
	y := x
	if r.runsOverChanged(x) && x.Info().Static && !slices.ContainsFunc(x.Info().Type.Axes, r.changed) {
		y = r.asSampled(x)
	}
	r.done[x], r.done[y] = y, y
	if y == x {
		model.Replace(x, r.rewrite)
	}
	return y
}

// runsOverChanged reports whether the outermost operation of an expression gives other results for the new data.
func (c *Changes) runsOverChanged(x model.Expr) bool {
	switch x := x.(type) {
	case *model.SizeOf:
		return c.sizeChanged(x.Size)
	case *model.SetSize:
		return c.changed(x.Set)
	case *model.Subscript: // for example x[1], the first row
		for k, s := range x.Subs {
			if s.At != nil && c.changed(x.X.Info().Type.Axes[k]) {
				return true
			}
		}
		return false
	}
	return len(c.changedIn(x)) > 0
}

// asSampled replaces an expression of data by its value in the run. It returns the expression unchanged if it depends
// on an index over changed elements, or on data that the run does not hold.
func (c *Changes) asSampled(x model.Expr) model.Expr {
	of := readsOf(x)
	over := of.free
	if slices.ContainsFunc(over, func(i *model.Index) bool { return len(i.Set.Ragged) > 0 || c.changed(i.Set) }) ||
		slices.ContainsFunc(of.sizes, func(z *model.Size) bool { return !c.enterSize(z) }) ||
		slices.ContainsFunc(of.data, func(a *model.Array) bool { return !c.enterData(a) }) {
		return x
	}
	fact := *x.Info()
	built := &model.Build{Over: over, Body: x, Fact: fact}
	built.Type.Axes = append(setsOf(over), fact.Type.Axes...)
	whole := model.Expr(built)
	if len(over) == 0 {
		whole = x
	}
	shape, values, ds := evaluate.Static(c.sampled, whole)
	if len(ds) > 0 {
		return x
	}
	if len(shape) == 0 {
		return &model.Num{Fact: fact, Value: values[0]}
	}
	a := &model.Array{Name: "sampled " + fact.At.Text(), At: fact.At, Role: model.Data, Type: built.Type}
	c.m.Arrays = append(c.m.Arrays, a)
	c.d.Arrays[a] = dataset.Array{Shape: shape, Values: numbers.Packed(values)}
	c.sampled.Arrays[a] = c.d.Arrays[a]
	return readAt(a, over, fact)
}

// readAt returns a[i, j, …] for indices over the first axes of a.
func readAt(a *model.Array, over []*model.Index, fact model.Fact) model.Expr {
	ref := &model.Ref{Array: a, Fact: model.Fact{At: fact.At, Type: a.Type, Static: true}}
	if len(over) == 0 {
		return ref
	}
	var subs []model.Sub
	for _, i := range over {
		subs = append(subs, model.Sub{At: &model.IndexVar{Index: i, Fact: model.Fact{At: fact.At, Static: true}}})
	}
	return &model.Subscript{X: ref, Subs: subs, Fact: fact}
}

// A reads holds what the value of an expression depends on, also through definitions.
type reads struct {
	free  []*model.Index // indices that it does not bind
	data  []*model.Array
	sizes []*model.Size
	seen  map[*model.Array]bool
}

func readsOf(x model.Expr) *reads {
	r := &reads{seen: map[*model.Array]bool{}}
	r.free = r.expr(x)
	return r
}

// expr returns the indices that an expression reads but does not bind.
func (r *reads) expr(x model.Expr) (free []*model.Index) {
	var bound []*model.Index
	model.Walk(x, func(y model.Expr) {
		switch y := y.(type) {
		case *model.IndexVar:
			free = append(free, y.Index)
		case *model.Reduce:
			bound = append(bound, y.Over...)
		case *model.Build:
			bound = append(bound, y.Over...)
		case *model.SizeOf:
			r.sizes = append(r.sizes, y.Size)
		case *model.Ref:
			free = append(free, r.array(y.Array)...)
		}
		r.axes(y.Info().Type.Axes)
	})
	return unbound(free, bound)
}

// array returns the indices that a definition inside a function reads from its call.
func (r *reads) array(a *model.Array) (free []*model.Index) {
	if r.seen[a] {
		return nil
	}
	r.seen[a] = true
	r.axes(a.Type.Axes)
	if a.Role == model.Data {
		r.data = append(r.data, a)
		return nil
	}
	for _, p := range a.Pieces {
		var all []*model.Index
		for _, x := range p.Exprs() {
			all = append(all, r.expr(x)...)
		}
		free = append(free, unbound(all, p.Plates)...)
	}
	return free
}

func (r *reads) axes(sets []*model.Set) {
	for _, s := range sets {
		r.sizes = append(r.sizes, sizesIn(s)...)
	}
}

// unbound returns the indices in free that are not in bound, without duplicates.
func unbound(free, bound []*model.Index) (out []*model.Index) {
	for _, i := range free {
		if !slices.Contains(bound, i) && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	return out
}

// enterData adds a data array to the dataset of the run. It returns false if the run does not hold the array.
func (c *Changes) enterData(a *model.Array) bool {
	if _, there := c.sampled.Arrays[a]; there {
		return true
	}
	v, held := Find(c.run.Data, a.Name)
	if held {
		c.sampled.Arrays[a] = dataset.Array{Shape: v.Shape, Values: numbers.Packed(c.valuesOf(a))}
	}
	return held
}

// enterSize sets a size to its value in the run. It returns false if the value is not known.
func (c *Changes) enterSize(z *model.Size) bool {
	n, labels, known := c.sizeInRun(z)
	if known {
		c.sampled.Sizes[z], c.sampled.Labels[z] = n, labels
	}
	return known
}
