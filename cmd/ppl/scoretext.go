package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"ppl/app/analysis"
	"ppl/app/fault"
	"ppl/posterior/score"
	"strconv"
)

// scoreClasses prints how well classes were predicted.
func (c *console) scoreClasses(p *prediction, of *analysis.Outcomes) error {
	scores := of.Classes.Score(of.Forecast.Came)
	if p.asCSV {
		return fault.Of(classTable(c.out, of))
	}
	if p.asJSON {
		return fault.Of(json.NewEncoder(c.out).Encode(scores))
	}
	classLines(c.out, of.Forecast.Outcome.Name, scores)
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
func (c *console) scoreNumbers(p *prediction, of *analysis.Outcomes) error {
	scores, ok, err := of.NumberScores()
	if err != nil || !ok {
		return err
	}
	if p.asJSON {
		return fault.Of(json.NewEncoder(c.out).Encode(scores))
	}
	numberLines(c.out, of.Forecast.Outcome.Name, scores)
	return nil
}

// scoreDensities prints how probable what was observed is.
func (c *console) scoreDensities(p *prediction, of *analysis.Outcomes) error {
	var scores struct{ LogScore, LogScoreError float64 }
	scores.LogScore, scores.LogScoreError = of.Logs.Mean()
	if p.asJSON {
		return fault.Of(json.NewEncoder(c.out).Encode(scores))
	}
	fmt.Fprintf(c.out, "\n%s: %d rows\n\n", of.Forecast.Outcome.Name, len(of.Forecast.Values))
	logLine(c.out, scores.LogScore, scores.LogScoreError)
	return nil
}

func logLine(w io.Writer, score, err float64) {
	fmt.Fprintf(w, "log likelihood   %.4g ± %.2g    mean of a row\n", score, err)
}

func numberLines(w io.Writer, name string, s score.NumberScores) {
	fmt.Fprintf(w, "\n%s: %d rows, compared with %d draws of each\n\n", name, s.Rows, s.Draws)
	fmt.Fprintf(w, "RMSE             %.4g\n", s.RMSE)
	fmt.Fprintf(w, "mean |error|     %.4g    of the median\n", s.MAE)
	fmt.Fprintf(w, "CRPS             %.4g\n", s.CRPS)
	logLine(w, s.LogScore, s.LogScoreError)
	fmt.Fprintf(w, "50 %% intervals   %.3f    of the rows are inside\n", s.Covered50)
	fmt.Fprintf(w, "90 %% intervals   %.3f\n", s.Covered90)
}

// classTable is the predictive probabilities of each row as a table.
func classTable(w io.Writer, of *analysis.Outcomes) error {
	f, table := of.Forecast, csv.NewWriter(w)
	head := []string{"element", f.Outcome.Name}
	for _, name := range f.Names {
		head = append(head, "p_"+name)
	}
	_ = table.Write(head) // Error has what went wrong
	for row, came := range f.Came {
		line := []string{f.Outcome.Element(row), f.Names[came]}
		for _, x := range of.Classes.Probabilities(row) {
			line = append(line, strconv.FormatFloat(x, 'g', 6, 64))
		}
		_ = table.Write(line)
	}
	table.Flush()
	return table.Error()
}
