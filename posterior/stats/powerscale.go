package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// A Scaling holds importance weights for the posterior in which part of the density, the prior or the likelihood, is
// raised to a power slightly below 1 and slightly above 1.
type Scaling struct{ lower, upper []float64 }

const powerStep = 0.01 // the powers are 1 − powerStep and 1 + powerStep

// PowerScale computes the weights from the log density of the part at each draw, chain after chain (Kallioinen,
// Paananen, Bürkner, Vehtari: Detecting and diagnosing prior and likelihood sensitivity with power-scaling, Statistics
// and Computing 34, 2024).
func PowerScale(logDensity []float64) Scaling {
	reff := ESSTail([][]float64{logDensity}) / float64(len(logDensity))
	return Scaling{scaledWeights(logDensity, -powerStep, reff), scaledWeights(logDensity, powerStep, reff)}
}

func scaledWeights(logDensity []float64, power, reff float64) []float64 {
	lw := slices.Clone(logDensity)
	floats.Scale(power, lw)
	if math.IsNaN(reff) {
		reff = 1
	}
	lw, _ = PSIS(lw, reff)
	for i, x := range lw {
		lw[i] = math.Exp(x)
	}
	return lw
}

// Sensitivity measures how fast a quantity's distribution changes as the part is scaled: the cumulative Jensen-Shannon
// distance to the weighted draws, per doubling of the power. A value above 0.05 matters. Draws are given chain after
// chain.
func (s Scaling) Sensitivity(draws []float64) float64 {
	minus := make([]float64, len(draws))
	floats.SubTo(minus, minus, draws)
	lower := math.Max(cumulativeJS(draws, s.lower), cumulativeJS(minus, s.lower))
	upper := math.Max(cumulativeJS(draws, s.upper), cumulativeJS(minus, s.upper))
	return (-lower/math.Log2(1-powerStep) + upper/math.Log2(1+powerStep)) / 2
}

// cumulativeJS returns the cumulative Jensen-Shannon distance between draws and the same draws with weights: the square
// root of the integrated divergence of their distribution functions, normalised by the integrals of these (Nguyen and
// Vreeken, Non-parametric Jensen-Shannon divergence, 2015).
func cumulativeJS(draws, weights []float64) float64 {
	order := make([]int, len(draws))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(draws[a], draws[b]), a-b) })
	n, q := float64(len(draws)), 0.0
	var divergencePQ, divergenceQP, areaP, areaQ float64
	for i, at := range order[:len(order)-1] {
		width := draws[order[i+1]] - draws[at]
		p := 1/n + float64(i)*(1-2/n)/math.Max(n-2, 1)
		q += weights[at]
		m := math.Log2((p + q) / 2)
		divergencePQ += width * p * (math.Log2(p) - m)
		if q > 0 {
			divergenceQP += width * q * (math.Log2(q) - m)
		}
		areaP, areaQ = areaP+width*p, areaQ+width*q
	}
	pq := math.Max(0, divergencePQ+(areaQ-areaP)/2/math.Ln2)
	qp := math.Max(0, divergenceQP+(areaP-areaQ)/2/math.Ln2)
	return math.Sqrt((pq + qp) / (areaP + areaQ))
}
