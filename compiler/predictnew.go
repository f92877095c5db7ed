package compiler

import (
	"path/filepath"
	"slices"

	"ppl/compiler/datasets/bind"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/analyze"
	"ppl/compiler/frontend/model"
	"ppl/compiler/plan"
	"ppl/compiler/predict/newdata"
	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/types"
)

// bindNew finds the values of new data; those that they omit and the run holds are taken from the run.
func bindNew(m *model.Model, path string, args []DataArg, cache RowCache, run SampledRun) (*dataset.Dataset,
	[]diag.Diagnostic) {
	known := bind.KnownOf(slices.Concat(run.Saved, run.Unknown), run.Data, run.Sets, run.Values)
	if run.Groups == GroupsAtMean {
		known.Others = "what belongs to it has the mean of its distribution"
	}
	return bind.NewData(m, filepath.Dir(path), args, cache, known)
}

// A SampledRun is what predictions at new data need of a run, besides draws.
type SampledRun = newdata.Run

// NewGroups says what becomes of parameters of groups that the run did not have.
type NewGroups = newdata.NewGroups

const (
	DrawGroups   = newdata.DrawGroups
	GroupsAtMean = newdata.GroupsAtMean
	RefuseGroups = newdata.RefuseGroups
)

// A Prediction draws what a model observes at new data, from the draws of a run with other data.
type Prediction struct {
	*Program
	// Element says of each of Saved that is before Replicas which element of the run's variable of its name each of
	// its elements is; −1 for one that the run does not have, which is drawn.
	Element [][]int
	// Predicted are the parts of the replicates that are new.
	Predicted []PredictedPart

	changes *newdata.Changes
}

// A PredictedPart describes what new data add to a replicate, and where its elements stand in a draw of Saved.
type PredictedPart struct {
	types.Variable
	At []int
}

// LoadNew loads a model to predict at new data. What is observed need not be among them, nor what the run holds and
// the new data leave as it was. An element of a group that the run knows by its name or number keeps its draws; one
// that it does not know is drawn from its distribution, given the draws of the rest. Rows without names are new.
func LoadNew(path, text string, args []DataArg, cache RowCache, run SampledRun) (*Prediction, []diag.Diagnostic) {
	m, ds := Request{Path: path, Text: text, Predict: analyze.AtNewData}.check()
	if diag.HasErrors(ds) {
		return nil, ds
	}
	if run.HeldOut && !slices.ContainsFunc(m.Arrays, func(a *model.Array) bool { return a.Selection.HoldsOut() }) {
		var diags diag.List
		diags.Errorf(diag.DataUnavailable, source.Span{}, "the model holds no rows out to be predicted").
			Help("`holdout 0.2` at the end of a data statement, before the run, holds a fifth of its rows out")
		return nil, diags.All()
	}
	if run.Expected {
		var diags diag.List
		analyze.Expect(m, run.Category, &diags)
		if len(diags.All()) > 0 {
			return nil, diags.All()
		}
	}
	changes := newdata.Before(m, run)
	values, ds := bindNew(m, path, args, cache, run)
	if diag.HasErrors(ds) {
		return nil, errorsAmong(ds)
	}
	notes := slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.Code != "" })
	values, ds = changes.Apply(values)
	if diag.HasErrors(ds) {
		return nil, errorsAmong(ds)
	}
	plan, ds := plan.NewPlan(values)
	if diag.HasErrors(ds) {
		return nil, errorsAmong(ds)
	}
	p := &Prediction{Program: newProgram(plan), changes: changes}
	at := 0
	for i, v := range plan.Saved() {
		if i < plan.Replicas() {
			p.Element = append(p.Element, changes.Elements(v.Name))
		} else {
			part := PredictedPart{}
			part.Variable, part.At = changes.Predicted(v)
			for k := range part.At {
				part.At[k] += at
			}
			p.Predicted = append(p.Predicted, part)
		}
		at += v.Size()
	}
	return p, notes
}

// Recorded names an observed array that is recorded between two ends; empty if there is none.
func (p *Prediction) Recorded() string { return p.changes.Recorded() }

// Given returns the new data that predictions are made at, row-major.
func (p *Prediction) Given() (vars []types.Variable, values [][]float64) {
	all, of := p.Constants()
	for i, v := range all {
		if v, part, ok := p.changes.Given(v, of[i]); ok {
			vars, values = append(vars, v), append(values, part)
		}
	}
	return vars, values
}

func errorsAmong(ds []diag.Diagnostic) []diag.Diagnostic {
	return slices.DeleteFunc(ds, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}
