package plan

import (
	"math"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
	"ppl/lang/types"
	"ppl/numbers"
)

// Pointwise holds the log densities that a run saves with its draws.
//
//	mu ~ Normal(0, 10)                 Priors: mu, a number
//	y[i in N] ~ Normal(mu, 1)          Rows:   y[N], the log density of each observation
//
// Priors are densities of the parameters on their own scale, without log-Jacobian. A row is the log density of an
// observation with its latents summed out. Observations that share a latent form one row, and missing entries have
// none.
type Pointwise struct {
	Priors, Rows []LogDensity
}

// A LogDensity is a node with its description for the run directory.
type LogDensity struct {
	Variable types.Variable
	Node     autodiff.Node
}

// Pointwise evaluates the log densities of each prior and each row at theta.
func (p *Plan) Pointwise(theta autodiff.Node) Pointwise {
	latents := marginalize.Over(p.layout.Theta(theta))
	e := p.layout.Evaluator(theta.Graph(), latents)
	var out Pointwise
	priors, rows := map[string]int{}, map[string][]rowBlock{}
	terms := likelihoods(p.layout.Data.Model.Terms)
	var names []string
	fs, _ := marginalize.Factors(e, p.layout.Data.Model.Terms, nil, latents, marginalize.Summed())
	for _, f := range fs {
		if !f.Likelihood {
			out.Priors = addPrior(out.Priors, priors, f)
			continue
		}
		name := Rows{Arrays: f.Observed}.Name()
		if rows[name] == nil {
			names = append(names, name)
		}
		rows[name] = append(rows[name], newRowBlock(e, terms[f.Observed[0]], f, len(rows[name])))
	}
	for _, o := range p.Orders() {
		at := priors[o.Parameter]
		out.Priors[at].Node = autodiff.Add(out.Priors[at].Node, e.Graph.Const(o.Log))
	}
	for _, name := range names {
		out.Rows = append(out.Rows, keepRows(e, name, rows[name]))
	}
	return out
}

// LogDensities describes the results of Pointwise. It returns nil if data are too large for memory.
func (p *Plan) LogDensities() (priors, rows []types.Variable) {
	if p.Streams() > 0 {
		return nil, nil
	}
	all := p.Pointwise(autodiff.New().Input("theta", p.Dim()))
	return described(all.Priors), described(all.Rows)
}

func described(all []LogDensity) (vs []types.Variable) {
	for _, d := range all {
		vs = append(vs, d.Variable)
	}
	return vs
}

// addPrior adds a factor to the log prior of its array; at maps a name to its position in priors.
func addPrior(priors []LogDensity, at map[string]int, f density.Factor) []LogDensity {
	sum := autodiff.SumAll(f.Value.Node)
	i, ok := at[f.Of.Name]
	if !ok {
		at[f.Of.Name] = len(priors)
		return append(priors, LogDensity{types.Variable{Name: f.Of.Name}, sum})
	}
	priors[i].Node = autodiff.Add(priors[i].Node, sum)
	return priors
}

// A rowBlock holds the rows of one statement.
type rowBlock struct {
	v      evaluate.Value
	plates types.Variable // shape and labels of the statement's plates
	places []int          // for each row, the element of the observed array, −1 for none; nil if not known
	of     types.Variable // the observed array, without the event axes of vectors and matrices
}

// newRowBlock describes the rows of the k-th likelihood statement about an array.
func newRowBlock(e *evaluate.Evaluator, terms []*model.Term, f density.Factor, k int) rowBlock {
	b := rowBlock{v: f.Value}
	for _, i := range f.Value.Bound {
		box := e.Box(i.Set)
		b.plates.Shape = append(b.plates.Shape, box.Size())
		b.plates.Dims = append(b.plates.Dims, i.Set.Name)
		b.plates.First = append(b.plates.First, box.Lo)
		b.plates.Label = append(b.plates.Label, e.Labels(i.Set, box))
	}
	if len(f.Observed) > 1 || k >= len(terms) || len(terms) == 1 && observesAll(e, terms[0]) {
		return b // named by its plates
	}
	at := placesOf(e, terms[k])
	leave := e.UnderRanges(terms[k].Plates)
	places, inRange, ok := e.Counted(at)
	leave()
	if !ok || !slices.EqualFunc(at.Bound, f.Value.Bound, func(x, y *model.Index) bool { return x.Set.Same(y.Set) }) {
		return b // a latent shared by rows has been summed out, so rows do not correspond to elements
	}
	of := e.Describe(f.Observed[0])
	rank := len(of.Shape) - len(terms[k].Event)
	b.of = withLeadingAxes(of, rank)
	b.places = make([]int, 0, len(places))
	for i, x := range places {
		if inRange[i] == 0 || x < 0 { // outside a range such as t in first[i]..last[i]; v covers the bounding box
			b.places = append(b.places, -1)
			continue
		}
		b.places = append(b.places, int(x)/evaluate.Product(of.Shape[rank:]))
	}
	return b
}

// observesAll reports whether every row of a statement is known to be about an observed element, without checking each
// row.
func observesAll(e *evaluate.Evaluator, t *model.Term) bool {
	ragged := func(i *model.Index) bool { return len(i.Set.Ragged) > 0 }
	return !slices.ContainsFunc(t.Plates, ragged) && !e.Data.Arrays[t.Array].Values.Missing()
}

// withLeadingAxes returns a variable with only its first n axes.
func withLeadingAxes(v types.Variable, n int) types.Variable {
	v.Shape, v.Dims = v.Shape[:n], v.Dims[:min(n, len(v.Dims))]
	v.First, v.Label = v.First[:min(n, len(v.First))], v.Label[:min(n, len(v.Label))]
	return v
}

// likelihoods maps each observed array to the statements about it.
func likelihoods(terms []*model.Term) map[*model.Array][]*model.Term {
	out := map[*model.Array][]*model.Term{}
	for _, t := range terms {
		if t.Kind == model.Likelihood || t.Kind == model.LatentPrior {
			out[t.Array] = append(out[t.Array], t)
		}
	}
	return out
}

// placesOf returns, over a statement's plates, the row-major position of the observed element in its array, or of the
// first element of a vector or matrix. It is −1 if the element is not observed.
func placesOf(e *evaluate.Evaluator, t *model.Term) evaluate.Value {
	number := make([]float64, evaluate.Product(e.Shape(nil, t.Array.Type.Axes)))
	for i := range number {
		number[i] = float64(i)
	}
	if d := e.Data.Arrays[t.Array]; d.Values.Len() == len(number) {
		event := max(1, evaluate.Product(e.Shape(nil, t.Event)))
		for at := 0; at < len(number); at += event {
			if !observedIn(t, d.Values, at, at+event) {
				number[at] = -1
			}
		}
	}
	axes := t.Array.Type.Axes
	v := evaluate.Value{Node: e.Graph.Data(t.Array.Name+" places", number, e.Shape(nil, axes)...), Axes: axes}
	if sub, ok := t.Value.(*model.Subscript); ok {
		at := *sub
		at.X = &evaluate.Known{Value: v}
		v = e.Subscript(&at)
	}
	for len(v.Axes) > 0 {
		v.Node, v.Axes = firstOf(v.Node, len(v.Bound)), v.Axes[1:]
	}
	bound := evaluate.Union(v, evaluate.Value{Bound: density.PlatesOf(e, t)})
	return evaluate.Value{Node: e.Align(v, bound, nil), Bound: bound}
}

// observedIn reports whether the log likelihood has a term for the event with elements from..to−1. If some of them are
// missing, it has one if the marginal distribution of the others is known.
func observedIn(t *model.Term, values numbers.List, from, to int) bool {
	missing := 0
	for i := from; i < to; i++ {
		if math.IsNaN(values.At(i)) {
			missing++
		}
	}
	return missing == 0 || missing < to-from && t.Form.Marginal != nil
}

// firstOf returns the first slice along an axis.
func firstOf(n autodiff.Node, axis int) autodiff.Node {
	hi := slices.Clone(n.Shape())
	hi[axis] = 1
	return autodiff.Reshape(autodiff.Slice(n, make([]int, len(hi)), hi),
		slices.Delete(slices.Clone(hi), axis, axis+1)...)
}

// keepRows combines the rows of an observed array. If a single statement observes all of them, they are over its
// plates; otherwise they are concatenated and named by the elements that they observe.
func keepRows(e *evaluate.Evaluator, name string, blocks []rowBlock) LogDensity {
	if len(blocks) == 1 && !slices.Contains(blocks[0].places, -1) {
		v := blocks[0].plates
		v.Name = name
		return LogDensity{v, blocks[0].v.Node}
	}
	var parts []autodiff.Node
	var labels []string
	for _, b := range blocks {
		rows, names := b.present(e.Graph)
		parts, labels = append(parts, rows), append(labels, names...)
	}
	v := types.Variable{Name: name, Shape: []int{len(labels)}, Dims: []string{name + "_row"}, Label: [][]string{labels}}
	return LogDensity{v, autodiff.Concat(0, parts...)}
}

// present returns the rows of a block that are not missing, as a vector, and their names.
func (b rowBlock) present(g *autodiff.Graph) (rows autodiff.Node, names []string) {
	var keep []float64
	for i := range b.v.Node.Size() {
		switch {
		case b.places == nil:
			names = append(names, b.plates.Position(i))
		case b.places[i] < 0:
			continue
		default:
			names = append(names, b.of.Position(b.places[i]))
		}
		keep = append(keep, float64(i))
	}
	flat := autodiff.Reshape(b.v.Node, b.v.Node.Size())
	if len(keep) == flat.Size() {
		return flat, names
	}
	return autodiff.Gather(flat, g.Data("present", keep, len(keep))), names
}

// TopLevel returns the parameters whose prior reads no other parameter.
func (p *Plan) TopLevel() (names []string) {
	for _, t := range p.layout.Data.Model.Terms {
		if t.Kind == model.Prior && !readsParameter(t.Array, t.Exprs()) && !slices.Contains(names, t.Array.Name) {
			names = append(names, t.Array.Name)
		}
	}
	return names
}

// readsParameter reports whether expressions read a parameter other than own, directly or through definitions.
func readsParameter(own *model.Array, xs []model.Expr) bool {
	seen := map[*model.Array]bool{own: true}
	for todo := model.Arrays(xs...); len(todo) > 0; todo = todo[1:] {
		a := todo[0]
		switch {
		case seen[a]:
			continue
		case a.Role == model.Parameter || a.Role == model.Latent:
			return true
		}
		seen[a] = true
		for _, p := range a.Pieces {
			if p.Value != nil {
				todo = append(todo, model.Arrays(p.Value)...)
			}
		}
	}
	return false
}

// Constants returns the data that are not observed (the predictors) and the groups and places of the elements of ragged
// arrays.
func (p *Plan) Constants() (vars []types.Variable, values [][]float64) {
	e := p.layout.Evaluator(autodiff.New(), evaluate.NoSource{})
	all, observed := slices.Clone(p.layout.Data.Model.Arrays), likelihoods(p.layout.Data.Model.Terms)
	for _, r := range p.layout.Data.Model.Ragged {
		all = append(all, r.Group, r.Place)
	}
	for _, a := range all {
		d, ok := p.layout.Data.Arrays[a]
		if !ok || d.Values.None() || len(observed[a]) > 0 {
			continue
		}
		v := e.Describe(a)
		v.Int = v.Int && !d.Values.Missing()
		vars, values = append(vars, v), append(values, d.Values.Doubles())
	}
	return vars, values
}
