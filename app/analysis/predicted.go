package analysis

import (
	"context"

	"ppl/app"
	"ppl/app/fault"
	"ppl/compiler"
	"ppl/lang/types"
	"ppl/posterior/store"
)

// Predicted holds draws of predicted variables in memory.
type Predicted struct {
	Variables []types.Variable
	Values    [][][]float64 // by variable and chain, with the draws of a chain concatenated
	at        []store.Observed
}

// A receiver receives predictions draw by draw.
type receiver interface {
	// begin announces the predicted variables, and the data for which they are predicted.
	begin(vs []types.Variable, at []store.Observed) error
	// take receives the values of all variables at a draw. The slice is reused for the next draw.
	take(chain int, draw []float64) error
}

func (p *Predicted) begin(vs []types.Variable, at []store.Observed) error {
	p.Variables, p.Values, p.at = vs, make([][][]float64, len(vs)), at
	return nil
}

func (p *Predicted) take(chain int, draw []float64) error {
	for i, v := range p.Variables {
		for len(p.Values[i]) <= chain {
			p.Values[i] = append(p.Values[i], nil)
		}
		p.Values[i][chain] = append(p.Values[i][chain], draw[:v.Size()]...)
		draw = draw[v.Size():]
	}
	return nil
}

// A keptGroup writes predictions to the group predictions of a run.
type keptGroup struct {
	run *store.Run
	w   *store.Writer
}

func (g *keptGroup) begin(vs []types.Variable, at []store.Observed) (err error) {
	g.w, err = store.ExtendPredictions(g.run.System(), g.run.Dir, vs, at)
	return fault.Of(err)
}

func (g *keptGroup) take(chain int, draw []float64) error {
	return fault.Of(g.w.Append(chain, draw, nil))
}

func (g *keptGroup) end() error { return fault.Of(g.w.Close(store.Finished, nil)) }

// PredictInMemory returns predictions of what the model observes, without writing them.
func (o *Run) PredictInMemory(ctx context.Context, d NewData) (*Predicted, error) {
	if err := o.findUnknowns(); err != nil {
		return nil, err
	}
	p := &Predicted{}
	return p, o.predict(ctx, d, p)
}

// predict passes predictions to a receiver.
func (o *Run) predict(ctx context.Context, d NewData, to receiver) error {
	if d.Expected && len(d.Data) == 0 && !d.HeldOut {
		return o.expectAgain(ctx, d, to)
	}
	program, err := o.loadNew(d)
	if err != nil {
		return err
	}
	return o.predictBy(ctx, d, program, to)
}

// predictBy passes the predictions of a program to a receiver.
func (o *Run) predictBy(ctx context.Context, d NewData, program *compiler.Prediction, to receiver) error {
	vs := Variables(program)
	if d.Expected {
		vs = asMeans(vs)
	}
	if err := to.begin(vs, app.AsObserved(program.Given())); err != nil {
		return err
	}
	return o.drawNew(ctx, d, program, to.take)
}

// handTo passes the predictions on to another receiver.
func (p *Predicted) handTo(to receiver) error {
	if err := to.begin(p.Variables, p.at); err != nil {
		return err
	}
	for chain := range p.Values[0] {
		for k := 0; k*p.Variables[0].Size() < len(p.Values[0][chain]); k++ {
			var draw []float64
			for i, v := range p.Variables {
				draw = append(draw, p.Values[i][chain][k*v.Size():(k+1)*v.Size()]...)
			}
			if err := to.take(chain, draw); err != nil {
				return err
			}
		}
	}
	return nil
}
