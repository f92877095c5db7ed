package main

import (
	"math"
	"testing"
)

// TestStandardise checks that columns have mean 0 and standard deviation 1 over the training rows, and that other rows
// have the same scale.
func TestStandardise(t *testing.T) {
	d := table{X: [][]float64{{1}, {3}, {5}}, Y: []float64{10, 30, 0}}
	if sd := d.standardise(2); sd != 10 {
		t.Errorf("the outcome's standard deviation is %v, want 10", sd)
	}
	for i, want := range []float64{-1, 1, 3} {
		if math.Abs(d.X[i][0]-want) > 1e-12 {
			t.Errorf("row %d is %v, want %v", i+1, d.X[i][0], want)
		}
	}
	if d.Y[2] != -2 {
		t.Errorf("the new outcome is %v, want −2", d.Y[2])
	}
}
