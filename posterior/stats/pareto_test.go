package stats

import (
	"math"
	"testing"
)

// TestParetoAgainstArviZ compares results with those of arviz.psislw of ArviZ 0.23.4 to 1e-9. The weights are quantiles
// of Pareto distributions of shape k, and some have no tail.
func TestParetoAgainstArviZ(t *testing.T) {
	for k, want := range map[float64]float64{0.1: 0.14996426749948955, 0.4: 0.4103202088048329, 0.7: 0.6706577683143559,
		1: 0.9310730242264563, 1.5: 1.3650358987029836} {
		lw := make([]float64, 1000)
		for i := range lw {
			lw[i] = -k * math.Log1p(-(float64(i)+0.5)/1000)
		}
		if got := ParetoK(lw); math.Abs(got-want) > 1e-9 {
			t.Errorf("k %v: %v, want %v", k, got, want)
		}
	}
	lw := make([]float64, 400)
	for i := range lw {
		lw[i] = 3 * math.Sin(float64(i+1)*1.7)
	}
	if got := ParetoK(lw); math.Abs(got+1.451187304978898) > 1e-9 {
		t.Errorf("bounded weights: %v, want -1.451187304978898", got)
	}
}

func TestParetoOfLittle(t *testing.T) {
	if k := ParetoK(make([]float64, 500)); !math.IsInf(k, -1) {
		t.Errorf("equal weights: %v, want -Inf", k)
	}
	few := make([]float64, 10)
	bad := make([]float64, 500)
	bad[7] = math.NaN()
	if !math.IsNaN(ParetoK(few)) || !math.IsNaN(ParetoK(bad)) || !math.IsNaN(ParetoK(nil)) {
		t.Errorf("too few weights give %v, NaN among them %v; want NaN", ParetoK(few), ParetoK(bad))
	}
}
