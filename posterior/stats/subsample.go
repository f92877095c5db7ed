package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// A Subsampled is a leave-one-out estimate from a subsample of the rows: totals over all rows, and the standard errors
// due to subsampling.
type Subsampled struct {
	Total
	ELPDSE, PSE float64 // standard errors of ELPD and P due to subsampling
}

// Subsample estimates LOO for all rows from LOO for a simple random sample of them, given a cheap approximation of
// every row's elpd. It sums the approximations over all rows, and corrects the sum by the sample (the difference
// estimator of Magnusson, Vehtari, Jonasson, Andersen: Leave-one-out cross-validation for Bayesian model comparison in
// large data, AISTATS 2020). P has no approximation; it is scaled up from the sample.
//
//	rough  −1.2 −0.9 −2.1 −1.4      part  rows 0 and 2: −1.3 −2.4      ELPD = −5.6 + 4/2·(−0.1 − 0.3)
func Subsample(rough []float64, rows []int, part Pointwise) Subsampled {
	n, m := float64(len(rough)), float64(len(rows))
	differences, squares := make([]float64, len(rows)), 0.0
	for k, i := range rows {
		differences[k] = part.ELPD[k] - rough[i]
		squares += part.ELPD[k]*part.ELPD[k] - rough[i]*rough[i]
	}
	var s Subsampled
	s.ELPD = floats.Sum(rough) + n/m*floats.Sum(differences)
	s.ELPDSE = sampleError(differences, n)
	s.P, s.PSE = n/m*floats.Sum(part.P), sampleError(part.P, n)
	spread := floats.Dot(rough, rough) + n/m*squares - (s.ELPD*s.ELPD-s.ELPDSE*s.ELPDSE)/n
	s.SE = math.Sqrt(math.Max(0, spread))
	return s
}

// sampleError returns the standard error of a total over n rows, estimated from a sample without replacement.
func sampleError(part []float64, n float64) float64 {
	m := float64(len(part))
	if m == n {
		return 0
	}
	return n * math.Sqrt((1-m/n)*stat.Variance(part, nil)/m)
}
