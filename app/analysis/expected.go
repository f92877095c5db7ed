package analysis

import (
	"context"
	"slices"

	"ppl/app"
	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/compiler"
	"ppl/infer"
	"ppl/lang/types"
)

// asMeans describes means of variables, which are numbers of any kind.
func asMeans(vs []types.Variable) (all []types.Variable) {
	for _, v := range vs {
		v.Int, v.Bool, v.Between = false, false, nil
		all = append(all, v)
	}
	return all
}

// expectAgain hands over the expected values of what the run observed.
func (o *Run) expectAgain(ctx context.Context, d NewData, to receiver) error {
	text, args, err := o.unchanged()
	if err != nil {
		return err
	}
	program, ds := compiler.Load(compiler.Request{Path: o.ModelPath(), Text: text, Data: args,
		Predict: compiler.FromPosterior, Expect: &compiler.Expectation{Category: d.Category}})
	if err := notes.Diagnose(o.notes, ds); err != nil {
		return err
	}
	if program, err = app.DrawsData(program); err != nil {
		return err
	}
	expected, err := replicatesOf(o.Stored, program, o.Stored.Info.Seed)
	if err != nil {
		return fault.Of(err)
	}
	if err := to.begin(asMeans(program.Saved()[program.Replicas():]), app.AsObserved(program.Constants())); err != nil {
		return err
	}
	defer o.notes.ProgressEnd()
	for chain := range o.Stored.Layout.Chains {
		for k := 0; k < o.Stored.Info.Draws; k += max(1, d.Thin) {
			if ctx.Err() != nil {
				return fault.Interrupted()
			}
			if err := to.take(chain, expected.at(chain, k)); err != nil {
				return err
			}
			o.notes.Progress(infer.Progress{Phase: infer.Predicting, Done: chain*o.Stored.Info.Draws + k + 1,
				Total: o.Stored.Layout.Chains * o.Stored.Info.Draws})
		}
	}
	return nil
}

// writeExpected writes expected values into the group predictions of the run. Outcomes that are categories have the
// probability of each along a last axis.
func (o *Run) writeExpected(ctx context.Context, d NewData) error {
	to := &keptGroup{run: o.Stored}
	categories := o.categories()
	if categories == 0 {
		if err := o.predict(ctx, d, to); err != nil {
			return err
		}
		return to.end()
	}
	var shares []*Predicted
	for d.Category = 1; d.Category <= categories; d.Category++ {
		p := &Predicted{}
		if err := o.predict(ctx, d, p); err != nil {
			return err
		}
		shares = append(shares, p)
	}
	joined := shares[0]
	for i, v := range joined.Variables {
		if set, ok := o.Stored.Layout.SetOf(v.Name); ok {
			joined.Variables[i] = alongSet(v, set)
			joined.Values[i] = interleave(shares[:set.Size], i)
		}
	}
	if err := joined.handTo(to); err != nil {
		return err
	}
	return to.end()
}

// categories is the largest number of categories of an outcome, 0 if all outcomes are numbers.
func (o *Run) categories() (most int) {
	for _, v := range o.Stored.Layout.Observed {
		if set, ok := o.Stored.Layout.SetOf(v.Name); ok {
			most = max(most, set.Size)
		}
	}
	return most
}

// alongSet gives a variable a last axis over a set.
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

// interleave puts the values of one variable of several predictions next to each other, by chain.
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
