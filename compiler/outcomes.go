package compiler

import (
	"slices"

	"ppl/compiler/plan"
	"ppl/compiler/predict/newdata"
	"ppl/lang/diag"
)

// A Forecast computes the probabilities or densities of new observations.
type Forecast = plan.Forecast

// RowNumbers is the name of the input of a Forecast for the numbers of its rows.
const RowNumbers = plan.RowNumbers

// LoadOutcomes loads a model with new data that include the observed arrays, so that predictions can be compared with
// them. If the program is nil, why explains why the outcomes cannot be compared. why is empty if the data contain no
// outcomes, or if LoadNew reports the error.
func LoadOutcomes(path, text string, args []DataArg, cache RowCache, run SampledRun) (p *Program, why string) {
	m, _ := CheckText(path, text)
	if m == nil {
		return nil, ""
	}
	changes := newdata.Outcomes(m, run)
	values, ds := bindNew(m, path, args, cache, run)
	if diag.HasErrors(ds) {
		return nil, ""
	}
	if given, lacking := changes.HasOutcomes(values); !given {
		return nil, lacking
	}
	values, ds = changes.Complete(values)
	if diag.HasErrors(ds) {
		return nil, firstError(ds)
	}
	for a, h := range values.Imputed {
		if len(h.At) > 0 { // new rows with missing values
			return nil, "`" + a.Name + "` is missing in new rows"
		}
	}
	plan, ds := plan.NewPlan(values)
	if diag.HasErrors(ds) {
		return nil, firstError(ds)
	}
	p = newProgram(plan)
	parameters := p.Parameters()
	for _, v := range p.Saved() {
		if slices.Contains(parameters, v.Name) && !slices.ContainsFunc(run.Saved, v.SamePlaces) &&
			!slices.ContainsFunc(run.Unknown, v.SamePlaces) {
			return nil, "the run has no draws of some elements of `" + v.Name + "`"
		}
	}
	return p, ""
}

func firstError(ds []diag.Diagnostic) string {
	i := slices.IndexFunc(ds, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })
	return ds[i].Message
}
