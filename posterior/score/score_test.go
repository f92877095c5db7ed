package score_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/posterior/score"
)

func near(t *testing.T, name string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.10g, want %.10g", name, got, want)
	}
}

// TestClassesByHand compares scores with values by hand for two draws and four rows. The mean probabilities are (.6,
// .4), (.5, .5), (.2, .8), (.9, .1), and the observed classes 0, 1, 1, 1. Of equal probabilities the first class counts
// as predicted, so rows 0 and 2 are right.
func TestClassesByHand(t *testing.T) {
	c := score.NewClasses(4, 2)
	for row, p := range [][2]float64{{.7, .5}, {.9, .1}, {.1, .3}, {.9, .9}} {
		for draw, v := range p {
			c.Add(draw, row, []float64{v, 1 - v})
		}
	}
	s := c.Score([]int{0, 1, 1, 1})
	h := func(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
	near(t, "accuracy", s.Accuracy, .5, 1e-12)
	near(t, "its error", s.AccuracyError, math.Sqrt(.25/3), 1e-12)
	near(t, "accuracy of the best draw", s.BestDraw, .75, 1e-12) // the second: rows 0 (.5 counts as 0), 1 and 2
	near(t, "mean accuracy", s.MeanDraw, .625, 1e-12)
	near(t, "log score", s.LogScore, math.Log(.6*.5*.8*.1)/4, 1e-12)
	near(t, "Brier", s.Brier, (2*.16+2*.25+2*.04+2*.81)/4, 1e-12)
	near(t, "calibration error", s.CalibrationError, (.4+.5+.2+.9)/4, 1e-12)
	near(t, "entropy", s.Entropy, (h(.6)+h(.5)+h(.2)+h(.9))/4, 1e-12)
	near(t, "parts of the entropy", s.Aleatoric+s.Epistemic, s.Entropy, 1e-12)
	near(t, "aleatoric", s.Aleatoric, (h(.7)+h(.5)+h(.9)+h(.1)+h(.1)+h(.3)+h(.9)+h(.9))/8, 1e-12)
	if len(s.Reliability) != 4 {
		t.Errorf("%d bins, want 4: %v", len(s.Reliability), s.Reliability)
	}
}

// TestCalibration checks that classes drawn from the given probabilities are calibrated, with a log score of minus the
// entropy, and that overconfident probabilities are not calibrated.
func TestCalibration(t *testing.T) {
	const rows = 40000
	r := rand.New(rand.NewPCG(1, 2))
	honest, sure := score.NewClasses(rows, 3), score.NewClasses(rows, 3)
	came := make([]int, rows)
	for row := range came {
		p, sum := make([]float64, 3), 0.0
		for k := range p {
			p[k] = r.ExpFloat64()
			sum += p[k]
		}
		sharp, sharpSum := make([]float64, 3), 0.0
		for k := range p {
			p[k] /= sum
			sharp[k] = p[k] * p[k]
			sharpSum += sharp[k]
		}
		for k := range p {
			sharp[k] /= sharpSum
		}
		honest.Add(0, row, p)
		sure.Add(0, row, sharp)
		u := r.Float64()
		for u > p[came[row]] && came[row] < 2 {
			u -= p[came[row]]
			came[row]++
		}
	}
	s := honest.Score(came)
	near(t, "log score", s.LogScore, -s.Entropy, 5*s.LogScoreError)
	near(t, "calibration error", s.CalibrationError, 0, 0.012) // 15 bins: about √(2/π)·Σ√(n_b/4)/n
	if wrong := sure.Score(came); wrong.CalibrationError < 0.05 || wrong.LogScore > s.LogScore {
		t.Errorf("probabilities that are too sure have a calibration error of %.3f, log score %.3f against %.3f",
			wrong.CalibrationError, wrong.LogScore, s.LogScore)
	}
}

// TestLogScores checks the log mean of densities that underflow, and of a row for which every density is 0.
func TestLogScores(t *testing.T) {
	l := score.NewLogScores(3)
	for _, v := range []float64{-2000, -1999, math.Inf(-1)} {
		l.Add(0, v)
		l.Add(1, math.Inf(-1))
		l.Add(2, -1)
	}
	near(t, "row 0", l.Row(0), -1999+math.Log((1+math.Exp(-1))/3), 1e-9)
	if got := l.Row(1); !math.IsInf(got, -1) {
		t.Errorf("a row that no draw allows scores %g", got)
	}
	near(t, "row 2", l.Row(2), -1, 1e-12)
}

// TestNumbers compares scores of draws from a normal distribution with exact values: CRPS is σ(z(2Φ(z) − 1) + 2φ(z) −
// 1/√π) (Gneiting and Raftery 2007, equation 21).
func TestNumbers(t *testing.T) {
	const n = 200_000
	const sigma, y = 2, 3.0
	r := rand.New(rand.NewPCG(3, 4))
	xs := make([]float64, n)
	for i := range xs {
		xs[i] = 1 + sigma*r.NormFloat64()
	}
	numbers := func(xs []float64, y float64) score.NumberScores {
		var s score.NumberScores
		s.Add([][]float64{xs}, []float64{y})
		return s.Total()
	}
	s := numbers(xs, y)
	z := (y - 1) / sigma
	phi, cdf := math.Exp(-z*z/2)/math.Sqrt(2*math.Pi), 0.5*math.Erfc(-z/math.Sqrt2)
	near(t, "CRPS", s.CRPS, sigma*(z*(2*cdf-1)+2*phi-1/math.Sqrt(math.Pi)), 0.02)
	near(t, "RMSE", s.RMSE, 2, 0.03)
	near(t, "MAE", s.MAE, 2, 0.03)
	if s.Covered50 != 0 || s.Covered90 != 1 {
		t.Errorf("%g and %g of rows covered, want 0 and 1", s.Covered50, s.Covered90)
	}
	// by hand: (1 + 2)/2 − 3/2
	near(t, "CRPS of two draws", numbers([]float64{4, 1}, 2).CRPS, 0, 1e-12)
}
