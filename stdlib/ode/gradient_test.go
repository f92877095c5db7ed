package ode

import (
	"math"
	"testing"

	ad "ppl/autodiff"
)

// sensitivities returns the gradients of each state at one of the times with respect to theta and y0.
func (k known) sensitivities(t *testing.T, time int, o Options) (toTheta, toY0 []float64) {
	t.Helper()
	g := ad.New()
	p, y0, theta, inputs := k.problem(g)
	o.MaxSteps, _ = NewPilot(p, o).Steps(inputs)
	y := Solve(p, o)
	var grads []Node
	for s := range k.y0 {
		grads = append(grads, ad.Grad(ad.Gather(y, g.Const(float64(time)), g.Const(float64(s))), theta, y0)...)
	}
	for i, v := range ad.Eval(inputs, grads...) {
		if i%2 == 0 {
			toTheta = append(toTheta, v...)
		} else {
			toY0 = append(toY0, v...)
		}
	}
	return toTheta, toY0
}

// The reference sensitivities of each state are from the variational equations, solved by SciPy 1.17.1 with DOP853 and
// rtol 1e-13, or for Robertson's problem with Radau, rtol 1e-11 and atol 1e-20. At tolerance 1e-8 the gradients agree
// within a relative error of 5e-6.
func TestSensitivities(t *testing.T) {
	for _, c := range []struct {
		name          string
		methods       []string
		time          int
		toTheta, toY0 []float64
	}{
		{"lotka-volterra", []string{"rk45", "bdf"}, 2,
			[]float64{196.7730475262, 842.7418489075, 171.3103542814, -51.30030396275, 8.464609826203, 38.54658853415,
				6.107691324684, 47.99924425941},
			[]float64{1.054632713649, 3.932795294902, 0.0378175863862, 1.193847716276}},
		{"michaelis-menten", []string{"rk45", "bdf"}, 2,
			[]float64{-0.08596949591161, -0.1103846749901, -0.2476628913814, 0.4051713052665}, nil},
		{"robertson", []string{"bdf"}, 1,
			[]float64{-4.247558771706, 1.373080797345e-05, -2.288355088906e-09, 4.591196249254e-05, -2.357192113846e-10,
				-1.13805950935e-13,
				4.247512859743, -1.373057225423e-05, 2.288468894857e-09}, nil},
	} {
		k := problemNamed(c.name)
		for _, m := range c.methods {
			toTheta, toY0 := k.sensitivities(t, c.time,
				Options{Method: m, RTol: 1e-8, ATol: 1e-8 * k.size[len(k.size)/2]})
			if c.name == "michaelis-menten" {
				toTheta = toTheta[4:] // of the concentration
			}
			closeTo(t, c.name+" by "+m+", theta", toTheta, c.toTheta)
			if c.toY0 != nil {
				closeTo(t, c.name+" by "+m+", y0", toY0, c.toY0)
			}
		}
	}
}

func closeTo(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if d := got[i]/want[i] - 1; !(math.Abs(d) < 5e-6) {
			t.Errorf("%s, %d: %v, want %v", name, i, got[i], want[i])
		}
	}
}

// At an ordinary tolerance the gradient is that of the computed values, not only an approximation to that of the exact
// solution: if no step changes its rounded size, it equals differences of the computed values. A central difference
// over 2δ with δ = 1e-6 of the argument has an error of about 1e-9.
func TestGradientIsOfTheSteps(t *testing.T) {
	for _, c := range []struct{ name, method string }{{"modulated", "rk45"}, {"modulated", "bdf"},
		{"lotka-volterra", "rk45"}, {"lotka-volterra", "bdf"}, {"robertson", "bdf"}} {
		k := problemNamed(c.name)
		g := ad.New()
		p, _, theta, inputs := k.problem(g)
		o := Options{Method: c.method, RTol: 1e-3, ATol: 1e-3 * k.size[len(k.size)/2], MaxSteps: 150}
		y := ad.Gather(Solve(p, o), g.Const(1), g.Const(0))
		value := func(factor float64) float64 {
			moved := append([]float64(nil), k.theta...)
			moved[0] *= factor
			return ad.Eval(map[string][]float64{"y0": inputs["y0"], "theta": moved}, y)[0][0]
		}
		const delta = 1e-6
		want := (value(1+delta) - value(1-delta)) / (2 * delta * k.theta[0])
		got := ad.Eval(inputs, ad.Grad(y, theta)[0])[0][0]
		if d := got/want - 1; !(math.Abs(d) < 1e-7) {
			t.Errorf("%s by %s: gradient %v, of differences %v (value %v)", c.name, c.method, got, want, value(1))
		}
	}
}
