package dynamics_test

import (
	"math"
	"testing"

	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
)

// An oscillation is a rule without a thermostat on N(0, 1). Its step is linear, so the covariance of θ and p follows a
// recursion, which is iterated until it has converged.
type oscillation struct {
	rule        dynamics.Rule
	h, c, noise float64
	drag, heat  float64 // p ← (1 − drag) p − hθ + N(0, heat); drag < 0: no momentum (SGLD)
	length      int     // number of steps of a cycle; 0: no cycles
	explore     float64 // share of a cycle without injected noise
	wrong       bool    // whether the recursion is another one (planted fault), so that variances must differ
}

// variance returns the mean variance of θ at the ends of trajectories of ten steps that give draws, from the recursion
// Σ ← AΣAᵀ + Q.
func (o oscillation) variance() float64 {
	tt, tp, pp, sum, n := 1.0, 0.0, 1.0, 0.0, 0.0
	for k := range 200_000 {
		h, warm := o.h, 1.0
		if o.length > 0 {
			u := float64(k%o.length) / float64(o.length)
			h *= math.Sqrt((1 + math.Cos(math.Pi*u)) / 2)
			if u < o.explore {
				warm = 0
			}
		}
		if o.drag < 0 {
			eta := h * h / 2
			tt = (1-eta)*(1-eta)*tt + 2*eta*warm + eta*eta*o.noise
		} else {
			a, q := 1-o.drag, o.heat*warm+h*h*o.noise
			pp, tp = a*a*pp-2*a*h*tp+h*h*tt+q, a*tp-h*tt
			tt, tp = tt+2*h*tp+h*h*pp, tp+h*pp
		}
		if k > 100_000 && k%10 == 9 && warm == 1 {
			sum, n = sum+tt, n+1
		}
	}
	return sum / n
}

// TestOscillations checks that each rule has exactly the bias of its published step, with and without gradient noise,
// and in cycles. The standard error of a variance from 64 walkers and 1,000 trajectories is about .01; the bound is
// .04.
func TestOscillations(t *testing.T) {
	s := 0.999 + 0.1
	for name, o := range map[string]oscillation{
		"sgld":           {rule: dynamics.SGLD{}, h: 0.5, drag: -1},
		"sgld, noise":    {rule: dynamics.SGLD{}, h: 0.5, drag: -1, noise: 10},
		"sghmc":          {rule: dynamics.SGHMC{}, h: 0.3, c: 0.2, drag: 0.2, heat: 0.4},
		"sghmc, noise":   {rule: dynamics.SGHMC{}, h: 0.1, c: 0.1, drag: 0.1, heat: 0.2, noise: 10},
		"reld":           {rule: dynamics.RELD{}, h: 0.4, c: 0.1, drag: s, heat: 2 * s},
		"reld, printed":  {rule: dynamics.RELD{Printed: true}, h: 0.4, c: 0.1, drag: s, heat: 0.2},
		"reld, confused": {rule: dynamics.RELD{Printed: true}, h: 0.4, c: 0.1, drag: s, heat: 2 * s, wrong: true},
		"csgld": {rule: dynamics.Cyclical{Inner: dynamics.SGLD{}, Length: 200, Explore: 0.3, Peak: 1},
			h: 0.6, drag: -1, length: 200, explore: 0.3},
		"csghmc": {rule: dynamics.Cyclical{Inner: dynamics.SGHMC{}, Length: 200, Explore: 0.3, Peak: 1},
			h: 0.3, c: 0.1, drag: 0.1, heat: 0.2, length: 200, explore: 0.3},
		"csgld, without its cycle": {rule: dynamics.SGLD{}, h: 0.6, drag: -1, length: 200, explore: 0.3, wrong: true},
	} {
		want, got := o.variance(), o.measure(t)
		if off := math.Abs(got/want - 1); (off > 0.04) != o.wrong {
			t.Errorf("%s: variance %.4f, recursion %.4f", name, got, want)
		}
	}
}

func (o oscillation) measure(t *testing.T) float64 {
	l := dynamicstest.Open(t, o.rule, dynamics.System{Target: dynamicstest.Normal(1), Noise: o.noise}, 64)
	l.Fill(dynamics.StepSize, o.h)
	if o.rule.Traits().Friction {
		l.Fill(dynamics.Friction, o.c)
	}
	l.Call(t, "start", 1)
	sum, n := 0.0, 0.0
	for k := range 1200 {
		if l.Trajectory(t, 10); k < 200 {
			continue
		}
		counts := l.Counting(o.rule)
		for lane, x := range l.Read(dynamics.Theta) {
			sum, n = sum+counts[lane]*x*x, n+counts[lane]
		}
	}
	return sum / n
}

// TestTACTCountsUnitTemperature checks continuous tempering with and without gradient noise. Positions at the ends of
// trajectories with λ = 1 must have the target's variance; all positions must have a larger one. Noise adds a small
// bias, since one thermostat serves all λ. The learned bias force must make all ξ equally likely, so the share of
// trajectories that end on the plateau is its width.
func TestTACTCountsUnitTemperature(t *testing.T) {
	for noise, bias := range map[float64]float64{0: 0.04, 4: 0.10} {
		rule := dynamics.TACTHMC{Hottest: 8}
		l := dynamicstest.Open(t, rule, dynamics.System{Target: dynamicstest.Normal(1, 1), Noise: noise}, 64)
		l.Fill(dynamics.StepSize, 0.1)
		l.Fill(dynamics.Friction, 0.1)
		l.Call(t, "start", 1)
		var kept, all, share, n float64
		for k := range 1000 {
			if l.Trajectory(t, 20); k < 200 {
				continue
			}
			counts := l.Counting(rule)
			for i, x := range l.Read(dynamics.Theta) {
				c := counts[i/2]
				kept, all, share, n = kept+c*x*x, all+x*x, share+c, n+1
			}
		}
		if v := kept / share; math.Abs(v-1) > bias {
			t.Errorf("noise %v: variance at unit temperature %.4f, want 1 ± %v", noise, v, bias)
		}
		if v := all / n; v < 1.3 {
			t.Errorf("noise %v: the variance of all positions is %.4f, want at least 1.3", noise, v)
		}
		if p := share / n; math.Abs(p-0.3) > 0.06 {
			t.Errorf("noise %v: %.3f of trajectories end on the plateau, want .30 ± .06", noise, p)
		}
	}
}
