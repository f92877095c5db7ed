package adapt

import (
	"math"
	"testing"
)

// groups returns the log density of u = log s, s ~ HalfNormal(1), and of effects with scale s, which are normal or, if
// heavy is true, have Student's t with 4 degrees of freedom. The integral over the effects does not depend on s.
func groups(heavy bool) Evaluator {
	return func(at [][]float64) (density []float64, gradient [][]float64, err error) {
		for _, x := range at {
			s := math.Exp(x[0])
			log, slope := x[0]-s*s/2, make([]float64, len(x))
			slope[0] = 1 - s*s
			for i, v := range x[1:] {
				z := v / s
				fall, along := z*z/2, z // −log density of z up to a constant, and its derivative
				if heavy {
					fall, along = 2.5*math.Log1p(z*z/4), 5*z/(4+z*z)
				}
				log -= fall + x[0]
				slope[0] += along*z - 1
				slope[1+i] = -along / s
			}
			density, gradient = append(density, log), append(gradient, slope)
		}
		return density, gradient, nil
	}
}

func TestOutlook(t *testing.T) {
	below := func(s float64) float64 { return math.Erf(s / math.Sqrt2) }
	for name, heavy := range map[string]bool{"normal": false, "Student's t": true} {
		o := Outlook{Coordinate: 0, From: []float64{math.Log(0.6), 0.1, -0.3, 0.7, 0.2},
			Limits: []float64{math.Log(0.2), math.Log(0.05), math.Log(0.01)}}
		shares, ok, err := o.Shares(groups(heavy))
		if err != nil || !ok {
			t.Fatal(name, ok, err)
		}
		for k, s := range []float64{0.2, 0.05, 0.01} {
			want := below(s) / below(0.6)
			if got := shares[k]; math.Abs(got/want-1) > 0.05 {
				t.Errorf("%s: a share of %.4g is below %v, want %.4g", name, got, s, want)
			}
		}
	}
}

// TestOutlookWithoutEnd checks that Shares returns no result if the integral towards the end is infinite.
func TestOutlookWithoutEnd(t *testing.T) {
	flat := func(at [][]float64) (density []float64, gradient [][]float64, err error) {
		for _, x := range at {
			density, gradient = append(density, -x[1]*x[1]/2), append(gradient, []float64{0, -x[1]})
		}
		return density, gradient, nil
	}
	o := Outlook{From: []float64{0, 0.2}, Limits: []float64{-3}}
	if shares, ok, err := o.Shares(flat); ok || err != nil {
		t.Error(shares, ok, err)
	}
}
