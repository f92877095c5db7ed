package plan

import (
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/density/minibatch"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/types"
	"ppl/numbers"
)

// A Forecast is a graph that evaluates the predictive densities of m rows at a time.
//
//	label[i in N] ~ Categorical(logits = f(x[i]))    Densities [m]: log p(label[i]); Classes [m, K]: p of each class
//	y[i in N] ~ Normal(mu[i], s)                     Densities [m]; no Classes
//
// The graph has an input for each parameter and one, RowNumbers, for the numbers of the rows, from 0.
type Forecast struct {
	Outcome   types.Variable // the observed array
	Values    []float64      // observed value of each row
	Places    []int          // for each row, the position of its element in the outcome
	Came      []int          // for each row, the observed class, counted from 0; nil without classes
	First     int            // class number 0 as coded in the data
	Names     []string       // names of the classes, from number 0: labels of the data, or numbers
	Densities autodiff.Node
	Classes   autodiff.Node // not valid if outcomes are not classes

	plan    *Plan
	numbers *simulate.Numbers
}

// RowNumbers is the name of the input for the numbers of the rows.
const RowNumbers = "rows"

// mostClasses limits the number of classes whose probabilities are computed.
const mostClasses = 1000

// Forecast returns the forecast of m rows at a time, or nil unless each row is one observation of one array. The
// parameters named in single, such as weights of networks, are rounded to single precision, and so is everything
// computed from them.
func (p *Plan) Forecast(m int, single map[string]bool) *Forecast {
	t := p.onlyObservation()
	if t == nil {
		return nil
	}
	latents := marginalize.Over(simulate.Inputs{Single: single})
	f := &Forecast{plan: p, numbers: simulate.NewNumbers(p.layout, latents)}
	e := f.numbers.E
	rows := e.Graph.Input(RowNumbers, m)
	_, _, f.Densities, _ = p.split(e, rows, latents, nil)
	f.Outcome = e.Describe(t.Array)
	places := placesOf(e, t)
	if places.Node.Size() != p.rowCount {
		return nil
	}
	all := p.layout.Data.Arrays[t.Array].Values
	if all.None() { // a definition of other data
		v := e.Array(t.Array)
		all = numbers.Of(autodiff.Eval(nil, e.Full(v.Node, v.Bound, v.Axes).Node)[0]...)
	}
	for _, at := range autodiff.Eval(nil, places.Node)[0] {
		if at < 0 {
			return nil // a missing outcome is a parameter
		}
		f.Values, f.Places = append(f.Values, all.At(int(at))), append(f.Places, int(at))
	}
	b, _ := minibatch.NewView(e, p.rowSet, rows, p.mixed)
	f.classes(b, t)
	return f
}

// onlyObservation returns the only statement that observes rows, or nil if there are several.
func (p *Plan) onlyObservation() (only *model.Term) {
	if p.rowSet == nil || p.layout.Data.HasStreams() {
		return nil
	}
	for _, t := range p.layout.Data.Model.Terms {
		switch {
		case t.Kind != model.Likelihood:
		case only != nil || !p.rowSet.Terms[t] || t.Dist == nil || t.Dist.Event > 0:
			return nil
		default:
			only = t
		}
	}
	return only
}

// classes evaluates the density of every possible class.
func (f *Forecast) classes(b *evaluate.Evaluator, t *model.Term) {
	if t.Array.IndexOf == nil && (t.Dist.Lo != 0 || t.Dist.Hi != 1) || t.Dist.Enumerate == nil {
		return
	}
	var args []autodiff.Node
	for _, a := range t.Args {
		args = append(args, b.Expr(a).Node)
	}
	first, n, ok := t.Dist.Enumerate(args)
	if !ok || n > mostClasses {
		return
	}
	f.First = first
	if t.Offset != nil {
		f.First += int(autodiff.Eval(nil, b.Expr(t.Offset).Node)[0][0])
	}
	var each []autodiff.Node
	for k := range n {
		at := *t
		class := evaluate.Value{Node: b.Graph.Const(float64(first + k))}
		at.Value = &evaluate.Known{Value: class, Fact: *t.Value.Info()}
		at.Offset = nil
		lp := minibatch.RowSum(b, density.Term(b, &at, density.Coordinates{}))
		each = append(each, autodiff.Reshape(autodiff.Exp(lp), lp.Size(), 1))
	}
	f.Classes = autodiff.Concat(1, each...)
	if t.Array.IndexOf != nil {
		f.Names = b.Labels(t.Array.IndexOf, evaluate.Box{Lo: f.First, Hi: f.First + n - 1})
	}
	for k := len(f.Names); k < n; k++ {
		f.Names = append(f.Names, strconv.Itoa(f.First+k))
	}
	for _, v := range f.Values {
		f.Came = append(f.Came, int(v)-f.First)
	}
}

// Inputs returns the inputs of the graph, except the row numbers, for given values of all parameters. The error names a
// parameter that is missing or has the wrong shape.
func (f *Forecast) Inputs(at map[string]dataset.Array) (map[string][]float64, error) {
	if err := f.plan.enterAll(f.numbers, at); err != nil {
		return nil, err
	}
	f.numbers.Complete()
	return f.numbers.Inputs, nil
}
