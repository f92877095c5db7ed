package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"

	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/datasets/dataset"
	"ppl/infer"
	"ppl/lang/types"
	"ppl/numbers"
	"ppl/posterior/score"
	"ppl/posterior/store"
	"ppl/runtime/device"
)

// An outcomes is a model at new data that have what it observes, whose predictions are compared with that.
type outcomes struct {
	program  *compiler.Program
	forecast *compiler.Forecast
}

// loadOutcomes gives nil where the new data lack what the model observes.
func (c *console) loadOutcomes(p *prediction, o *openedRun) (*outcomes, error) {
	text, err := o.read()
	if err != nil {
		return nil, err
	}
	args, err := o.newData(p)
	if err != nil {
		return nil, err
	}
	program := compiler.LoadOutcomes(within(o.base(), o.options.Model), text, args, o.sampled(p.held))
	if program == nil || program.Plan.Rows() == 0 {
		return nil, nil
	}
	f := program.Forecast(min(program.Plan.Rows(), rowsAtOnce), inSingle(o.run.Layout.Posterior))
	if f == nil {
		return nil, nil
	}
	return &outcomes{program, f}, nil
}

// inSingle are the variables whose draws are kept in single precision: it was enough to sample them.
func inSingle(kept []types.Variable) map[string]bool {
	single := map[string]bool{}
	for _, v := range kept {
		single[v.Name] = v.Single
	}
	return single
}

// rowsAtOnce is how many rows the device evaluates together, and lanesOfForecast at how many draws.
const (
	rowsAtOnce      = 500
	lanesOfForecast = 8
)

// A scored is what draws say of outcomes.
type scored struct {
	logs    *score.LogScores
	classes *score.Classes // nil where outcomes are no classes
}

// follow evaluates the forecast at every thin-th draw of a run, for all rows, some at a time.
func (c *console) follow(ctx context.Context, p *prediction, o *openedRun, of *outcomes) (*scored, error) {
	f := of.forecast
	assign := []lower.Assign{{Name: "densities", Value: f.Densities}}
	out := &scored{logs: score.NewLogScores(len(f.Values))}
	if f.Came != nil {
		assign = append(assign, lower.Assign{Name: "classes", Value: f.Classes})
		out.classes = score.NewClasses(len(f.Values), f.Classes.Shape()[1])
	}
	exe, err := loadForecast(ctx, assign)
	if err != nil {
		return nil, err
	}
	defer exe.Close()
	show, clear := c.progress(p.quiet)
	defer clear()
	var waiting []map[string]dataset.Array
	done, total := 0, o.run.Layout.Chains*((o.run.Info.Draws+p.thin-1)/p.thin)
	for chain := range o.run.Layout.Chains {
		for draw := 0; draw < o.run.Info.Draws; draw += p.thin {
			if ctx.Err() != nil {
				return nil, interrupted()
			}
			at, err := o.parametersAt(of.program, chain, draw)
			if err != nil {
				return nil, failed(err)
			}
			waiting = append(waiting, at)
			if done++; len(waiting) < lanesOfForecast && done < total {
				continue
			}
			if err := out.add(exe, f, waiting, done-len(waiting)); err != nil {
				return nil, failed(err)
			}
			waiting = waiting[:0]
			show(infer.Progress{Phase: infer.Predicting, Done: done, Total: total})
		}
	}
	return out, nil
}

// loadForecast compiles the entry "forecast", which assigns what is given on every lane.
func loadForecast(ctx context.Context, assign []lower.Assign) (device.Executable, error) {
	return loadEntry(ctx, lower.Entry{Name: "forecast", Assign: assign}, lanesOfForecast)
}

// loadEntry compiles one entry for some lanes.
func loadEntry(ctx context.Context, entry lower.Entry, lanes int) (device.Executable, error) {
	d, err := openDevice(ctx, auto, func(string) {})
	if err != nil {
		return nil, err
	}
	program, err := d.Compile([]lower.Entry{entry})
	if err != nil {
		return nil, failed(err)
	}
	exe, err := program.Load(device.Options{Lanes: lanes})
	if err != nil {
		return nil, failed(err)
	}
	return exe, nil
}

// parametersAt are the parameters of a draw, by name.
func (o *openedRun) parametersAt(program *compiler.Program, chain, draw int) (map[string]dataset.Array, error) {
	at := map[string]dataset.Array{}
	for _, v := range parametersOf(program) {
		xs, err := o.Draws(v.Name)
		if err != nil {
			return nil, err
		}
		n := v.Size()
		at[v.Name] = dataset.Array{Shape: v.Shape, Values: numbers.Of(xs[chain][draw*n : (draw+1)*n]...)}
	}
	return at, nil
}

// add evaluates some draws, of which the first has a number, at all rows.
func (s *scored) add(exe device.Executable, f *compiler.Forecast, at []map[string]dataset.Array, first int) error {
	mask, err := enterDraws(exe, f, at)
	if err != nil {
		return err
	}
	m, all := f.Densities.Size(), len(f.Values)
	rows, densities := make([]float64, m), make([]float64, m)
	var classes []float64
	if s.classes != nil {
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

// enterDraws gives lanes the parameters of draws, and says which lanes are in use.
func enterDraws(exe device.Executable, f *compiler.Forecast, at []map[string]dataset.Array) (mask []bool, err error) {
	mask = make([]bool, lanesOfForecast)
	for lane, parameters := range at {
		inputs, err := f.Inputs(parameters)
		if err != nil {
			return nil, err
		}
		for _, n := range f.Densities.Graph().Inputs() {
			if name := n.Op().Name; inputs[name] != nil && slices.Contains(exe.Buffers(), name) {
				exe.SetLane(name, lane, inputs[name])
			}
		}
		mask[lane] = true
	}
	return mask, nil
}

func (s *scored) take(draw, from, n int, densities, classes []float64) {
	k := len(classes) / len(densities)
	for i := range n {
		s.logs.Add(from+i, densities[i])
		if s.classes != nil {
			s.classes.Add(draw, from+i, classes[i*k:(i+1)*k])
		}
	}
}

// scoreClasses prints how well classes were predicted.
func (c *console) scoreClasses(p *prediction, of *outcomes, s *scored) error {
	scores := s.classes.Score(of.forecast.Came)
	if p.asCSV {
		return failedIf(classTable(c.out, of, s.classes))
	}
	if p.asJSON {
		return failedIf(json.NewEncoder(c.out).Encode(scores))
	}
	classLines(c.out, of.forecast.Outcome.Name, scores)
	return nil
}

func classLines(w io.Writer, name string, s score.ClassScores) {
	fmt.Fprintf(w, "%s: %d rows, predicted by the average of %d draws\n\n", name, s.Rows, s.Draws)
	fmt.Fprintf(w, "accuracy           %.4f ± %.4f    single draws: mean %.4f, best %.4f\n", s.Accuracy,
		s.AccuracyError, s.MeanDraw, s.BestDraw)
	fmt.Fprintf(w, "log likelihood    %.4f ± %.4f    mean of a row\n", s.LogScore, s.LogScoreError)
	fmt.Fprintf(w, "Brier score        %.4f\n", s.Brier)
	fmt.Fprintf(w, "calibration error  %.4f\n", s.CalibrationError)
	fmt.Fprintf(w, "entropy            %.4f             nats: %.4f within draws, %.4f between them\n\n", s.Entropy,
		s.Aleatoric, s.Epistemic)
	fmt.Fprintf(w, "reliability        confidence  accuracy    rows\n")
	for _, b := range s.Reliability {
		fmt.Fprintf(w, "  %.2f to %.2f         %.3f     %.3f  %6d\n", b.From, b.To, b.Confidence, b.Accuracy, b.Rows)
	}
}

// scoreNumbers prints how well numbers were predicted, from the replicates that are in the run.
func (c *console) scoreNumbers(p *prediction, of *outcomes, s *scored) error {
	run, err := store.Open(p.from)
	if err != nil {
		return failed(err)
	}
	f := of.forecast
	i := slices.IndexFunc(run.Layout.Predictions, func(v types.Variable) bool { return v.Name == f.Outcome.Name })
	if i < 0 || run.Layout.Predictions[i].Size() != len(f.Values) {
		return nil // a series, of which a part is new
	}
	came := make([]float64, len(f.Values))
	for row, at := range f.Places {
		came[at] = f.Values[row]
	}
	var scores score.NumberScores
	at := max(1, predictedAtOnce/max(1, run.Info.Draws*run.Layout.Chains))
	for from := 0; from < len(came); from += at {
		to := min(from+at, len(came))
		values, err := run.Predictions(f.Outcome.Name, from, to)
		if err != nil {
			return failed(err)
		}
		together := make([][]float64, len(values))
		for k, chains := range values {
			together[k] = slices.Concat(chains...)
		}
		scores.Add(together, came[from:to])
	}
	scores = scores.Total()
	scores.LogScore, scores.LogScoreError = s.logs.Mean()
	if p.asJSON {
		return failedIf(json.NewEncoder(c.out).Encode(scores))
	}
	numberLines(c.out, f.Outcome.Name, scores)
	return nil
}

func numberLines(w io.Writer, name string, s score.NumberScores) {
	fmt.Fprintf(w, "\n%s: %d rows, compared with %d draws of each\n\n", name, s.Rows, s.Draws)
	fmt.Fprintf(w, "RMSE             %.4g\n", s.RMSE)
	fmt.Fprintf(w, "mean |error|     %.4g    of the median\n", s.MAE)
	fmt.Fprintf(w, "CRPS             %.4g\n", s.CRPS)
	fmt.Fprintf(w, "log likelihood   %.4g ± %.2g    mean of a row\n", s.LogScore, s.LogScoreError)
	fmt.Fprintf(w, "50 %% intervals   %.3f    of the rows are inside\n", s.Covered50)
	fmt.Fprintf(w, "90 %% intervals   %.3f\n", s.Covered90)
}

// classTable is the predictive probabilities of each row as a table.
func classTable(w io.Writer, of *outcomes, classes *score.Classes) error {
	f, table := of.forecast, csv.NewWriter(w)
	head := []string{"element", f.Outcome.Name}
	for _, name := range f.Names {
		head = append(head, "p_"+name)
	}
	_ = table.Write(head) // Error has what went wrong
	for row, came := range f.Came {
		line := []string{f.Outcome.Element(row), f.Names[came]}
		for _, x := range classes.Probabilities(row) {
			line = append(line, strconv.FormatFloat(x, 'g', 6, 64))
		}
		_ = table.Write(line)
	}
	table.Flush()
	return table.Error()
}
