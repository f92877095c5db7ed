package noise

import (
	"math"
	"slices"
	"testing"

	"ppl/autodiff/special"
)

// TestSingle checks that noise in single precision is standard normal, by moments and by the Kolmogorov–Smirnov
// distance, whose bound of 1.95/√n is exceeded once in a thousand, and that neighbours and the points of an address are
// uncorrelated.
func TestSingle(t *testing.T) {
	const n = 1 << 17
	x := make([]float64, n)
	for i := range x {
		x[i] = Single(3, uint32(i>>16), 5, 7, uint32(i&0xffff))
	}
	var moments [5]float64
	for _, v := range x {
		for k := range moments {
			moments[k] += math.Pow(v, float64(k)) / n
		}
	}
	for k, want := range []float64{1, 0, 1, 0, 3} {
		spread := []float64{0, 1, 2, 15, 96}[k] // variance of the k-th power
		if d := math.Abs(moments[k] - want); d > 4*math.Sqrt(spread/n) {
			t.Errorf("moment %d is %v", k, moments[k])
		}
	}
	for _, lag := range []int{1, 16, 32, 48} {
		sum := 0.0
		for i := range n - lag {
			sum += x[i] * x[i+lag] / n
		}
		if math.Abs(sum) > 4/math.Sqrt(n) {
			t.Errorf("correlation %v at distance %d", sum, lag)
		}
	}
	slices.Sort(x)
	for i, v := range x {
		if d := math.Abs(math.Exp(special.LogNormCDF(v)) - (float64(i)+0.5)/n); d > 1.95/math.Sqrt(n) {
			t.Fatalf("distribution function is off by %v at %v", d, v)
		}
	}
}
