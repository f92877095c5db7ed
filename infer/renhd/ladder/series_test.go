package ladder

import (
	"slices"
	"testing"
)

// TestSeries checks that a series stores all rows while there are few, then every second row, and so on.
func TestSeries(t *testing.T) {
	var s series
	for i := range 100 {
		s.add([]float64{float64(i), -float64(i)}, 8)
	}
	if want := []float64{0, -0, 16, -16, 32, -32, 48, -48, 64, -64, 80, -80, 96, -96}; !slices.Equal(s.Numbers, want) {
		t.Errorf("kept %v, want %v", s.Numbers, want)
	}
}
