package dynamics_test

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
)

// still is the mass of a thermostat that hardly changes, so that only the order of the splitting is tested.
const still = 1e12

func TestHMC(t *testing.T) {
	dynamicstest.Run(t, dynamicstest.Case{Rule: dynamics.HMC{Careful: 0.2}, Step: 0.3, Steps: 5})
}

// TestFreeRules tests rules without a Metropolis test. Their bias is the error of the step; Euler steps have a factor 1
// − s/2 in the variance, with s = .1 here.
func TestFreeRules(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for _, c := range []dynamicstest.Case{
		{Rule: dynamics.NoseHoover{Mass: 10}, Step: 0.2, Steps: 20, Bias: 0.01},
		{Rule: dynamics.SGNHT{Mass: 10}, Step: 0.2, Steps: 20, Bias: 0.07},
		{Rule: dynamics.SGHMC{}, Step: 0.2, Steps: 20, Bias: 0.07},
		{Rule: dynamics.SGLD{}, Step: 0.4, Steps: 20, Bias: 0.05},
		{Rule: dynamics.RELD{}, Step: 0.3, Steps: 20, Bias: 0.06},
		{Rule: dynamics.TACTHMC{Hottest: 4}, Step: 0.2, Steps: 20, Bias: 0.03},
		{Rule: dynamics.Cyclical{Inner: dynamics.SGLD{}, Length: 320, Explore: 0.2, Peak: 1}, Step: 0.4, Steps: 20,
			Bias: 0.06},
	} {
		t.Run(c.Rule.Name(), func(t *testing.T) { dynamicstest.Run(t, c) })
	}
}

// TestOrderOfSplittings checks that the symmetric splittings are of order 2 and the published Euler step is of order 1.
func TestOrderOfSplittings(t *testing.T) {
	for _, c := range []dynamicstest.Case{
		{Rule: dynamics.HMC{}, Order: 2},
		{Rule: dynamics.NoseHoover{Mass: still}, Order: 2},
		{Rule: dynamics.SGNHT{Mass: still}, Order: 1},
	} {
		dynamicstest.Order(t, c)
	}
}

// secondMoment returns the mean of θ² for the target N(0, 1) over lanes and trajectories, after a burn-in of a tenth of
// the trajectories.
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

// TestHarmonicOscillator checks the variance of θ on a harmonic oscillator with c = .1. Derived by hand, it is 1 − s/2
// = .948 with the published Euler step, where s = 1 − √(1 − 2c), and 1 with BADODAB. The bound .01 is more than four
// standard errors.
func TestHarmonicOscillator(t *testing.T) {
	for _, c := range []struct {
		name string
		rule dynamics.Rule
		h    float64
		want float64
	}{
		{"euler", dynamics.SGNHT{Mass: 10}, 0.1, 0.948},
		{"badodab", dynamics.NoseHoover{Mass: 10}, 0.1, 1},
		{"badodab, long step", dynamics.NoseHoover{Mass: 10}, 0.3, 1},
	} {
		if got := secondMoment(t, c.rule, c.h, 10, 2000); math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s: variance %.4f, want %.3f ± .01", c.name, got, c.want)
		}
	}
}

// TestThermostatTakesUpNoise checks that the thermostat compensates gradient noise of variance 25: the variance of θ
// must be that of the target. The bound .02 is four standard errors plus the bias of the step.
func TestThermostatTakesUpNoise(t *testing.T) {
	l := dynamicstest.Open(t, dynamics.NoseHoover{Mass: 10}, dynamics.System{Target: dynamicstest.Normal(1), Noise: 25},
		64)
	l.Fill(dynamics.StepSize, 0.05)
	l.Fill(dynamics.Friction, 0.01)
	l.Call(t, "start", 1)
	sum, s, n := 0.0, 0.0, 0
	for k := range 1500 {
		if l.Trajectory(t, 40); k < 300 {
			continue
		}
		xi := l.Read(dynamics.Thermostat)
		for lane, x := range l.Read(dynamics.Theta) {
			sum, s, n = sum+x*x, s+xi[lane], n+1
		}
	}
	if v := sum / float64(n); math.Abs(v-1) > 0.02 {
		t.Errorf("variance %.4f, want 1 ± .02", v)
	}
	// The mean of s is c + εV/2, the friction that balances kicks of variance ε²V per step.
	if got, want := s/float64(n), 0.01+0.0025*25/2; math.Abs(got/want-1) > 0.1 {
		t.Errorf("mean thermostat %.4f, want %.4f ± 10 %%", got, want)
	}
}

// TestHMCRejectsWhereThereIsNoDensity samples the density θ e^{−θ}, whose logarithm is −∞ or NaN for θ ≤ 0. No draw may
// be there, and the mean must be 2.
func TestHMCRejectsWhereThereIsNoDensity(t *testing.T) {
	gamma := dynamicstest.Density{D: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
		x := autodiff.Reshape(theta)
		return autodiff.Sub(autodiff.Log(x), x)
	}}
	l := dynamicstest.Open(t, dynamics.HMC{Jitter: 0.2}, dynamics.System{Target: gamma}, 64)
	l.Fill(dynamics.StepSize, 0.8)
	l.Fill(dynamics.Cool, 1)
	for lane := range l.N {
		l.SetLane(dynamics.Theta, lane, []float64{1 + float64(lane)/64})
	}
	l.Call(t, "start", 1)
	sum, n := 0.0, 0
	for range 3000 {
		l.Trajectory(t, 3)
		for _, x := range l.Read(dynamics.Theta) {
			if !(x > 0) {
				t.Fatalf("draw %v outside the support", x)
			}
			sum, n = sum+x, n+1
		}
		for _, a := range l.Read(dynamics.Accept) {
			if !(a >= 0 && a <= 1) {
				t.Fatalf("acceptance probability %v", a)
			}
		}
	}
	if mean := sum / float64(n); math.Abs(mean-2) > 0.03 {
		t.Errorf("mean %.4f, want 2 ± .03 (five standard errors)", mean)
	}
}
