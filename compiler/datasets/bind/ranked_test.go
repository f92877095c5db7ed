package bind

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/numbers"
)

// Ranks are places in the sorted values: of few values and of many, of few different ones, of both signs and infinite.
func TestRanked(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	for _, different := range []int{1, 5, 3 * few, 1 << 40} {
		for _, n := range []int{3, few, 5 * few} {
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(source.IntN(different)-different/2) / 7
			}
			values[0], values[n-1] = math.Inf(1), math.Inf(-1)
			checkRanks(t, values, func(y float64) float64 { return y })
			checkRanks(t, values, func(y float64) float64 { return math.Abs(y - 0.3) })
		}
	}
}

func checkRanks(t *testing.T, values []float64, f func(float64) float64) {
	t.Helper()
	var sorted []float64
	for _, y := range values {
		sorted = append(sorted, f(y))
	}
	slices.Sort(sorted)
	values = append(slices.Clone(values), math.NaN())
	for k := 0; k < len(sorted); k += 1 + len(sorted)/9 {
		if got := ranked(numbers.Of(values...), f, k); got != sorted[k] {
			t.Fatalf("place %d of %d has %v, want %v", k, len(sorted), got, sorted[k])
		}
	}
}

func TestExtent(t *testing.T) {
	values := []float64{3, -99, math.NaN(), 7, -99}
	if n, low, high := extent(numbers.Of(values...), math.NaN()); n != 4 || low != -99 || high != 7 {
		t.Errorf("all: %d from %v to %v", n, low, high)
	}
	if n, low, high := extent(numbers.Of(values...), -99); n != 2 || low != 3 || high != 7 {
		t.Errorf("without a code: %d from %v to %v", n, low, high)
	}
}

// What is said to be spread out is: half of the values are not within 1/256 of the range about their median. Values of
// a normal distribution are spread out, and those of one beside a value far off are not.
func TestSpreadOut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	said := map[bool]int{}
	for range 2000 {
		values := make([]float64, 3+r.IntN(100))
		narrow, share := math.Exp(-12*r.Float64()), r.Float64()
		for i := range values {
			if values[i] = r.NormFloat64(); r.Float64() < share {
				values[i] = 1 + narrow*r.NormFloat64()
			}
		}
		n, low, high := extent(numbers.Of(values...), math.NaN())
		middle := ranked(numbers.Of(values...), func(y float64) float64 { return y }, n/2)
		typical := ranked(numbers.Of(values...), func(y float64) float64 { return math.Abs(y - middle) }, n/2)
		out := spreadOut(numbers.Of(append(values, math.NaN())...), n, low, high)
		if said[out]++; out && typical < (high-low)/256 {
			t.Fatalf("typical distance %g, range %g", typical, high-low)
		}
	}
	if said[true] < 500 || said[false] < 500 {
		t.Errorf("spread out or not: %v", said)
	}
	const huge = math.MaxFloat64
	for _, far := range [][]float64{{1, 2, 3, 1e9}, {1, 2, math.Inf(1)}, {4, 4, 4}, {-huge, 1, huge}} {
		n, low, high := extent(numbers.Of(far...), math.NaN())
		if spreadOut(numbers.Of(far...), n, low, high) {
			t.Errorf("%v is spread out", far)
		}
	}
}
