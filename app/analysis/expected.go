package analysis

import (
	"context"
	"slices"

	"ppl/app"
	"ppl/app/fault"
	"ppl/compiler"
	"ppl/lang/types"
)

// asMeans returns the variables as real-valued, since means of integers or truth values are real.
func asMeans(vs []types.Variable) (all []types.Variable) {
	for _, v := range vs {
		v.Int, v.Bool, v.Between = false, false, nil
		all = append(all, v)
	}
	return all
}

// expectAgain passes the expected values at the run's own data to a receiver.
func (o *Run) expectAgain(ctx context.Context, d NewData, to receiver) error {
	program, err := o.predictiveProgram(compiler.FromPosterior, &compiler.Expectation{Category: d.category})
	if err != nil {
		return err
	}
	expected, err := replicatesOf(o.Stored, program, o.Stored.Info.Seed)
	if err != nil {
		return fault.Of(err)
	}
	if err := to.begin(asMeans(program.Saved()[program.Replicas():]), app.AsObserved(program.Constants())); err != nil {
		return err
	}
	predict := func() drawing { return expected.separate().at }
	return o.predictAtDraws(ctx, max(1, d.Thin), app.TotalSize(program.Saved()), predict, to.take)
}

// Expect returns the expected values of an outcome and of everything else the model observes. For a categorical
// outcome, it returns the probability of each category along an additional last axis.
func (o *Run) Expect(ctx context.Context, d NewData, outcome string) (*Predicted, error) {
	if err := o.findUnknowns(); err != nil {
		return nil, err
	}
	d.Expected = true
	return o.expectCategories(ctx, d, o.categories(func(name string) bool { return name == outcome }))
}

// expectCategories predicts the probability of each category up to the given number of categories. Outcomes with at
// most that many get an additional last axis. Expected values of numeric outcomes are the same in all these
// predictions.
func (o *Run) expectCategories(ctx context.Context, d NewData, categories int) (*Predicted, error) {
	var shares []*Predicted
	for d.category = 1; d.category <= max(1, categories); d.category++ {
		p := &Predicted{}
		if err := o.predict(ctx, d, p); err != nil {
			return nil, err
		}
		shares = append(shares, p)
	}
	joined := shares[0]
	for i, v := range joined.Variables {
		if set, ok := o.Stored.Layout.SetOf(v.Name); ok && set.Size <= categories {
			joined.Variables[i] = alongSet(v, set)
			joined.Values[i] = interleave(shares[:set.Size], i)
		}
	}
	return joined, nil
}

// writeExpected writes expected values to the run's group predictions. If all outcomes are numeric, only one draw is in
// memory at a time.
func (o *Run) writeExpected(ctx context.Context, d NewData) error {
	to := &keptGroup{run: o.Stored}
	categories := o.categories(func(string) bool { return true })
	if categories == 0 {
		if err := o.predict(ctx, d, to); err != nil {
			return err
		}
		return to.end()
	}
	joined, err := o.expectCategories(ctx, d, categories)
	if err != nil {
		return err
	}
	if err := joined.handTo(to); err != nil {
		return err
	}
	return to.end()
}

// categories returns the largest number of categories of the selected outcomes, or 0 if all are numeric.
func (o *Run) categories(of func(outcome string) bool) (most int) {
	for _, v := range o.Stored.Layout.Observed {
		if set, ok := o.Stored.Layout.SetOf(v.Name); ok && of(v.Name) {
			most = max(most, set.Size)
		}
	}
	return most
}

// alongSet returns a variable with an additional last axis over an index set.
func alongSet(v types.Variable, set types.IndexSet) types.Variable {
	label := make([][]string, len(v.Shape), len(v.Shape)+1)
	copy(label, v.Label)
	v.Label = append(label, set.Labels)
	v.Shape = append(slices.Clone(v.Shape), set.Size)
	v.Dims = append(slices.Clone(v.Dims), set.Name)
	if v.First != nil {
		v.First = append(slices.Clone(v.First), 1)
	}
	return v
}

// interleave combines the values of a variable from several predictions, by chain: for each element, the values of all
// predictions in order.
func interleave(of []*Predicted, variable int) [][]float64 {
	all := make([][]float64, len(of[0].Values[variable]))
	for chain := range all {
		for k := range of[0].Values[variable][chain] {
			for _, p := range of {
				all[chain] = append(all[chain], p.Values[variable][chain][k])
			}
		}
	}
	return all
}
