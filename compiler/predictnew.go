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

// bindNew binds new data. Arrays that are missing from the new data are taken from the run if it stores them.
func bindNew(m *model.Model, path string, args []DataArg, cache RowCache, run SampledRun) (*dataset.Dataset,
	[]diag.Diagnostic) {
	known := bind.KnownOf(slices.Concat(run.Saved, run.Unknown), run.Data, run.Sets, run.Values)
	if run.Groups == GroupsAtMean {
		known.Others = "parameters of new groups have the mean of their distribution"
	}
	return bind.NewData(m, filepath.Dir(path), args, cache, known)
}

// A SampledRun describes a run, apart from its draws, for predictions at new data.
type SampledRun = newdata.Run

// NewGroups determines how parameters of groups that the run did not have are treated.
type NewGroups = newdata.NewGroups

const (
	DrawGroups   = newdata.DrawGroups
	GroupsAtMean = newdata.GroupsAtMean
	RefuseGroups = newdata.RefuseGroups
)

// A Prediction draws what a model observes at new data, given the draws of a run with other data.
type Prediction struct {
	*Program
	// Element maps, for each variable of Saved before Replicas, its elements to those of the run's variable with the
	// same name; −1 for an element that the run does not have, which is drawn.
	Element [][]int
	// Predicted lists the new parts of the replicas.
	Predicted []PredictedPart

	changes *newdata.Changes
}

// A PredictedPart describes the new part of a replica, and the positions of its elements in a draw of Saved.
type PredictedPart struct {
	types.Variable
	At []int
}

// LoadNew loads a model to predict new data. These need not include observed arrays, nor unchanged data that the run
// holds. Parameters of a group that the run has, matched by label or number, keep their draws. Parameters of a new
// group are treated as run.Groups says. Rows without labels are new.
func LoadNew(path, text string, args []DataArg, cache RowCache, run SampledRun) (*Prediction, []diag.Diagnostic) {
	m, ds := Request{Path: path, Text: text, Predict: analyze.AtNewData}.check()
	if diag.HasErrors(ds) {
		return nil, ds
	}
	if run.HeldOut && !slices.ContainsFunc(m.Arrays, func(a *model.Array) bool { return a.Selection.HoldsOut() }) {
		var diags diag.List
		diags.Errorf(diag.DataUnavailable, source.Span{}, "the model has no held-out rows to predict").
			Help("add `holdout 0.2` to the end of a data statement to hold out a fifth of its rows, and sample again")
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

// Recorded returns the name of a censored observed array, or "" if there is none.
func (p *Prediction) Recorded() string { return p.changes.Recorded() }

// Given returns the new data used for the predictions, row-major.
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
