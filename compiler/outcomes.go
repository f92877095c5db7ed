package compiler

import (
	"slices"

	"ppl/compiler/plan"
	"ppl/compiler/predict/newdata"
	"ppl/lang/diag"
)

// A Forecast says how probable new observations are.
type Forecast = plan.Forecast

// RowNumbers is the input of a Forecast with the numbers of its rows.
const RowNumbers = plan.RowNumbers

// LoadOutcomes loads a model with new data that have what it observes too, so that the draws of a run can be compared
// with what came. It is nil where the new data lack that, where they have groups that the run does not, and where
// LoadNew has to say what is wrong.
func LoadOutcomes(path, text string, args []DataArg, run SampledRun) *Program {
	m, _ := CheckText(path, text)
	if m == nil {
		return nil
	}
	changes := newdata.Outcomes(m, run)
	values, ds := bindNew(m, path, args, run)
	if diag.HasErrors(ds) {
		return nil
	}
	if !changes.HasOutcomes(values) {
		return nil
	}
	if values, ds = changes.Complete(values); diag.HasErrors(ds) {
		return nil
	}
	for _, h := range values.Imputed {
		if len(h.At) > 0 { // values of new rows that nobody knows
			return nil
		}
	}
	plan, ds := plan.NewPlan(values)
	if diag.HasErrors(ds) {
		return nil
	}
	p := newProgram(plan)
	parameters := p.Parameters()
	for _, v := range p.Saved() {
		if slices.Contains(parameters, v.Name) && !slices.ContainsFunc(run.Saved, v.SamePlaces) &&
			!slices.ContainsFunc(run.Unknown, v.SamePlaces) {
			return nil
		}
	}
	return p
}
