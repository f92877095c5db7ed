package analysis

import (
	"context"
	"slices"

	"ppl/app"
	"ppl/app/fault"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/dataset"
	"ppl/lang/types"
	"ppl/posterior/score"
	"ppl/posterior/store"
	"ppl/runtime/device"
)

// Outcomes compares the predictions of a run with new data that contain the outcomes.
type Outcomes struct {
	Forecast *compiler.Forecast
	Logs     *score.LogScores
	Classes  *score.Classes // nil if the outcomes are not categorical
	// Unrecorded is set if predictions are values before censoring but outcomes are censored. Only Logs then compare
	// the two.
	Unrecorded bool

	program *compiler.Program
	of      *store.Run // the run without the predictions
}

// loadOutcomes prepares the comparison of predictions with the outcomes in the new data. It returns nil if the new data
// lack the outcomes or, with a note, if predictions cannot be compared with them.
func (o *Run) loadOutcomes(d NewData) (*Outcomes, error) {
	text, err := o.ModelText()
	if err != nil {
		return nil, err
	}
	args, err := o.newData(d)
	if err != nil {
		return nil, err
	}
	program, why := compiler.LoadOutcomes(o.ModelPath(), text, args, app.Network{Named: d.Data}.Cache(), o.newRun(d))
	var f *compiler.Forecast
	if program != nil && program.Plan.Rows() > 0 {
		f = program.Forecast(min(program.Plan.Rows(), rowsAtOnce), inSingle(o.Stored.Layout.Posterior))
	}
	switch {
	case why != "":
		o.notes.Note("predictions are not compared with the outcomes of the new data: " + why)
		return nil, nil
	case f == nil && program != nil:
		o.notes.Note("predictions are not compared with the outcomes of the new data: this needs exactly one " +
			"observed array, whose rows are independent given the parameters and have no missing values")
		return nil, nil
	case f == nil:
		return nil, nil
	}
	out := &Outcomes{Forecast: f, Logs: score.NewLogScores(len(f.Values)), program: program, of: o.Stored}
	if f.Came != nil {
		out.Classes = score.NewClasses(len(f.Values), f.Classes.Shape()[1])
	}
	return out, nil
}

// follow evaluates the forecast at every thin-th draw of a run for all rows, some rows at a time.
func (s *Outcomes) follow(ctx context.Context, o *Run, thin int) error {
	assign := []lower.Assign{{Name: "densities", Value: s.Forecast.Densities}}
	if s.Classes != nil {
		assign = append(assign, lower.Assign{Name: "classes", Value: s.Forecast.Classes})
	}
	exe, err := loadForecast(ctx, assign)
	if err != nil {
		return err
	}
	defer exe.Close()
	defer o.notes.ProgressEnd()
	take := o.inBatches(ctx, o.Stored.Layout.Chains*((o.Stored.Info.Draws+thin-1)/thin),
		func(at []map[string]dataset.Array, first int) error { return s.add(exe, at, first) })
	for chain := range o.Stored.Layout.Chains {
		for draw := 0; draw < o.Stored.Info.Draws; draw += thin {
			at, err := o.parametersAt(s.program, chain, draw)
			if err != nil {
				return fault.Of(err)
			}
			if err := take(at); err != nil {
				return fault.Of(err)
			}
		}
	}
	return nil
}

// add evaluates some draws at all rows. first is the number of the first of these draws.
func (s *Outcomes) add(exe device.Executable, at []map[string]dataset.Array, first int) error {
	f := s.Forecast
	mask, err := enterDraws(exe, f, at)
	if err != nil {
		return err
	}
	m, all := f.Densities.Size(), len(f.Values)
	rows, densities := make([]float64, m), make([]float64, m)
	var classes []float64
	if s.Classes != nil {
		classes = make([]float64, f.Classes.Size())
	}
	for from := 0; from < all; from += m {
		for i := range rows {
			rows[i] = float64(min(from+i, all-1))
		}
		for lane := range at {
			exe.SetLane(compiler.RowNumbers, lane, rows)
		}
		if _, err := exe.Run([]device.Call{{Entry: "forecast", Times: 1}}, 0, mask); err != nil {
			return err
		}
		for lane := range at {
			exe.GetLane("densities", lane, densities)
			if classes != nil {
				exe.GetLane("classes", lane, classes)
			}
			s.take(first+lane, from, min(m, all-from), densities, classes)
		}
	}
	return nil
}

func (s *Outcomes) take(draw, from, n int, densities, classes []float64) {
	k := len(classes) / len(densities)
	for i := range n {
		s.Logs.Add(from+i, densities[i])
		if s.Classes != nil {
			s.Classes.Add(draw, from+i, classes[i*k:(i+1)*k])
		}
	}
}

// PredictedAtOnce is the number of predicted values that are read together.
const PredictedAtOnce = 1 << 23

// NumberScores scores the predictions that the run holds against numeric outcomes. ok is false if the run has no such
// predictions, or only for part of a series.
func (s *Outcomes) NumberScores() (scores score.NumberScores, ok bool, err error) {
	run, err := store.OpenOn(s.of.System(), s.of.Dir)
	if err != nil {
		return scores, false, fault.Of(err)
	}
	f := s.Forecast
	i := slices.IndexFunc(run.Layout.Predictions, func(v types.Variable) bool { return v.Name == f.Outcome.Name })
	if i < 0 || run.Layout.Predictions[i].Size() != len(f.Values) {
		return scores, false, nil
	}
	came := make([]float64, len(f.Values))
	for row, at := range f.Places {
		came[at] = f.Values[row]
	}
	at := max(1, PredictedAtOnce/max(1, run.Info.Draws*run.Layout.Chains))
	for from := 0; from < len(came); from += at {
		to := min(from+at, len(came))
		values, err := run.Predictions(f.Outcome.Name, from, to)
		if err != nil {
			return scores, false, fault.Of(err)
		}
		together := make([][]float64, len(values))
		for k, chains := range values {
			together[k] = slices.Concat(chains...)
		}
		scores.Add(together, came[from:to])
	}
	scores = scores.Total()
	scores.LogScore, scores.LogScoreError = s.Logs.Mean()
	return scores, true, nil
}
