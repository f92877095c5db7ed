package score

import (
	"fmt"
	"io"
)

// Text prints how well the classes of an outcome were predicted.
func (s ClassScores) Text(w io.Writer, name string) {
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

// Text prints how well the numbers of an outcome were predicted.
func (s NumberScores) Text(w io.Writer, name string) {
	fmt.Fprintf(w, "\n%s: %d rows, compared with %d draws of each\n\n", name, s.Rows, s.Draws)
	fmt.Fprintf(w, "RMSE             %.4g\n", s.RMSE)
	fmt.Fprintf(w, "mean |error|     %.4g    of the median\n", s.MAE)
	fmt.Fprintf(w, "CRPS             %.4g\n", s.CRPS)
	LogLine(w, s.LogScore, s.LogScoreError)
	fmt.Fprintf(w, "50 %% intervals   %.3f    of the rows are inside\n", s.Covered50)
	fmt.Fprintf(w, "90 %% intervals   %.3f\n", s.Covered90)
}

// LogLine prints the mean log density of a row and its standard error.
func LogLine(w io.Writer, score, err float64) {
	fmt.Fprintf(w, "log likelihood   %.4g ± %.2g    mean of a row\n", score, err)
}
