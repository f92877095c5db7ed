package netwarmup

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/infer"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// TestClimbEnds checks that the climb ends after its steps, or if two scores in a row, while the rate falls, are not
// above the best score since the fall began.
func TestClimbEnds(t *testing.T) {
	for name, c := range map[string]struct {
		heldOut []float64 // scores, one after every 100 of 800 steps
		looks   int       // expected number of scores
	}{
		"rising":                  {[]float64{-9, -8, -7, -6, -5, -4, -3, -2, -1}, 8},
		"two worse while falling": {[]float64{-9, -8, -7, -6, -5, -6, -6, -4}, 7},
		"worse before it falls":   {[]float64{-3, -4, -5, -6, -4, -3, -5, -2}, 8},
		"one worse, one better":   {[]float64{-9, -8, -7, -6, -5, -6, -4, -5}, 8},
		"not a number":            {[]float64{-9, -8, -7, -6, math.NaN(), math.NaN()}, 6},
	} {
		s := climbState{Best: math.Inf(-1)}
		for _, v := range c.heldOut {
			if s.Done {
				break
			}
			s.Steps += 100
			s.take(heldOutScore{HeldOut: v}, 800)
		}
		if !s.Done || len(s.Scores) != c.looks {
			t.Errorf("%s: %d scores, done is %t; want %d scores", name, len(s.Scores), s.Done, c.looks)
		}
	}
}

// TestStepsOfClimb checks the number of steps for numbers of chains and of warm-up iterations.
func TestStepsOfClimb(t *testing.T) {
	for _, c := range []struct{ chains, Warmup, want int }{
		{1, 1000, 6000}, {4, 1000, 6000}, {6, 1000, 4000}, {12, 1000, 2000}, {40, 1000, 2000}, {12, 300, 600},
		{4, 0, 100},
	} {
		o := infer.Options{Chains: c.chains, Warmup: c.Warmup}
		r := New(part.NewRun(t.Context(), population.Phase{Config: &population.Config{Options: o}}, nil))
		if got := r.mostClimb(); got != c.want {
			t.Errorf("%d chains, %d iterations: %d steps, want %d", c.chains, c.Warmup, got, c.want)
		}
	}
}

// TestScaleOfBlock checks the noise in whitened coordinates: that of a block is the geometric mean of its own noise and
// that of the hottest block; a coordinate with more noise than the mean of its block has the block's mean; the scale of
// a coordinate without noise is positive and finite.
func TestScaleOfBlock(t *testing.T) {
	for name, c := range map[string]struct{ variances, want []float64 }{
		"equal":    {[]float64{4, 4, 4}, []float64{8, 8, 8}},
		"one more": {[]float64{1, 1, 10}, []float64{2, 2, 8}},
		"hottest":  {[]float64{16, 16}, []float64{16, 16}},
		"none":     {[]float64{0, 0}, []float64{0, 0}},
	} {
		const hottest = 16
		scale := make([]float64, len(c.variances))
		scaleBlock(scale, c.variances, floats.Sum(c.variances)/float64(len(scale)), hottest)
		for i, v := range c.variances {
			whitened := v * scale[i] * scale[i] * hottest // in units in which the hottest block has the noise `hottest`
			if math.Abs(whitened-c.want[i]) > 1e-12 || !(scale[i] > 0) || math.IsInf(scale[i], 0) {
				t.Errorf("%s: coordinate %d has the scale %g, its noise is %g, want %g", name, i, scale[i], whitened,
					c.want[i])
			}
		}
	}
}
