package dynamics_test

import (
	"math"
	"testing"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
)

// sharedCorrelation runs walkers of a logistic regression that all use the same batch of 16 of 4,000 rows at each step,
// with an anchor away standard deviations from the mode. It returns the mean correlation ρ of two walkers at the same
// iteration with its standard error, for whitened coordinates and for their squares. ρ follows from the variance of the
// mean over n walkers, which is (1 + (n − 1)ρ)/n times that of one walker.
func sharedCorrelation(t *testing.T, away float64) (rho, se [2]float64) {
	const rows, d, n, iterations, steps = 4000, 3, 64, 250, 40
	x, y := dynamicstest.SimulateLogistic(rows, d, 1)
	mode, sd := dynamicstest.Laplace(x, y, d, 2.5)
	c := anchored{target: dynamicstest.Logistic(x, y, d, 2.5)}
	s := dynamics.System{Target: c.target, Batches: dynamics.NewBatches(rows, 16, 50, 50, 3),
		Metric: adapt.Diagonal(d)}
	s.Batches.Anchor(3)
	copy(s.Metric.Scale, sd)
	l := dynamicstest.Open(t, dynamics.Named("nosehoover"), s, n)
	at := make([]float64, d)
	for j := range at {
		at[j] = mode[j] + away*sd[j]
	}
	for lane := range n {
		l.SetLane(dynamics.Theta, lane, mode)
	}
	l.AnchorAt(t, at)
	for name, v := range map[string]float64{dynamics.StepSize: 0.2, dynamics.Friction: 0.1} {
		l.Fill(name, v)
	}
	l.Call(t, "start", 1)
	var moments [2]moment
	for i := range iterations {
		l.Trajectory(t, steps)
		if i < 20 {
			continue
		}
		theta := l.Read(dynamics.Theta)
		for j := range d {
			mean, square := 0.0, 0.0
			for lane := range n {
				z := (theta[lane*d+j] - mode[j]) / sd[j]
				mean += z / n
				square += (z*z - 1) / n
				moments[0].one += z * z
				moments[1].one += (z*z - 1) * (z*z - 1)
			}
			for k, m := range []float64{mean, square} {
				moments[k].all += m * m
				moments[k].count++
			}
		}
	}
	for k, m := range moments {
		ratio := m.all / (m.one / n) * n // variance of the mean, divided by that for independent walkers
		rho[k] = (ratio - 1) / (n - 1)
		se[k] = ratio * math.Sqrt(2*2/m.count) / (n - 1) // coordinates and iterations count half
	}
	return rho, se
}

// A moment holds sums of squares over iterations and coordinates: one for single walkers, all for means over walkers.
type moment struct{ one, all, count float64 }

// TestSharedBatchesLeaveChainsIndependent checks that with anchors at the mode, the positions of walkers that share
// batches are uncorrelated within three standard errors, and their squares are correlated by less than 1 %: a batch
// with less curvature than all rows lets all walkers move further from the mode. With an anchor eight standard
// deviations away, batches push all walkers in the same direction, so positions must be correlated.
func TestSharedBatchesLeaveChainsIndependent(t *testing.T) {
	rho, se := sharedCorrelation(t, 0)
	t.Logf("at the mode: %.4f ± %.4f, squares %.4f ± %.4f", rho[0], se[0], rho[1], se[1])
	for k, most := range []float64{0, 0.01} {
		if math.Abs(rho[k]) > most+3*se[k] || se[k] > 0.003 {
			t.Errorf("correlation %.4f ± %.4f", rho[k], se[k])
		}
	}
	far, se := sharedCorrelation(t, 8)
	t.Logf("away: %.4f ± %.4f, squares %.4f ± %.4f", far[0], se[0], far[1], se[1])
	if far[0] < 3*se[0] || far[0] < 0.02 {
		t.Errorf("an anchor far away gives a correlation of %.4f ± %.4f, want at least .02", far[0], se[0])
	}
}
