package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Pointwise holds, for each row of the data, the expected log predictive density of the row when it is left out, the
// effective number of parameters, and the Pareto shape k̂. Estimates by WAIC have no K.
type Pointwise struct {
	ELPD []float64
	P    []float64
	K    []float64
}

// A Total is the sum over rows; SE is the standard error of ELPD.
type Total struct{ ELPD, SE, P float64 }

// Total returns the sums over rows. The standard error is √n times the standard deviation over rows.
func (p Pointwise) Total() Total {
	return Total{floats.Sum(p.ELPD), standardError(p.ELPD), floats.Sum(p.P)}
}

// standardError returns the standard error of a sum of independent terms.
func standardError(terms []float64) float64 {
	return math.Sqrt(float64(len(terms)) * stat.PopVariance(terms, nil))
}

// LogMean returns the log of the mean of numbers given by their logarithms.
func LogMean(logs []float64) float64 { return floats.LogSumExp(logs) - math.Log(float64(len(logs))) }

// MCSELogMean returns the Monte Carlo standard error of LogMean for draws by chain, by the delta method.
func MCSELogMean(chains [][]float64) float64 {
	all := slices.Concat(chains...)
	mean, relative := LogMean(all), make([][]float64, len(chains))
	for i, logs := range chains {
		for _, x := range logs {
			relative[i] = append(relative[i], math.Exp(x-mean))
		}
	}
	return MCSEMean(relative)
}

// Difference returns the elpd of a minus that of b, with its standard error over rows.
func Difference(a, b Pointwise) (elpd, se float64) {
	d := make([]float64, len(a.ELPD))
	floats.SubTo(d, a.ELPD, b.ELPD)
	return floats.Sum(d), standardError(d)
}

// Stacking returns the weights of models that maximise the log score of their mixture over rows (Yao, Vehtari, Simpson,
// Gelman: Using stacking to average Bayesian predictive distributions, Bayesian Analysis 13, 2018). The score is
// concave, and the problem is that of mixture weights with known components, which expectation-maximisation solves.
func Stacking(models []Pointwise) []float64 {
	const iterations, enough = 100_000, 1e-10
	rows := len(models[0].ELPD)
	density := make([]float64, rows*len(models)) // by row and model, relative to the best model of the row
	for i := range rows {
		best := math.Inf(-1)
		for _, m := range models {
			best = math.Max(best, m.ELPD[i])
		}
		for k, m := range models {
			density[i*len(models)+k] = math.Exp(m.ELPD[i] - best)
		}
	}
	w := make([]float64, len(models))
	floats.AddConst(1/float64(len(models)), w)
	next := make([]float64, len(w))
	for range iterations {
		mixtureStep(next, w, density)
		moved := floats.Distance(next, w, math.Inf(1))
		copy(w, next)
		if moved < enough {
			break
		}
	}
	return w
}

// mixtureStep is one step of expectation-maximisation for the weights of a mixture with known components.
func mixtureStep(next, w, density []float64) {
	clear(next)
	rows := len(density) / len(w)
	for i := range rows {
		d := density[i*len(w) : (i+1)*len(w)]
		mix := floats.Dot(d, w)
		for k := range w {
			next[k] += w[k] * d[k] / mix / float64(rows)
		}
	}
}
