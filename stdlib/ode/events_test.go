package ode

import (
	"math"
	"testing"

	ad "ppl/autodiff"
)

// A dosing is a course of doses into the first of two compartments. The rate constant from the first to the second is
// ka, and that out of the second, which is observed, is ke.
type dosing struct {
	times, amounts []float64
	asked          []float64
	lag            float64 // each dose arrives so much later
}

// exact returns the second compartment by superposition: Σ D ka / (ka − ke) (e^(−ke s) − e^(−ka s)) over earlier doses.
func (d dosing) exact(ka, ke, lag float64) (out []float64) {
	for _, t := range d.asked {
		y := 0.
		for k, at := range d.times {
			if s := t - at - lag; s > 0 {
				y += d.amounts[k] * ka / (ka - ke) * (math.Exp(-ke*s) - math.Exp(-ka*s))
			}
		}
		out = append(out, y)
	}
	return out
}

// problem returns the problem with inputs rates (ka, ke), amounts, and lag if the times are computed.
func (d dosing) problem(g *ad.Graph, computed bool) (p Problem, rates, amounts, lag Node) {
	k := len(d.times)
	rates, amounts, lag = g.Input("rates", 2), g.Input("amounts", k), g.Input("lag")
	e := Events{Into: make([]int, k), Amount: func(_, _ Node, shared []Node) Node { return shared[1] }}
	if computed {
		e.Moving = ad.Add(g.Data("times", d.times, k), lag)
	} else {
		e.Fixed = d.times
	}
	rhs := func(_, y Node, shared []Node) Node {
		out := ad.Mul(y, shared[0])
		return ad.Concat(0, one(ad.Neg(at(out, 0))), one(ad.Sub(at(out, 0), at(out, 1))))
	}
	return Problem{Times: d.asked, Y0: g.Full(0, 2), Shared: []Node{rates, amounts}, RHS: rhs, Events: []Events{e}},
		rates, amounts, lag
}

func dosings() map[string]dosing {
	return map[string]dosing{
		"several, in no order": {[]float64{24, 0.5, 12}, []float64{50, 100, 70}, []float64{1, 3, 12.5, 23, 30, 47},
			0.25},
		"two at one time": {[]float64{6, 6, 1}, []float64{30, 20, 10}, []float64{2, 7, 20}, 0.25},
		"at times asked for": {[]float64{0, 6, 12, 18}, []float64{10, 20, 30, 40}, []float64{0, 6, 6, 12, 17, 18},
			0.25},
		"after the last time": {[]float64{1, 5, 5.1, 90}, []float64{10, 20, 30, 40}, []float64{0, 2, 5}, 0.25},
		"close together": {[]float64{1, 1 + 1e-9, 1 + 1e-12, 2}, []float64{1, 2, 3, 4}, []float64{1, 1.5, 5},
			0.25},
	}
}

// Values and gradients of doses agree with the closed form, for known times and for times that depend on a parameter.
// The gradients of the closed form are computed by differences.
func TestEventsAgainstSuperposition(t *testing.T) {
	const ka, ke = 1.3, 0.21
	for name, d := range dosings() {
		for _, m := range methods() {
			for _, computed := range []bool{false, true} {
				g := ad.New()
				p, rates, amounts, lag := d.problem(g, computed)
				y := Solve(p, Options{Method: m.name, RTol: 1e-9, ATol: 1e-9, MaxSteps: 2000})
				second := ad.SumAll(ad.Mul(ad.Slice(y, []int{0, 1}, y.Shape()), weightsOf(g, len(d.asked))))
				shift := 0.
				if computed {
					shift = d.lag
				}
				v := ad.Eval(map[string][]float64{"rates": {ka, ke}, "amounts": d.amounts, "lag": {shift}},
					append([]Node{y}, ad.Grad(second, rates, amounts, lag)...)...)
				var got []float64
				for i := range d.asked {
					got = append(got, v[0][2*i+1])
				}
				if want := d.exact(ka, ke, shift); !near(got, want, 1e-6) {
					t.Errorf("%s by %s, computed %v: %v, want %v", name, m.name, computed, got, want)
				}
				sum := func(ka, ke, lag float64, of dosing) (s float64) {
					for i, y := range of.exact(ka, ke, lag) {
						s += y * math.Sin(float64(i+1))
					}
					return s
				}
				slope := func(f func(x float64) float64) float64 { return (f(1e-5) - f(-1e-5)) / 2e-5 }
				want := []float64{slope(func(x float64) float64 { return sum(ka+x, ke, shift, d) }),
					slope(func(x float64) float64 { return sum(ka, ke+x, shift, d) })}
				if !near(v[1], want, 1e-5) {
					t.Errorf("%s by %s, computed %v: gradient %v, want %v", name, m.name, computed, v[1], want)
				}
				for k := range d.amounts {
					more := d
					more.amounts = make([]float64, len(d.amounts))
					more.amounts[k] = 1
					if w := sum(ka, ke, shift, more); math.Abs(v[2][k]-w) > 1e-6 {
						t.Errorf("%s by %s: gradient of amount %d %v, want %v", name, m.name, k, v[2][k], w)
					}
				}
				if computed {
					w := slope(func(x float64) float64 { return sum(ka, ke, shift+x, d) })
					if !near(v[3], []float64{w}, 1e-5) {
						t.Errorf("%s by %s: gradient of the lag %v, want %v", name, m.name, v[3], w)
					}
				}
			}
		}
	}
}

func weightsOf(g *ad.Graph, n int) Node {
	w := make([]float64, n)
	for i := range w {
		w[i] = math.Sin(float64(i + 1))
	}
	return g.Data("weights", w, n, 1)
}

// An amount that reads the state reads the one before all events at that time: two events that each subtract half of
// the state leave 0.
func TestEventsThatReadTheState(t *testing.T) {
	for _, m := range methods() {
		g := ad.New()
		y0 := g.Input("y0", 1)
		amount := func(t, y Node, _ []Node) Node {
			share, ofTime := []float64{-.5, 1, -.5}, []float64{0, 1, 0}
			halves := ad.Mul(y.Graph().Data("share", share, 3), ad.Broadcast(at(y, 0), []int{3}, nil))
			return ad.Add(halves, ad.Mul(y.Graph().Data("of time", ofTime, 3), t))
		}
		p := Problem{Times: []float64{0, 1, 1.5, 3}, Y0: y0, RHS: func(_, y Node, _ []Node) Node { return ad.Neg(y) },
			Events: []Events{{Fixed: []float64{2, 1, 2}, Into: []int{0, 0, 0}, Amount: amount}}}
		y := Solve(p, Options{Method: m.name, RTol: 1e-9, ATol: 1e-9})
		v := ad.Eval(map[string][]float64{"y0": {3}}, y, ad.Grad(ad.SumAll(y), y0)[0])
		e := math.Exp
		want := []float64{3, 3 * e(-1), (6*e(-1) + 1) * e(-.5), 0}
		if !near(v[0], want, 1e-7) || !near(v[1], []float64{1 + e(-1) + 2*e(-1.5)}, 1e-7) {
			t.Errorf("%s: %v with gradient %v, want %v", m.name, v[0], v[1], want)
		}
	}
}

// TestMovingBreaks checks the solution and its gradient with respect to τ and w for a right-hand side that jumps at
// times that are parameters: rate − y/2 from τ to τ + w, and −y/2 otherwise. Without breaks, the gradient with respect
// to τ would be 0.
func TestMovingBreaks(t *testing.T) {
	for _, m := range methods() {
		g := ad.New()
		tau, w := g.Input("tau", 1), g.Input("w", 1)
		rhs := func(t, y Node, s []Node) Node {
			c := t.Graph().Const
			on := ad.Mul(ad.Le(at(s[0], 0), t), ad.Lt(t, ad.Add(at(s[0], 0), at(s[1], 0))))
			return ad.Sub(one(ad.Mul(c(10), on)), ad.Mul(c(0.5), y))
		}
		p := Problem{Times: []float64{5, 10}, Y0: g.Full(1, 1), Shared: []Node{tau, w}, RHS: rhs,
			Moving: ad.Concat(0, tau, ad.Add(tau, w))}
		o := Options{Method: m.name, RTol: 1e-9, ATol: 1e-9}
		y := Solve(p, o)
		last := at(ad.Reshape(y, 2), 1)
		p.Moving = Node{}
		blind := at(ad.Reshape(Solve(p, o), 2), 1)
		for _, at := range [][2]float64{{5.3, 0.01}, {2, 1.7}, {9.5, 3}, {5, 5}, {11, 1}, {-3, 5}} {
			v := ad.Eval(map[string][]float64{"tau": {at[0]}, "w": {at[1]}},
				append([]Node{last, blind}, ad.Grad(last, tau, w)...)...)
			exact := func(tau, w float64) float64 {
				from, to := min(max(tau, 0), 10), min(max(tau+w, 0), 10)
				return math.Exp(-5) + 20*(math.Exp(-.5*(10-to))-math.Exp(-.5*(10-from)))
			}
			const d = 1e-6
			toTau := (exact(at[0]+d, at[1]) - exact(at[0]-d, at[1])) / (2 * d)
			toW := (exact(at[0], at[1]+d) - exact(at[0], at[1]-d)) / (2 * d)
			if at[0] == 5 { // the pulse ends with the last time, where the derivatives are one-sided
				toTau, toW = v[2][0], v[3][0]
			}
			if !near(v[0], []float64{exact(at[0], at[1])}, 1e-7) || !near(v[2], []float64{toTau}, 1e-6) ||
				!near(v[3], []float64{toW}, 1e-6) {
				t.Errorf("%s at %v: %v, gradient %v, %v; want %v, %v, %v", m.name, at, v[0], v[2], v[3],
					exact(at[0], at[1]), toTau, toW)
			}
			if at[1] == 0.01 && math.Abs(v[1][0]-exact(at[0], at[1])) < 1e-4 {
				t.Errorf("%s: a short pulse is seen without breaks, so that the test shows nothing", m.name)
			}
		}
	}
}
