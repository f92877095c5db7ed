package analysis

import (
	"context"
	"errors"
	"slices"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/lang/types"
	"ppl/posterior/store"
)

// NewData describes the data for which predictions are made, and how.
type NewData struct {
	// Data lists files and values, in the form of --data. Expected values without Data or HeldOut are those for the
	// run's own data.
	Data    []string
	HeldOut bool // use the rows that the model's data statements hold out, instead of Data
	// Censored draws outcomes as recorded, limited to the bounds of `censored`; otherwise values before censoring are
	// drawn.
	Censored bool
	// Expected predicts expected values at each draw of the posterior instead of random outcomes.
	Expected bool
	// category is the category, from 1, whose probability is the expected value of a categorical outcome; 0 for none.
	category int
	Groups   compiler.NewGroups
	Thin     int     // use every Thin-th draw; 0 means 1
	Seed     *uint64 // nil for the seed of the run
}

// Predict predicts what the run's model observes at new data, and writes the predictions to the run's group
// predictions. If the new data contain the outcomes, it also compares the predictions with them; otherwise the Outcomes
// are nil. Categorical outcomes are only compared, and nothing is written.
func Predict(ctx context.Context, run *store.Run, d NewData, n notes.Notes) (*Outcomes, error) {
	o, err := drawsOf(run, n)
	if err != nil {
		return nil, err
	}
	// A missing parameter would be drawn from its prior, like the effect of a new group.
	if err := o.Stored.NeedParameters(); err != nil {
		return nil, fault.Of(err)
	}
	if err := o.findUnknowns(); err != nil {
		return nil, err
	}
	if d.Expected {
		return nil, o.writeExpected(ctx, d)
	}
	seen, err := o.loadOutcomes(d)
	if err != nil {
		return nil, err
	}
	if seen != nil {
		if err := seen.follow(ctx, o, max(1, d.Thin)); err != nil || seen.Classes != nil {
			return seen, err
		}
	}
	program, err := o.loadNew(d)
	if err != nil {
		return nil, err
	}
	if seen != nil {
		seen.Unrecorded = !d.Censored && program.Recorded() == seen.Forecast.Outcome.Name
	}
	to := &keptGroup{run: run}
	if err := o.predictBy(ctx, d, program, to); err != nil {
		return nil, err
	}
	return seen, to.end()
}

// Variables lists the variables that a program predicts.
func Variables(p *compiler.Prediction) (all []types.Variable) {
	for _, part := range p.Predicted {
		all = append(all, part.Variable)
	}
	return all
}

// loadNew loads the model of a run with new data.
func (o *Run) loadNew(d NewData) (*compiler.Prediction, error) {
	text, err := o.ModelText()
	if err != nil {
		return nil, err
	}
	args, err := o.newData(d)
	if err != nil {
		return nil, err
	}
	program, ds := compiler.LoadNew(o.ModelPath(), text, args, app.Network{Named: d.Data}.Cache(), o.newRun(d))
	if err := notes.Diagnose(o.notes, ds); err != nil {
		return nil, err
	}
	if program.Replicas() == len(program.Saved()) {
		return nil, fault.Wrong(errors.New("nothing can be predicted: no " +
			"observed data have a distribution to draw from"))
	}
	return program, nil
}

// newData returns the files of new data. For held-out rows these are the run's own files.
func (o *Run) newData(d NewData) ([]compiler.DataArg, error) {
	if d.HeldOut {
		return o.dataArgs()
	}
	return app.DataArgs(d.Data)
}

// newRun returns the description of the run that predictions at new data need.
func (o *Run) newRun(d NewData) compiler.SampledRun {
	run := o.sampled()
	run.HeldOut, run.Recorded, run.Expected = d.HeldOut, d.Censored, d.Expected
	run.Category, run.Groups = d.category, d.Groups
	return run
}

// drawNew draws predictions at every thin-th draw of the posterior.
func (o *Run) drawNew(ctx context.Context, d NewData, program *compiler.Prediction,
	to func(chain int, values []float64) error) error {
	saved, first := program.Saved(), program.Replicas()
	seed := o.Stored.Info.Seed
	if d.Seed != nil {
		seed = *d.Seed
	}
	for _, v := range saved[:first] {
		if slices.ContainsFunc(o.unknown.variables(), func(u types.Variable) bool { return u.Name == v.Name }) {
			continue
		}
		if _, err := o.Draws(v.Name); err != nil { // read before several goroutines need it
			return fault.Of(err)
		}
	}
	predict := func() drawing {
		separate, unknown := program.Separate(), o.unknown.separate()
		values := make([]float64, app.TotalSize(saved))
		var predicted []float64
		return func(chain, draw int) ([]float64, error) {
			at := 0
			for i, v := range saved[:first] {
				xs, err := o.atGiven(unknown, v.Name, chain, draw)
				if err != nil {
					return nil, fault.Of(err)
				}
				enterElements(values[at:at+v.Size()], xs, program.Element[i])
				at += v.Size()
			}
			separate.Complete(replicateStream(seed, chain, draw), values)
			predicted = predicted[:0]
			for _, part := range program.Predicted {
				for _, k := range part.At {
					predicted = append(predicted, values[k])
				}
			}
			return predicted, nil
		}
	}
	take := func(chain int, values []float64) error { return fault.Of(to(chain, values)) }
	return o.predictAtDraws(ctx, max(1, d.Thin), app.TotalSize(saved), predict, take)
}

// enterElements copies elements of a variable's draw xs to values. Elements that the run does not have (negative
// indices) become 0.
func enterElements(values, xs []float64, elements []int) {
	for i, k := range elements {
		values[i] = 0
		if k >= 0 {
			values[i] = xs[k]
		}
	}
}
