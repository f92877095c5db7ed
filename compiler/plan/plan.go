// Package plan prepares a model and its data for evaluation in any graph: the layout of coordinates, the variables
// saved with each draw, the rows over which the likelihood is a sum, and the limits of ODE solvers.
//
//	mu ~ Normal(0, 1)              Dim 1, Saved: mu
//	y[i in N] ~ Normal(mu, 1)      Rows: N; Density(theta): log prior, log likelihood, log-Jacobian
package plan

import (
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/density/minibatch"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/compiler/validate"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// A Plan is a model with its data, which can be evaluated in any graph.
type Plan struct {
	layout   *density.Layout
	saved    []simulate.Saved
	vars     []types.Variable // descriptions of saved
	rowSet   *model.RowSet    // nil if only all data together can be evaluated
	rowCount int
	loads    []minibatch.Load // streams from which rows are read
	// mixed is one of loads if the row set consists of the rows of the files; the rows are then numbered in file order.
	mixed   *minibatch.Load
	randoms []*model.Random // random changes made by training
	noise   *evaluate.Noise // nil if Split makes no random changes
}

// Training returns a plan whose Split makes the model's random changes, with noise addressed by lane and step.
func (p *Plan) Training(lane, step autodiff.Node) *Plan {
	out := *p
	out.noise = &evaluate.Noise{Lane: lane, Step: step}
	return &out
}

// Randoms returns the expressions that training changes at random, except those without effect, such as dropout(x, 0).
func (p *Plan) Randoms() []*model.Random { return p.randoms }

// NewPlan determines the layout of the unconstrained vector and the saved variables. It evaluates the density once to
// find errors in the data.
func NewPlan(d *dataset.Dataset) (p *Plan, ds []diag.Diagnostic) {
	var diags diag.List
	defer func() { ds = diags.All() }()
	defer evaluate.Recover()
	q := &Plan{layout: density.NewLayout(d, &diags)}
	q.save(&diags)
	q.validate(&diags)
	return q, nil
}

// save determines which variables are saved with each draw, parameters first.
func (p *Plan) save(diags *diag.List) {
	d := p.layout.Data
	e := p.layout.Reporting(autodiff.New(), evaluate.NoSource{}, diags)
	for _, a := range d.Model.Arrays {
		h := d.Imputed[a]
		if h != nil && len(h.At) > 0 {
			a = h.Param
		}
		if a.Save && a.Role == model.Parameter {
			p.add(e, a)
			if h != nil {
				p.vars[len(p.vars)-1].Label[0] = h.Labels(d.Arrays[h.Of].Shape)
			}
		}
	}
	for _, a := range d.Model.Arrays {
		if a.Save && (a.Role == model.Definition || a.Role == model.Generated) {
			p.add(e, a)
		}
	}
}

func (p *Plan) add(e *evaluate.Evaluator, a *model.Array) {
	v := e.Describe(a)
	p.vars = append(p.vars, v)
	p.saved = append(p.saved, simulate.Saved{Array: a, Size: v.Size(), Late: simulate.AfterInference(a)})
}

// validate evaluates everything once, in order to report errors in the data and to warn.
func (p *Plan) validate(diags *diag.List) {
	g, d := autodiff.New(), p.layout.Data
	th := p.layout.Theta(g.Input("theta", p.layout.Dim))
	latents := marginalize.Over(th)
	e := p.layout.Reporting(g, latents, diags)
	validate.CheckInside(e, d.Model)
	validate.CheckData(e, d.Model)
	for _, arrays := range d.Model.Orders {
		simulate.CheckOrder(e, arrays)
	}
	p.budget(e)
	for _, x := range d.Model.Randoms {
		if e.Amount(x) != 0 {
			p.randoms = append(p.randoms, x)
		}
	}
	validate.CheckKinds(p.layout, e)
	p.chooseRows(e)
	if d.HasStreams() {
		p.findStreams(e, latents, th.NonCentered(e))
	} else {
		marginalize.Factors(e, d.Model.Terms, th.NonCentered(e), latents, marginalize.Summed())
	}
	p.values(e)
	simulate.CheckCompletion(p.layout, p.saved, diags)
	validate.WarnLeaving(e, d.Model)
	validate.WarnTwoIntercepts(e, d.Model)
	validate.WarnUninformed(p.layout, e)
	validate.WarnIdleEvents(e)
	validate.NoteDates(e, d.Model)
	validate.WarnTotals(e, d.Model)
	validate.WarnPerRow(p.layout, p.rowSet, p.rowCount, diags)
}

// Rows holds the terms of log ℓ of one observation (or of several joined by summed-out latents), a vector over their
// plates; or the terms of a prior.
type Rows struct {
	Arrays []*model.Array
	Node   autodiff.Node
}

// Terms holds the log densities of a model at theta. Prior and Jacobian are scalars; Prior is the sum of Priors and of
// the constants of Orders.
type Terms struct {
	Prior, Jacobian, Likelihood autodiff.Node
	Priors, Rows                []Rows
	Solutions                   []evaluate.Solution
}

// Terms evaluates log ρ, the log-Jacobian and the rows of log ℓ at theta, shape [Dim].
func (p *Plan) Terms(theta autodiff.Node) Terms {
	th := p.layout.Theta(theta)
	latents := marginalize.Over(th)
	e := p.layout.Evaluator(theta.Graph(), latents)
	t := p.terms(e, latents, th.NonCentered(e))
	t.Jacobian = th.Jacobian(e)
	t.Solutions = e.Solutions()
	return t
}

// OwnScale is Terms with the density of the parameters on their own scale, at the point that theta represents. In
// Terms, noncentered parameters have the prior of their coordinates instead.
func (p *Plan) OwnScale(theta autodiff.Node) Terms {
	th := p.layout.Theta(theta)
	latents := marginalize.Over(th)
	e := p.layout.Evaluator(theta.Graph(), latents)
	t := p.terms(e, latents, nil)
	t.Jacobian = th.Jacobian(e)
	t.Solutions = e.Solutions()
	return t
}

func (p *Plan) terms(e *evaluate.Evaluator, latents *marginalize.Latents, z map[*model.Term]density.Coordinates) Terms {
	zero := e.Graph.Const(0)
	t := Terms{Prior: zero, Jacobian: zero, Likelihood: zero}
	fs, _ := marginalize.Factors(e, p.layout.Data.Model.Terms, z, latents, marginalize.Summed())
	for _, f := range fs {
		sum := autodiff.SumAll(f.Value.Node)
		if !f.Likelihood {
			t.Prior = autodiff.Add(t.Prior, sum)
			t.Priors = append(t.Priors, Rows{[]*model.Array{f.Of}, f.Value.Node})
			continue
		}
		t.Likelihood = autodiff.Add(t.Likelihood, sum)
		t.Rows = append(t.Rows, Rows{f.Observed, f.Value.Node})
	}
	t.Prior = p.ordered(t.Prior)
	return t
}

// Saved lists the variables saved with each draw.
func (p *Plan) Saved() []types.Variable { return p.vars }

// Replicas returns the index in Saved of the first replica of data, or len(Saved()) if there is none.
func (p *Plan) Replicas() int {
	if i := slices.IndexFunc(p.saved, func(s simulate.Saved) bool { return s.Array.Replicates != nil }); i >= 0 {
		return i
	}
	return len(p.saved)
}

// GivenUnknowns names the replicas that depend on discrete unknowns, which are drawn given the data.
func (p *Plan) GivenUnknowns() (names []string) {
	for i, s := range p.saved {
		given := false
		simulate.EachRead(s.Array, func(b *model.Array) { given = given || b.Role == model.Latent })
		if s.Array.Replicates != nil && given {
			names = append(names, p.vars[i].Name)
		}
	}
	return names
}

// Deterministic reports, for each variable of Saved, whether it is a function of the parameters alone.
func (p *Plan) Deterministic() []bool {
	out := make([]bool, len(p.saved))
	for i, s := range p.saved {
		out[i] = !s.Late
	}
	return out
}

// Values concatenates all of Saved at theta; variables that a Completer computes are 0.
func (p *Plan) Values(theta autodiff.Node) autodiff.Node {
	latents := marginalize.Over(p.layout.Theta(theta))
	return p.values(p.layout.Evaluator(theta.Graph(), latents))
}

func (p *Plan) values(e *evaluate.Evaluator) autodiff.Node {
	parts := []autodiff.Node{}
	for _, s := range p.saved {
		if s.Late {
			parts = append(parts, e.Graph.Full(0, s.Size))
			continue
		}
		v := e.Array(s.Array)
		parts = append(parts, autodiff.Reshape(v.Node, v.Node.Size()))
	}
	if len(parts) == 0 {
		return e.Graph.Full(0, 0)
	}
	return autodiff.Concat(0, parts...)
}

// ProperPrior reports whether every parameter has a normalised distribution.
func (p *Plan) ProperPrior() bool { return len(p.layout.Regions) > 0 && p.unnormalised() == "" }

// Data returns the model's data.
func (p *Plan) Data() *dataset.Dataset { return p.layout.Data }

// Model returns the model.
func (p *Plan) Model() *model.Model { return p.layout.Data.Model }

// Dim returns the number of unconstrained coordinates.
func (p *Plan) Dim() int { return p.layout.Dim }

// Start draws a starting point.
func (p *Plan) Start(r *rand.Rand) []float64 { return p.Starts()(r) }

// Starts returns a function like Start that is faster for many points. Coordinates that are standardised given the data
// and all other parameters are drawn from the standard normal distribution.
func (p *Plan) Starts() func(r *rand.Rand) []float64 {
	if !slices.ContainsFunc(p.layout.Regions, (*density.Region).GivenData) {
		return simulate.Starts(p.layout)
	}
	start := simulate.Starts(p.layout.AsTheModel())
	return func(r *rand.Rand) []float64 {
		theta := start(r)
		for _, of := range p.layout.Regions {
			if of.GivenData() {
				for i := range of.Size {
					theta[of.Offset+i] = r.NormFloat64()
				}
			}
		}
		return theta
	}
}

// NewCompleter returns a Completer, or nil if all saved variables are functions of the parameters.
func (p *Plan) NewCompleter() *simulate.Completer { return simulate.NewCompleter(p.layout, p.saved) }

// NewCompleterOf returns a Completer that computes only the saved arrays whose names are wanted.
func (p *Plan) NewCompleterOf(wanted func(name string) bool) *simulate.Completer {
	saved := slices.Clone(p.saved)
	for i := range saved {
		saved[i].Late = wanted(saved[i].Array.Name)
	}
	return simulate.NewCompleter(p.layout, saved)
}
