package plan

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/diag"
	"ppl/lang/types"
	"ppl/numbers"
)

// A LogProb is the log density at given values of the parameters, on their own scale.
type LogProb struct {
	Prior, Likelihood, Jacobian float64
	// log ℓ of each row, by name of the observed array, statements in order
	Rows map[string][]float64
	// Gradient is the gradient of log ρ + log ℓ, without the Jacobian, by parameter, on the parameter's own scale.
	Gradient map[string][]float64
	// Unconstrained holds the unconstrained coordinates of the values.
	Unconstrained []float64
}

// A NamedNode is a node of a density, and its name.
type NamedNode struct {
	Name string
	Node autodiff.Node
}

// An Evaluate computes values of a graph from named inputs, either with an interpreter (Interpret) or on a device.
type Evaluate func(inputs map[string][]float64, values []NamedNode) (map[string][]float64, error)

// Interpret evaluates with the interpreter of package autodiff.
func Interpret(inputs map[string][]float64, values []NamedNode) (map[string][]float64, error) {
	nodes := make([]autodiff.Node, len(values))
	for i, v := range values {
		nodes[i] = v.Node
	}
	out := map[string][]float64{}
	for i, x := range autodiff.Eval(inputs, nodes...) {
		out[values[i].Name] = x
	}
	return out, nil
}

// Named returns the density of the parameters on their own scale, without the log-Jacobian, as a graph whose inputs are
// the parameters: log_prior, log_likelihood, and the gradients of both, such as "d log_prior/d mu".
func (p *Plan) Named() []NamedNode {
	latents := marginalize.Over(simulate.Inputs{})
	g := simulate.NewNumbers(p.layout, latents)
	t := p.terms(g.E, latents, nil)
	all := []NamedNode{{"log_prior", t.Prior}, {"log_likelihood", t.Likelihood}}
	for _, y := range all[:2] {
		for _, s := range gradient(g, y.Node) {
			all = append(all, NamedNode{"d " + y.Name + "/d " + simulate.PieceName(s.piece), s.node})
		}
	}
	return all
}

// LogProb evaluates the density at parameter values. The error names a parameter that is missing, unknown, of the wrong
// shape or outside its support.
func (p *Plan) LogProb(at map[string]dataset.Array, evaluate Evaluate) (*LogProb, error) {
	latents := marginalize.Over(simulate.Inputs{})
	g := simulate.NewNumbers(p.layout, latents)
	if err := p.enterAll(g, at); err != nil {
		return nil, err
	}
	theta, err := g.Unconstrained()
	if err != nil {
		return nil, err
	}
	t := p.terms(g.E, latents, nil)
	jac := p.Terms(g.E.Graph.Data("theta", theta, p.layout.Dim)).Jacobian
	values := []NamedNode{{"log_prior", t.Prior}, {"log_likelihood", t.Likelihood}, {"log_jacobian", jac}}
	for k, r := range t.Rows {
		values = append(values, NamedNode{r.statement(k), r.Node})
	}
	slopes := gradient(g, autodiff.Add(t.Prior, t.Likelihood))
	for _, s := range slopes {
		values = append(values, NamedNode{"gradient of " + simulate.PieceName(s.piece), s.node})
	}
	g.Complete()
	got, err := evaluate(g.Inputs, values)
	if err != nil {
		return nil, err
	}
	point, err := p.PointsAt()(at)
	if err != nil {
		return nil, err
	}
	out := &LogProb{Unconstrained: point, Prior: got["log_prior"][0], Likelihood: got["log_likelihood"][0],
		Jacobian: got["log_jacobian"][0], Rows: map[string][]float64{}, Gradient: map[string][]float64{}}
	for k, r := range t.Rows { // several statements may observe parts of one array
		out.Rows[r.Name()] = append(out.Rows[r.Name()], got[r.statement(k)]...)
	}
	for _, s := range slopes { // pieces of an array are in order
		name := s.piece.Term.Array.Name
		out.Gradient[name] = append(out.Gradient[name], got["gradient of "+simulate.PieceName(s.piece)]...)
	}
	return out, nil
}

// Name joins the names of the observed arrays with "+".
func (r Rows) Name() string {
	var names []string
	for _, a := range r.Arrays {
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, "+")
}

// statement returns a name for the rows of statement k.
func (r Rows) statement(k int) string { return fmt.Sprintf("rows of %s in statement %d", r.Name(), k) }

// StartFrom returns a starting point with the given parameter values, on their own scale; the other parameters are
// drawn. The error names a parameter that is unknown, of the wrong shape, not finite or outside its support.
func (p *Plan) StartFrom(r *rand.Rand, at map[string]dataset.Array) ([]float64, error) {
	g := simulate.NewNumbers(p.layout, marginalize.Over(simulate.Inputs{}))
	if _, err := p.enterNamed(g, at); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(at)) {
		for _, x := range at[name].Values.All() {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("the initial value of parameter `%s` must be finite, but is %v", name, x)
			}
		}
	}
	return g.StartFrom(r, func(a *model.Array) bool {
		_, ok := at[a.Name]
		return ok
	})
}

// PointsAt returns a function that maps parameter values, on their own scale, to unconstrained coordinates. The error
// names a parameter that is missing, unknown, of the wrong shape or outside its support.
func (p *Plan) PointsAt() func(at map[string]dataset.Array) ([]float64, error) {
	g := simulate.NewNumbers(p.layout, marginalize.Over(simulate.Inputs{}))
	return func(at map[string]dataset.Array) ([]float64, error) {
		if err := p.enterAll(g, at); err != nil {
			return nil, err
		}
		return g.StartFrom(nil, func(*model.Array) bool { return true })
	}
}

// enterAll checks and enters all parameters.
func (p *Plan) enterAll(g *simulate.Numbers, at map[string]dataset.Array) error {
	missing, err := p.enterNamed(g, at)
	if err == nil && len(missing) > 0 {
		err = fmt.Errorf("no value given for parameter `%s`", missing[0])
	}
	return err
}

// enterNamed checks and enters the given parameters, and returns the names of the missing ones.
func (p *Plan) enterNamed(g *simulate.Numbers, at map[string]dataset.Array) (missing []string, err error) {
	known := map[string]bool{}
	for i, s := range p.saved {
		a := s.Array
		if a.Role != model.Parameter {
			continue
		}
		known[a.Name] = true
		v, ok := at[a.Name]
		if !ok {
			missing = append(missing, a.Name)
			continue
		}
		want := p.vars[i].Shape
		if a.Ragged != nil && evaluate.Product(v.Shape) == evaluate.Product(want) { // including groups of equal length
			v.Shape = want
		}
		if !slices.Equal(v.Shape, want) && !(v.Values.Len() == 1 && evaluate.Product(want) == 1) {
			return nil, fmt.Errorf("parameter `%s` has shape %v, but the value given has %v", a.Name, want, v.Shape)
		}
		g.EnterArray(a, v.Values.Doubles())
	}
	names := slices.Sorted(maps.Keys(known))
	for _, name := range slices.Sorted(maps.Keys(at)) {
		if known[name] {
			continue
		}
		return nil, fmt.Errorf("the model has no parameter `%s`; %s", name,
			diag.MeantAmong(names, "`%s`", name, "available: "+strings.Join(names, ", ")))
	}
	return missing, nil
}

// A slope is the gradient with respect to a piece of a parameter.
type slope struct {
	piece *model.Piece
	node  autodiff.Node
}

// gradient returns the gradient of y with respect to each parameter, piece by piece.
func gradient(g *simulate.Numbers, y autodiff.Node) (slopes []slope) {
	var xs []autodiff.Node
	for _, r := range g.Layout.Regions {
		xs = append(xs, g.E.Graph.Input(simulate.PieceName(r.Piece), g.ShapeOf(r.Piece)...))
	}
	for k, d := range autodiff.Grad(y, xs...) {
		slopes = append(slopes, slope{g.Layout.Regions[k].Piece, d})
	}
	return slopes
}

// Observed returns the observed arrays and their values; missing entries are NaN.
func (p *Plan) Observed() (vars []types.Variable, values [][]float64) {
	e := p.layout.Evaluator(autodiff.New(), evaluate.NoSource{})
	seen := map[*model.Array]bool{}
	for _, t := range p.layout.Data.Model.Terms {
		observed := t.Kind == model.Likelihood || t.Kind == model.LatentPrior && t.Array.Missing
		if !observed || seen[t.Array] || p.layout.Data.StreamedArray(t.Array) {
			continue
		}
		seen[t.Array] = true
		v := e.Describe(t.Array)
		d, ok := p.layout.Data.Arrays[t.Array]
		if !ok { // a static definition
			d.Values = numbers.Of(autodiff.Eval(nil, e.Array(t.Array).Node)[0]...)
		}
		v.Int = v.Int && !d.Values.Missing()
		vars, values = append(vars, v), append(values, d.Values.Doubles())
	}
	return vars, values
}
