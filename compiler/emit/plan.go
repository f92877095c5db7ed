package emit

import (
	"slices"
	"strconv"

	"ppl/autodiff"
	"ppl/compiler/dataset"
	"ppl/compiler/model"
	"ppl/lang/diag"
	"ppl/lang/types"
)

// A Plan is a model with its data, ready to be emitted into any graph.
type Plan struct {
	Data     *dataset.Dataset
	Dim      int
	steps    stepLimits
	regions  []*region
	regionOf map[*model.Piece]*region
	saved    []*model.Array
	vars     []types.Variable
	rowSet   *model.RowSet // nil: full batch only
	rowCount int
	loads    []loading // the streams that rows are read from
	// one of them when rows of the row set are those of the files: then they are numbered as they stand there
	mixed *loading
}

// NewPlan resolves every size, lays out the unconstrained vector and emits the density once to find what is wrong with
// the data.
func NewPlan(d *dataset.Dataset) (p *Plan, ds []diag.Diagnostic) {
	var diags diag.List
	defer func() { ds = diags.All() }()
	defer Recover()
	q := &Plan{Data: d, steps: stepLimits{}}
	sizes := newEmitter(autodiff.New(), d, nil, NoSource{}, &diags)
	q.regions, q.Dim = sizes.layout(d.Model)
	q.regionOf = map[*model.Piece]*region{}
	for _, r := range q.regions {
		q.regionOf[r.piece] = r
	}
	for _, a := range d.Model.Arrays {
		if h := d.Imputed[a]; h != nil && len(h.At) > 0 {
			a = h.Param
		}
		if a.Save && a.Role == model.Parameter {
			q.saved = append(q.saved, a)
		}
	}
	for _, a := range d.Model.Arrays {
		if a.Save && (a.Role == model.Definition || a.Role == model.Generated) {
			q.saved = append(q.saved, a)
		}
	}
	for _, a := range q.saved {
		q.vars = append(q.vars, sizes.variable(a))
	}
	for i, v := range q.vars {
		for a, h := range d.Imputed {
			if h.Param == q.saved[i] {
				v.Label[0] = h.Labels(d.Arrays[a].Shape)
			}
		}
	}
	g := autodiff.New()
	th := q.theta(g.Input("theta", q.Dim))
	latents := newLatents(th)
	e := newEmitter(g, d, q.steps, latents, &diags)
	e.possible(d.Model)
	for _, arrays := range d.Model.Orders {
		e.drawnBefore(arrays)
	}
	q.budget(e, d.Model.Systems)
	q.kinds(e)
	q.chooseRows(e)
	if d.HasStreams() {
		q.findStreams(e, latents, th.noncentered(e))
	} else {
		e.factors(d.Model.Terms, th.noncentered(e), latents, summed())
	}
	q.values(e)
	q.afterwards(&diags)
	q.uninformed(e)
	q.perRow(e)
	return q, nil
}

// variable describes an array for the run directory.
func (e *emitter) variable(a *model.Array) types.Variable {
	v := types.Variable{Name: a.Name, Int: a.Type.Elem != types.Real && !drawnReal(a)}
	for _, s := range a.Type.Axes {
		b := e.box(s)
		v.Shape = append(v.Shape, b.size())
		v.Dims = append(v.Dims, s.Name)
		v.First = append(v.First, b.lo)
		v.Label = append(v.Label, e.labels(s, b))
	}
	return v
}

// drawnReal reports whether replicates of an array are real numbers though its data are whole ones.
func drawnReal(a *model.Array) bool {
	return a.Replicates != nil && slices.ContainsFunc(a.Pieces, func(p *model.Piece) bool {
		return p.Term == nil || p.Term.Dist == nil || !p.Term.Dist.Discrete()
	})
}

// labels are the names of an axis's elements, if its set has them; elements beyond the names keep their numbers.
func (e *emitter) labels(s *model.Set, b box) []string {
	all := e.labelsOf(s)
	if len(all) == 0 || b.lo < 1 {
		return nil
	}
	names := make([]string, b.size())
	for i := range names {
		if at := b.lo + i; at <= len(all) {
			names[i] = all[at-1]
		} else {
			names[i] = strconv.Itoa(at)
		}
	}
	return names
}

// Rows are the rows of log ℓ of one observation (or of several joined by summed-out latents), a vector over their
// plates; or those of a prior.
type Rows struct {
	Arrays []*model.Array
	Node   Node
}

// Terms are a model's log densities at theta; Prior, which is the sum of Priors, and Jacobian are scalars.
type Terms struct {
	Prior, Jacobian, Likelihood Node
	Priors, Rows                []Rows
	Solutions                   []Solution
}

// Density emits log ρ, its log-Jacobian and the rows of log ℓ at theta, shape [Dim].
func (p *Plan) Density(theta Node) Terms {
	th := p.theta(theta)
	latents := newLatents(th)
	e := newEmitter(theta.Graph(), p.Data, p.steps, latents, &diag.List{})
	t := p.terms(e, latents, th.noncentered(e))
	t.Jacobian = th.jacobian(e)
	t.Solutions = e.solutions()
	return t
}

// OwnScale emits the parts of the density of the parameters on their own scale, at the point that theta represents:
// also of those that are noncentered, whose coordinates have a prior of their own in Density.
func (p *Plan) OwnScale(theta Node) Terms {
	th := p.theta(theta)
	latents := newLatents(th)
	e := newEmitter(theta.Graph(), p.Data, p.steps, latents, &diag.List{})
	t := p.terms(e, latents, nil)
	t.Jacobian = th.jacobian(e)
	t.Solutions = e.solutions()
	return t
}

func (p *Plan) terms(e *emitter, latents *latents, z map[*model.Term]Node) Terms {
	zero := e.g.Const(0)
	t := Terms{Prior: zero, Jacobian: zero, Likelihood: zero}
	fs, _ := e.factors(p.Data.Model.Terms, z, latents, summed())
	for _, f := range fs {
		sum := autodiff.SumAll(f.v.node)
		if !f.lik {
			t.Prior = autodiff.Add(t.Prior, sum)
			t.Priors = append(t.Priors, Rows{[]*model.Array{f.law}, f.v.node})
			continue
		}
		t.Likelihood = autodiff.Add(t.Likelihood, sum)
		t.Rows = append(t.Rows, Rows{f.arrays, f.v.node})
	}
	return t
}

// Saved lists what is kept of a draw.
func (p *Plan) Saved() []types.Variable { return p.vars }

// Replicas is the number of the first of Saved that replicates data; len(Saved()) if none does.
func (p *Plan) Replicas() int {
	if i := slices.IndexFunc(p.saved, func(a *model.Array) bool { return a.Replicates != nil }); i >= 0 {
		return i
	}
	return len(p.saved)
}

// Deterministic tells of each of Saved whether it is a function of the parameters alone.
func (p *Plan) Deterministic() []bool {
	out := make([]bool, len(p.saved))
	for i, a := range p.saved {
		out[i] = a.Role == model.Parameter || !p.after(a)
	}
	return out
}

// Values lays all of Saved end to end at theta; what a Completer fills in is 0.
func (p *Plan) Values(theta Node) Node {
	return p.values(newEmitter(theta.Graph(), p.Data, p.steps, newLatents(p.theta(theta)), &diag.List{}))
}

func (p *Plan) values(e *emitter) Node {
	parts := []Node{}
	settled := p.Deterministic()
	for i, a := range p.saved {
		if !settled[i] {
			parts = append(parts, e.g.Full(0, p.vars[i].Size()))
			continue
		}
		v := e.array(a)
		parts = append(parts, autodiff.Reshape(v.node, v.node.Size()))
	}
	if len(parts) == 0 {
		return e.g.Full(0, 0)
	}
	return autodiff.Concat(0, parts...)
}

// ProperPrior reports whether every parameter has a normalised law.
func (p *Plan) ProperPrior() bool {
	for _, r := range p.regions {
		if r.term.Dist == nil || r.term.Dist.Improper {
			return false
		}
	}
	for _, t := range p.Data.Model.Terms {
		if t.Kind == model.Prior && t.Density != nil {
			return false
		}
	}
	return len(p.regions) > 0
}
