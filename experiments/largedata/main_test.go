package main

import (
	"math"
	"testing"

	"ppl/experiments/lab"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/posterior/stats"
	"ppl/posterior/summary"
)

// TestTruth checks that the gradient of the log density is zero at the mode, and compares standard deviations with the
// curvature, by finite differences of a log density written here. Planted fault: with the rows counted twice the
// standard deviations differ.
func TestTruth(t *testing.T) {
	const n = 2000
	x, y := dynamicstest.SimulateLogistic(n, parameters, 2)
	density := func(theta []float64, count float64) (sum float64) {
		for i, v := range y {
			eta := 0.0
			for j, b := range theta {
				eta += b * x[i*parameters+j]
			}
			sum += count * (v*eta - math.Log1p(math.Exp(eta)))
		}
		for _, b := range theta {
			sum -= b * b / (2 * spread * spread)
		}
		return sum
	}
	mode, sd := dynamicstest.Laplace(x, y, parameters, spread)
	for j := range mode {
		at := func(h float64) []float64 {
			moved := append([]float64{}, mode...)
			moved[j] += h
			return moved
		}
		const h = 1e-4
		up, down, here := density(at(h), 1), density(at(-h), 1), density(mode, 1)
		if slope := (up - down) / (2 * h); math.Abs(slope*sd[j]) > 1e-5 {
			t.Errorf("slope %v at the mode", slope)
		}
		// the conditional standard deviation is smaller than the marginal one
		if given := 1 / math.Sqrt((2*here-up-down)/(h*h)); given > sd[j]*1.001 || given < sd[j]/3 {
			t.Errorf("sd %v, given the others %v", sd[j], given)
		}
	}
	if twice, _ := dynamicstest.Laplace(append(x, x...), append(y, y...), parameters,
		spread); math.Abs(twice[1]-mode[1]) > sd[1] {
		t.Errorf("modes %v and %v of the same rows", twice, mode)
	} else if _, narrow := dynamicstest.Laplace(append(x, x...), append(y, y...), parameters,
		spread); math.Abs(narrow[1]/sd[1]*math.Sqrt2-1) > 0.01 {
		t.Errorf("rows counted twice: sd %v, once %v", narrow[1], sd[1])
	}
}

// TestRate checks the score of a summary that equals the truth, and that of a wider one.
func TestRate(t *testing.T) {
	mode, sd := []float64{1, -1}, []float64{.1, .2}
	of := func(width float64) score {
		var r lab.Run
		for j := range mode {
			r.Parameters = append(r.Parameters,
				summary.Parameter{Variable: "theta", Summary: stats.Summary{Mean: mode[j] + .01, SD: width * sd[j],
					ESSBulk: 200, ESSTail: 300}})
		}
		return rate(&r, mode, sd)
	}
	if s := of(1); math.Abs(average(s.sds)-1) > 1e-12 || math.Abs(farthest(s.sds)-1) > 1e-12 ||
		math.Abs(s.mean-.1) > 1e-9 || s.error != 0.05 {
		t.Errorf("%+v", s)
	}
	if s := of(1.2); math.Abs(farthest(s.sds)-1.2) > 1e-12 {
		t.Errorf("%+v", s)
	}
	if math.Abs(langevin(.2, 390.625)-2.226) > 1e-3 { // √(4.90625/.99)
		t.Errorf("SGLD's sd %v", langevin(.2, 390.625))
	}
}

// TestTwoGroups checks that the weight is the ratio of the priors at the two orders of the group means −1.5 and 1.5,
// which is e^(4/3) to 1 for exact means. With a prior that is not shifted the weights would be equal.
func TestTwoGroups(t *testing.T) {
	_, weight := twoGroups(100_000)
	if want := 1 / (1 + math.Exp(-4.0/3)); math.Abs(weight-want) > 0.002 {
		t.Errorf("weight %v, want %v", weight, want)
	}
}
