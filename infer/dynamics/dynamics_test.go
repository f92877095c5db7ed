package dynamics_test

import (
	"math"
	"testing"

	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
)

// secondMoment of θ[0] on N(0, 1) over lanes and trajectories, after a tenth of them as burn-in.
func secondMoment(t *testing.T, r dynamics.Rule, h float64, steps, trajectories int) float64 {
	const lanes = 64
	l := dynamicstest.Open(t, r, dynamics.System{Target: dynamicstest.Normal(1)}, lanes)
	l.Fill(dynamics.StepSize, h)
	l.Fill(dynamics.Friction, 0.1)
	l.Call(t, "start", 1)
	sum, n := 0.0, 0
	for k := range trajectories {
		l.Trajectory(t, steps)
		if k < trajectories/10 {
			continue
		}
		for _, x := range l.Read(dynamics.Theta) {
			sum, n = sum+x*x, n+1
		}
	}
	return sum / float64(n)
}

// A harmonic oscillator at c = .1, ε = .01: the variance of θ is 1 − s/2 = .948 under the printed Euler step, s = 1 − √(1 − 2c), and 1
// under BADODAB (worked out by hand; bounds ± .01 are above four standard errors of 64 lanes here).
func TestHarmonicOscillator(t *testing.T) {
	for _, c := range []struct {
		name string
		rule dynamics.Rule
		h    float64
		want float64
	}{
		{"euler", dynamics.NoseHoover{Mass: 10, Euler: true}, 0.1, 0.948},
		{"badodab", dynamics.NoseHoover{Mass: 10}, 0.1, 1},
		{"badodab, long step", dynamics.NoseHoover{Mass: 10}, 0.3, 1},
	} {
		if got := secondMoment(t, c.rule, c.h, 10, 2000); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: variance %.4f, want %.3f ± .01", c.name, got, c.want)
		}
	}
}
