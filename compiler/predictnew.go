package compiler

import (
	"math"
	"path/filepath"
	"slices"

	"ppl/compiler/analyze"
	"ppl/compiler/bind"
	"ppl/compiler/check"
	"ppl/compiler/data"
	"ppl/compiler/dataset"
	"ppl/compiler/evaluate"
	"ppl/compiler/model"
	"ppl/compiler/plan"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/lang/types"
)

// A Prediction draws what a model observes at new data, from the draws of a run with other data.
type Prediction struct {
	*Program
	// Element says of each of Saved that stands before Replicas which element of the run's variable of its name each of
	// its elements is; −1 for one that the run does not have, which is drawn.
	Element [][]int
}

// LoadNew loads a model to predict at new data. What is observed need not be among them. An element of a group that the
// run knows by its name or number keeps its draws; one that it does not know is drawn from its distribution, given the
// draws of the rest. Rows without names are new.
func LoadNew(path, text string, args []DataArg, saved []types.Variable) (*Prediction, []diag.Diagnostic) {
	file, ds := parse.File(source.New(path, text))
	if diag.HasErrors(ds) {
		return nil, ds
	}
	m, ds := check.Predictive(file, loadImport, false)
	if diag.HasErrors(ds) {
		return nil, ds
	}
	replaced := replacedData(m)
	values, ds := bind.NewData(m, filepath.Dir(path), args, data.DefaultRowCache(), bind.KnownOf(saved))
	if diag.HasErrors(ds) {
		return nil, errorsAmong(ds)
	}
	notes := slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.Code != "" })
	n := &newData{m: values.Model, d: values, saved: saved, known: map[string][]int{}}
	for _, a := range replaced {
		n.fill(a)
	}
	n.extend()
	n.refuse()
	if n.indices > 0 {
		analyze.Recurrences(n.m, &n.diags, nil)
	}
	if n.diags.HasErrors() {
		return nil, n.diags.All()
	}
	rows, memory := values.RowNumbers, values.Memory
	values = dataset.New(values.Model, values.Arrays, values.Sizes, values.Labels)
	values.RowNumbers, values.Memory = rows, memory
	plan, ds := plan.NewPlan(values)
	if diag.HasErrors(ds) {
		return nil, errorsAmong(ds)
	}
	p := &Prediction{Program: newProgram(plan)}
	for _, v := range plan.Saved()[:plan.Replicas()] {
		p.Element = append(p.Element, n.known[v.Name])
	}
	return p, notes
}

func errorsAmong(ds []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// replacedData are the observed arrays: their values are drawn. What has axes in common with them comes from the new
// data alone, not from where the model found its rows.
func replacedData(m *model.Model) (all []*model.Array) {
	for _, a := range m.Arrays {
		if of := a.Replicates; of != nil && of.Role == model.Data {
			of.Optional = true
			all = append(all, of)
		}
	}
	for _, a := range m.Arrays {
		if slices.ContainsFunc(all, func(of *model.Array) bool { return sharesRows(a, of) }) {
			a.Value, a.From = nil, ""
		}
	}
	return all
}

// sharesRows reports whether data arrays have an axis in common whose size data give.
func sharesRows(a, b *model.Array) bool {
	return slices.ContainsFunc(a.Type.Axes, func(s *model.Set) bool {
		_, ok := s.Hi.(*model.SizeOf)
		return ok && slices.ContainsFunc(b.Type.Axes, s.Same)
	})
}

// newData is a model bound to new data.
type newData struct {
	m     *model.Model
	d     *dataset.Dataset
	saved []types.Variable
	diags diag.List

	known   map[string][]int // for each parameter, its elements among those of the run
	indices int              // that were made
}

// fill gives an observed array that is not among the new data its shape.
func (n *newData) fill(a *model.Array) {
	if _, given := n.d.Arrays[a]; given {
		return
	}
	shape, size := []int{}, 1
	for _, s := range a.Type.Axes {
		k, ds := evaluate.SetSize(n.d, s)
		n.diags.Add(ds...)
		shape, size = append(shape, k), size*k
	}
	values := make([]float64, size)
	for i := range values {
		values[i] = math.NaN()
	}
	n.d.Arrays[a] = dataset.Array{Shape: shape, Values: values}
}

func (n *newData) variable(name string) (types.Variable, bool) {
	i := slices.IndexFunc(n.saved, func(v types.Variable) bool { return v.Name == name })
	if i < 0 {
		return types.Variable{}, false
	}
	return n.saved[i], true
}

// rows reports whether a set numbers rows of data: nothing refers to them, so that those of other data are others. The
// elements of a series are known by their time.
func (n *newData) rows(s *model.Set) bool {
	of, ok := s.Hi.(*model.SizeOf)
	if !ok || len(n.d.Labels[of.Size]) > 0 {
		return false
	}
	return !slices.ContainsFunc(n.m.Arrays, func(a *model.Array) bool {
		return a.IndexOf != nil && a.IndexOf.Same(s) || a.Role == model.Parameter && isSeries(a) &&
			slices.ContainsFunc(a.Type.Axes, s.Same)
	})
}

// isSeries reports whether the distributions of a parameter read it: its elements are numbered in time.
func isSeries(a *model.Array) bool {
	return slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
		return p.Term != nil && slices.Contains(model.Arrays(p.Term.Exprs()...), a)
	})
}

// elements finds each element of a parameter among those of the run, by the names or numbers of its places.
func (n *newData) elements(a *model.Array, v, old types.Variable) []int {
	out := make([]int, v.Size())
	for i := range out {
		rest, at, stride := i, 0, 1
		for k := len(v.Shape) - 1; k >= 0 && at >= 0; k-- {
			label := v.Place(k, rest%v.Shape[k])
			rest /= v.Shape[k]
			found := -1
			for j := range old.Shape[k] {
				if old.Place(k, j) == label && !n.rows(a.Type.Axes[k]) {
					found = j
				}
			}
			if found < 0 {
				at = -1
				break
			}
			at, stride = at+found*stride, stride*old.Shape[k]
		}
		out[i] = at
	}
	return out
}

// extend makes draws of the elements of parameters that the run does not have: the parameter becomes a definition, from
// the draws of the run where it has some, else from its distribution.
func (n *newData) extend() {
	for _, a := range slices.Clone(n.m.Arrays) {
		if a.Role != model.Parameter || !a.Save {
			continue
		}
		v, ds := evaluate.Describe(n.d, a)
		n.diags.Add(ds...)
		old, ok := n.variable(a.Name)
		if !ok || len(old.Shape) != len(v.Shape) {
			n.diags.Errorf("", a.At, "the run has no draws of `%s` with these axes", a.Name)
			continue
		}
		known := n.elements(a, v, old)
		n.known[a.Name] = known
		if slices.Contains(known, -1) && n.drawable(a) {
			n.draw(a, known, v.Shape)
		}
	}
}

// drawable refuses parameters whose elements are drawn together, not each from a distribution.
func (n *newData) drawable(a *model.Array) bool {
	for _, p := range a.Pieces {
		t := p.Term
		if t == nil || t.Density != nil || t.Dist.Improper || t.Ordered || t.ZeroSum ||
			slices.ContainsFunc(t.Event, n.changed) {
			n.diags.Errorf("", a.At, "`%s` has elements that the run does not, and they are not drawn each from a "+
				"distribution", a.Name).
				Help("write the prediction as `generate` in the model, and sample it")
			return false
		}
	}
	return true
}

// draw takes a parameter apart: what the run has, what is drawn, and which is which. The parameter becomes a
// definition, which the distributions of what is drawn read where they read the parameter: a series goes on from its
// known past.
func (n *newData) draw(a *model.Array, known []int, shape []int) {
	part := func(name string, role model.Role) *model.Array {
		b := &model.Array{Name: name, At: a.At, Role: role, Type: a.Type, Save: role == model.Parameter}
		n.m.Arrays = append(n.m.Arrays, b)
		return b
	}
	has, fresh, mask := part(a.Name, model.Parameter), part(a.Name+" drawn", model.Generated),
		part("known "+a.Name, model.Data)
	for _, p := range a.Pieces {
		n.m.Terms = slices.DeleteFunc(n.m.Terms, func(t *model.Term) bool { return t == p.Term })
		copied(p, has)
		t := copied(p, fresh)
		t.Kind = model.Generate
		n.m.Terms = append(n.m.Terms, t)
	}
	values := make([]float64, len(known))
	for i, k := range known {
		if k >= 0 {
			values[i] = 1
		}
	}
	n.d.Arrays[mask] = dataset.Array{Shape: shape, Values: values}
	a.Role, a.Save, a.Pieces = model.Definition, false, []*model.Piece{n.choice(a, mask, has, fresh)}
}

// copied adds a piece of a parameter to another array, and gives its term.
func copied(p *model.Piece, to *model.Array) *model.Term {
	t := *p.Term
	t.Array, t.NonCentered = to, false
	t.Piece = &model.Piece{At: p.At, Slots: p.Slots, Plates: p.Plates, Term: &t}
	to.Pieces = append(to.Pieces, t.Piece)
	return &t
}

// choice is `a[i] = mask[i] ? has[i] : fresh[i]`.
func (n *newData) choice(a, mask, has, fresh *model.Array) *model.Piece {
	p := &model.Piece{At: a.At}
	scalar := a.Type
	scalar.Axes = nil
	var subs []model.Sub
	for _, s := range a.Type.Axes {
		n.indices++
		i := &model.Index{Set: s, ID: firstIndex + n.indices}
		p.Slots, p.Plates = append(p.Slots, model.Slot{Index: i}), append(p.Plates, i)
		subs = append(subs, model.Sub{At: &model.IndexVar{Index: i, Fact: model.Fact{At: a.At, Static: true}}})
	}
	read := func(b *model.Array) model.Expr {
		ref := &model.Ref{Array: b, Fact: model.Fact{At: a.At, Type: a.Type, Static: b == mask}}
		if len(subs) == 0 {
			return ref
		}
		return &model.Subscript{X: ref, Subs: subs, Fact: model.Fact{At: a.At, Type: scalar, Static: b == mask}}
	}
	p.Value = &model.Cond{If: read(mask), Then: read(has), Else: read(fresh), Fact: model.Fact{At: a.At, Type: scalar}}
	return p
}

// firstIndex numbers the indices of choices, beyond those of the model.
const firstIndex = 1 << 29

// changed reports whether a set has other elements than it had in the run, as far as is known.
func (n *newData) changed(s *model.Set) bool {
	if _, ok := s.Hi.(*model.SizeOf); !ok {
		return false
	}
	box, ds := evaluate.SetBox(n.d, s)
	n.diags.Add(ds...)
	for _, v := range n.saved {
		for k, name := range v.Dims {
			if name == s.Name && !n.rows(s) {
				return v.Shape[k] != max(0, box[1]-box[0]+1) || !slices.Equal(v.LabelsOf(k), n.labels(s))
			}
		}
	}
	return true
}

func (n *newData) labels(s *model.Set) []string { return n.d.Labels[s.Hi.(*model.SizeOf).Size] }

// refuse finds what would be computed from all elements of a set that has others now: a mean of a predictor, a series,
// a Gaussian process.
func (n *newData) refuse() {
	seen := map[*model.Array]bool{}
	var read func(xs []model.Expr)
	read = func(xs []model.Expr) {
		for _, x := range xs {
			model.Walk(x, n.refuseExpr)
			for _, a := range model.Arrays(x) {
				if seen[a] {
					continue
				}
				seen[a] = true
				for _, p := range a.Pieces {
					if p.Recurrence != nil && n.changed(a.Type.Axes[p.Recurrence.Axis]) {
						n.refused(p.Value, "the series `"+a.Name+"`")
					}
					if p.Value != nil {
						read([]model.Expr{p.Value})
					}
					if p.Term != nil && p.Term.Kind == model.Generate {
						read(p.Term.Exprs())
					}
				}
			}
		}
	}
	for _, t := range n.m.Terms {
		if t.Array.Replicates == nil {
			continue
		}
		read(t.Exprs())
		if slices.ContainsFunc(t.Event, n.changed) && slices.ContainsFunc(t.Event, n.rows) {
			n.diags.Errorf("", t.At, "the elements of `%s` are drawn together, so that new ones depend on those "+
				"that were observed, which a prediction at new data does not compute yet", t.Array.Name).
				Help("write the prediction as `generate` in the model, and sample it")
		}
	}
}

func (n *newData) refuseExpr(x model.Expr) {
	switch x := x.(type) {
	case *model.Reduce:
		sets := x.X.Info().Type.Axes
		if len(x.Over) > 0 {
			sets = nil
			for _, i := range x.Over {
				sets = append(sets, i.Set)
			}
		}
		if slices.ContainsFunc(sets, n.changed) {
			n.refused(x, "`"+x.At.Text()+"`")
		}
	case *model.Vector:
		if slices.ContainsFunc(x.X.Info().Type.Axes, n.changed) {
			n.refused(x, "`"+x.At.Text()+"`")
		}
	case *model.MatMul:
		axes := x.X.Info().Type.Axes
		if n.changed(axes[len(axes)-1]) {
			n.refused(x, "`"+x.At.Text()+"`")
		}
	}
}

func (n *newData) refused(x model.Expr, what string) {
	n.diags.Errorf("", x.Info().At, "%s would be computed from the new data, where the run computed it from its own",
		what).
		Help("keep what it was as data of its own, or write the prediction as `generate` in the model, and sample it")
}
