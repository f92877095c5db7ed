package stopping

import "testing"

// TestDisagree checks that means of two runs disagree if they differ by more than their errors. Chains of one run in
// different places make its errors large. Chains whose log densities are far below those of the other run, and elements
// without a mean, are ignored.
func TestDisagree(t *testing.T) {
	high := []float64{-5, -5}
	for name, c := range map[string]struct {
		here, there, density []float64
		heavy                bool
		want                 bool
	}{
		"the same":                  {[]float64{0, 0}, []float64{0, 0}, high, false, false},
		"apart":                     {[]float64{1, 1}, []float64{0, 0}, high, false, true},
		"apart, without a mean":     {[]float64{1, 1}, []float64{0, 0}, high, true, false},
		"within their errors":       {[]float64{0.2, 0.2}, []float64{0, 0}, high, false, false},
		"chains in two places":      {[]float64{0, 0}, []float64{0, 9}, high, false, false},
		"a chain on its way":        {[]float64{0, 0}, []float64{0, 90}, []float64{-5, -5000}, false, false},
		"apart, and one on its way": {[]float64{0, 0}, []float64{2, 90}, []float64{-5, -5000}, false, true},
	} {
		run, other := chainsAt(t, c.here, high), chainsAt(t, c.there, c.density)
		if c.heavy {
			run.Info.Report.NoMean = []string{"x[2]"}
		}
		d, got, err := Disagree(run, other)
		if err != nil || got != c.want || got && d.Element != "x[2]" {
			t.Errorf("%s: %t (%v), %v", name, got, d, err)
		}
	}
}
