package store

import (
	"math"
	"testing"
)

// TestWholeNumbersAtTheirLimits checks that integers beyond ±2^63 are stored as ±2^63, and numbers that are not
// integers as NaN.
func TestWholeNumbersAtTheirLimits(t *testing.T) {
	t.Parallel()
	const end = 1 << 63
	in := []float64{0, -3, 1 << 53, end - 1024, end, 1e300, math.Inf(1), -end, -1e300, math.Inf(-1), math.NaN(), 0.5}
	want := []float64{0, -3, 1 << 53, end - 1024, end, end, end, -end, -end, -end, math.NaN(), math.NaN()}
	got := decode(nil, encode(nil, intType, in), intType)
	for i := range want {
		if got[i] != want[i] && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
			t.Errorf("%v is kept as %v, want %v", in[i], got[i], want[i])
		}
	}
}
