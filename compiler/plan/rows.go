package plan

import (
	"ppl/autodiff"
	"ppl/compiler/density"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/density/marginalize"
	"ppl/compiler/density/minibatch"
	"ppl/compiler/frontend/model"
	"ppl/compiler/predict/simulate"
	"ppl/lang/diag"
)

// Rows returns the number of rows of the row set, or 0 if the model has none.
func (p *Plan) Rows() int { return p.rowCount }

// RowSet returns the row set with the most rows for these data, or nil if the model has none.
func (p *Plan) RowSet() *model.RowSet { return p.rowSet }

// chooseRows selects the row set with the most rows.
func (p *Plan) chooseRows(e *evaluate.Evaluator) {
	for _, s := range p.layout.Data.Model.RowSets {
		if n := evaluate.Product(e.Shape(nil, s.Axes)); n > p.rowCount {
			p.rowSet, p.rowCount = s, n
		}
	}
}

// Split evaluates the density for some rows of the row set. It returns log ρ plus the log-Jacobian, the log density of
// observations that belong to no row, and log ℓ of each requested row, shape [m].
func (p *Plan) Split(theta, rows autodiff.Node) (prior, whole, terms autodiff.Node) {
	th := p.layout.Theta(theta)
	latents := marginalize.Over(th)
	e := p.layout.Evaluator(theta.Graph(), latents)
	prior, whole, terms, _ = p.split(e, rows, latents, th.NonCentered(e))
	return autodiff.Add(prior, th.Jacobian(e)), whole, terms
}

// OwnScaleSplit is Split with log ρ of the parameters on their own scale.
func (p *Plan) OwnScaleSplit(theta, rows autodiff.Node) (prior, whole, terms autodiff.Node) {
	latents := marginalize.Over(p.layout.Theta(theta))
	e := p.layout.Evaluator(theta.Graph(), latents)
	prior, whole, terms, _ = p.split(e, rows, latents, nil)
	return prior, whole, terms
}

// split evaluates the density for some rows; loads lists the streams that it reads.
func (p *Plan) split(e *evaluate.Evaluator, rows autodiff.Node, latents *marginalize.Latents,
	z map[*model.Term]density.Coordinates) (prior, whole, terms autodiff.Node,
	loads []minibatch.Load) {
	e.Noise = p.noise
	zero := e.Graph.Const(0)
	prior, whole, terms = zero, zero, e.Graph.Full(0, rows.Size())
	var byRow, rest []*model.Term
	for _, t := range p.layout.Data.Model.Terms {
		if p.rowSet.Terms[t] {
			byRow = append(byRow, t)
		} else {
			rest = append(rest, t)
		}
	}
	fs, _ := marginalize.Factors(e, rest, z, latents, marginalize.Summed())
	for _, f := range fs {
		if n := autodiff.SumAll(f.Value.Node); f.Likelihood {
			whole = autodiff.Add(whole, n)
		} else {
			prior = autodiff.Add(prior, n)
		}
	}
	prior = p.ordered(autodiff.Add(prior, missingPriors(e, byRow, z)))
	b, view := minibatch.NewView(e, p.rowSet, rows, p.mixed)
	fs, _ = marginalize.Factors(b, byRow, nil, latents, marginalize.Summed())
	for _, f := range fs {
		if f.Likelihood {
			terms = autodiff.Add(terms, minibatch.RowSum(b, f.Value))
		}
	}
	return prior, whole, terms, view.Loads
}

// missingPriors returns the log density of missing entries, which are parameters, in observations that are split into
// rows.
func missingPriors(e *evaluate.Evaluator, ts []*model.Term, z map[*model.Term]density.Coordinates) autodiff.Node {
	sum := e.Graph.Const(0)
	for _, t := range ts {
		if t.Array.Role == model.Imputed {
			_, missing := density.SplitMissing(e, t, density.Term(e, t, z[t]))
			sum = autodiff.Add(sum, autodiff.SumAll(missing.Node))
		}
	}
	return sum
}

// findStreams evaluates the density for some rows, in order to find errors and the streams that it reads.
func (p *Plan) findStreams(e *evaluate.Evaluator, latents *marginalize.Latents, z map[*model.Term]density.Coordinates) {
	if p.rowSet == nil {
		for a, d := range p.layout.Data.Arrays {
			if d.Stream != nil {
				e.NeedsAll(a, a.At)
			}
		}
	}
	_, _, _, p.loads = p.split(e, e.Graph.Input("rows", 2), latents, z)
	p.mix()
	for _, s := range p.saved {
		if s.Late {
			simulate.EachRead(s.Array, func(b *model.Array) { p.refuseStreamed(e, s.Array, b) })
		}
	}
}

// refuseStreamed reports an error for a generated array that reads streamed data.
func (p *Plan) refuseStreamed(e *evaluate.Evaluator, a, read *model.Array) {
	switch {
	case p.layout.Data.StreamedArray(read):
		e.Stop(e.Diags.Errorf(diag.RowsAtOnce, a.At, "`%s` cannot be generated: it depends on all rows of `%s`, which "+
			"do not fit in memory", a.Name, read.Name))
	case read.Role == model.Latent:
		e.Stop(e.Diags.Errorf(diag.RowsAtOnce, a.At, "`%s` cannot be generated: it depends on the discrete latent "+
			"`%s`, whose probabilities need all rows, and these do not fit in memory", a.Name, read.Name))
	}
}

// Streams returns the number of streams that Split reads, where each shift of a stream counts separately.
func (p *Plan) Streams() int { return len(p.loads) }

// StreamInput returns the name of the input of Split's graph for m rows of stream k, shape [m, width]. Rows are common
// if all lanes read the same.
func (p *Plan) StreamInput(k, m int, common bool) string { return p.loads[k].Input(m, common) }

// StreamWidth returns the number of columns of stream k.
func (p *Plan) StreamWidth(k int) int { return p.loads[k].Stream.Width }

// ReadRows reads rows of stream k into dst, width numbers for each row.
func (p *Plan) ReadRows(k int, rows, dst []float64) error {
	return p.loads[k].Read(rows, dst)
}

// mix numbers the rows in the order of the row files, which is random, if the row set consists of the rows of these
// files and the model reads only the row itself. Consecutive numbers are then a random sample of rows that is
// contiguous on disk.
func (p *Plan) mix() {
	if len(p.loads) == 0 || len(p.rowSet.Axes) > 1 {
		return
	}
	for _, l := range p.loads {
		if l.Shift != 0 || l.Stream.Rows != p.rowCount {
			return
		}
	}
	for i := range p.loads {
		p.loads[i].Mixed = true
	}
	p.mixed = &p.loads[0]
}

// Mixed reports whether consecutive row numbers are equivalent to a random sample of rows.
func (p *Plan) Mixed() bool { return p.mixed != nil }
