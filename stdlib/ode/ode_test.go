package ode

import (
	"math"
	"slices"
	"strings"
	"testing"

	ad "ppl/autodiff"
)

// solved returns the solution of a known problem, with as many attempts as are needed.
func (k known) solved(t *testing.T, o Options) []float64 {
	t.Helper()
	p, _, _, inputs := k.problem(ad.New())
	n, ok := NewPilot(p, o).Steps(inputs)
	if !ok {
		t.Fatalf("%s, %+v: no solution", k.name, o)
	}
	o.MaxSteps = n
	return ad.Eval(inputs, Solve(p, o))[0]
}

// worst returns the largest error of values divided by the magnitude of their state.
func (k known) worst(got []float64) float64 {
	e := 0.
	for i, want := range k.want {
		e = max(e, math.Abs(got[i]-want)/k.size[i%len(k.size)])
		if math.IsNaN(got[i]) {
			return math.Inf(1)
		}
	}
	return e
}

// The error of a solution is of the order of the tolerance times the condition number of the problem. This is at most
// 500 here (for van der Pol's oscillator after 2000 units of time) and below 60 for the others. Reference values have
// errors of at most 1e-11.
func TestKnownSolutions(t *testing.T) {
	for _, k := range knownProblems() {
		for _, m := range methods() {
			if k.stiff && m.name != "bdf" {
				continue
			}
			bound := 60.
			if k.name == "van der pol" {
				bound = 500
			}
			for _, tol := range []float64{1e-4, 1e-6} {
				o := Options{Method: m.name, RTol: tol, ATol: tol * slices.Min(k.size)}
				if e := k.worst(k.solved(t, o)); !(e < bound*tol) {
					t.Errorf("%s by %s: error %.2g of magnitude at tolerance %g (%s)", k.name, m.name, e, tol, k.origin)
				}
			}
		}
	}
}

// The number of steps is at most 10 % above SciPy's (1.17.1): at these tolerances, its RK45 takes 380 evaluations for
// Lotka and Volterra, six per attempt, and its Radau 215 steps for Robertson's problem.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		name, method string
		atol         float64
		most         int
	}{{"lotka-volterra", "rk45", 1e-6, 70}, {"robertson", "bdf", 1e-10, 236}} {
		k := problemNamed(c.name)
		p, _, _, inputs := k.problem(ad.New())
		if n, ok := NewPilot(p, Options{Method: c.method, ATol: c.atol}).Steps(inputs); !ok || n > c.most ||
			n < c.most/3 {
			t.Errorf("%s: %d attempts, %v", c.name, n, ok)
		}
	}
}

// A step that is shortened to end at a time does not shorten later steps: a second time shortly after each of twenty
// times needs only one or two more attempts each.
func TestStepsAfterCloseTimes(t *testing.T) {
	k := problemNamed("lotka-volterra")
	p, _, _, inputs := k.problem(ad.New())
	p.Times = nil
	var pairs []float64
	for s := range 20 {
		p.Times = append(p.Times, float64(s+1))
		pairs = append(pairs, float64(s+1), float64(s+1)+1e-4)
	}
	single, _ := NewPilot(p, Options{}).Steps(inputs)
	p.Times = pairs
	if double, ok := NewPilot(p, Options{}).Steps(inputs); !ok || double < single+20 || double > single+40 {
		t.Errorf("%d attempts for single times, %d for pairs", single, double)
	}
}

func problemNamed(name string) known {
	all := knownProblems()
	return all[slices.IndexFunc(all, func(k known) bool { return k.name == name })]
}

// With one attempt fewer than Steps returns, only the last time has no value, and the gradients of the others are
// correct.
func TestTooFewSteps(t *testing.T) {
	for _, m := range methods() {
		k := problemNamed("lotka-volterra")
		g := ad.New()
		p, _, theta, inputs := k.problem(g)
		o := Options{Method: m.name}
		o.MaxSteps, _ = NewPilot(p, o).Steps(inputs)
		full := Solve(p, o)
		o.MaxSteps--
		short := Solve(p, o)
		first := func(y Node) Node { return ad.Gather(y, g.Const(1), g.Const(0)) }
		v := ad.Eval(inputs, full, short, ad.Grad(first(full), theta)[0], ad.Grad(first(short), theta)[0])
		if !slices.Equal(v[0][:4], v[1][:4]) || !math.IsNaN(v[1][4]) || !math.IsNaN(v[1][5]) ||
			slices.ContainsFunc(v[0], math.IsNaN) {
			t.Errorf("%s: %v with enough attempts, %v with one fewer", m.name, v[0], v[1])
		}
		if !slices.Equal(v[2], v[3]) || slices.ContainsFunc(v[3], math.IsNaN) {
			t.Errorf("%s: gradients %v and %v", m.name, v[2], v[3])
		}
	}
}

// Ten times faster dynamics need more steps. If there is no solution, Steps returns false.
func TestStepsElsewhere(t *testing.T) {
	k := problemNamed("lotka-volterra")
	p, _, _, easy := k.problem(ad.New())
	pilot := NewPilot(p, Options{})
	n, _ := pilot.Steps(easy)
	m, ok := pilot.Steps(map[string][]float64{"y0": k.y0, "theta": {5.5, .28, 8.4, .26}})
	if !ok || m < 3*n {
		t.Errorf("%d and %d attempts", n, m)
	}
	p.Times = nil
	if n, ok := NewPilot(p, Options{}).Steps(easy); n != 0 || !ok {
		t.Errorf("%d attempts to nowhere, %v", n, ok)
	}
	if n, ok := pilot.Steps(map[string][]float64{"y0": {math.NaN(), 1}, "theta": k.theta}); ok {
		t.Errorf("%d attempts from nowhere", n)
	}
}

// Output times may be at the start, be repeated, or be absent.
func TestTimes(t *testing.T) {
	for _, m := range methods() {
		for _, times := range [][]float64{{0, 0, 1, 1, 2.5}, {0}, {0, 0}, {2.5, 2.5}, {}} {
			g := ad.New()
			y0, rate := g.Input("y0", 2), g.Input("rate", 1)
			p := Problem{Times: times, Y0: y0, Shared: []Node{rate},
				RHS: vector(func(t Node, y, k []Node) []Node {
					return []Node{ad.Neg(ad.Mul(k[0], y[0])), ad.Mul(k[0], y[1])}
				})}
			y := Solve(p, Options{Method: m.name, RTol: 1e-8, ATol: 1e-8})
			v := ad.Eval(map[string][]float64{"y0": {2, 3}, "rate": {.5}},
				slices.Concat([]Node{y}, ad.Grad(ad.SumAll(y), y0, rate))...)
			if !slices.Equal(y.Shape(), []int{len(times), 2}) {
				t.Fatalf("shape %v", y.Shape())
			}
			var want, toY0, toRate = []float64{}, []float64{0, 0}, []float64{0}
			for _, s := range times {
				down, up := math.Exp(-.5*s), math.Exp(.5*s)
				want = append(want, 2*down, 3*up)
				toY0[0], toY0[1] = toY0[0]+down, toY0[1]+up
				toRate[0] += s * (3*up - 2*down)
			}
			// Closed forms; the tolerance with a margin for accumulation.
			if !near(v[0], want, 1e-7) || !near(v[1], toY0, 1e-6) || !near(v[2], toRate, 1e-6) {
				t.Errorf("%s, times %v:\n got %v\nwant %v, %v, %v", m.name, times, v, want, toY0, toRate)
			}
		}
	}
}

// Right-hand sides may be independent of t and y: y = 2 + rt. If r is a constant, the solution is a constant.
func TestPlainFields(t *testing.T) {
	for _, m := range methods() {
		for _, rate := range []float64{0, .5} {
			g := ad.New()
			r, y0 := g.Input("r", 1), g.Input("y0", 1)
			solve := func(y0 Node, shared []Node) Node {
				rhs := func(t, _ Node, s []Node) Node {
					if len(s) > 0 {
						return s[0]
					}
					return t.Graph().Full(rate, 1)
				}
				return Solve(Problem{T0: -1, Times: []float64{1, 30}, Y0: y0, Shared: shared, RHS: rhs},
					Options{Method: m.name})
			}
			y := solve(y0, []Node{r})
			v := ad.Eval(map[string][]float64{"r": {rate}, "y0": {2}},
				slices.Concat([]Node{y, solve(y0, nil), solve(g.Full(2, 1), nil)}, ad.Grad(ad.SumAll(y), r, y0))...)
			want := []float64{2 + 2*rate, 2 + 31*rate}
			if !near(v[0], want, 1e-12) || !near(v[1], want, 1e-12) || !near(v[2], want, 1e-12) ||
				!near(v[3], []float64{33}, 1e-12) || !near(v[4], []float64{2}, 0) {
				t.Errorf("%s, rate %v: %v", m.name, rate, v)
			}
		}
	}
}

// near compares with a tolerance relative to 1 + |want|.
func near(got, want []float64, tol float64) bool {
	return len(got) == len(want) && !slices.ContainsFunc(got, math.IsNaN) &&
		slices.EqualFunc(got, want, func(g, w float64) bool { return math.Abs(g-w) <= tol*(1+math.Abs(w)) })
}

// y′ = −√y has the solution (1 − t/2)². Steps that are too long give NaN; they are rejected and do not affect the
// gradient.
func TestRefusedSteps(t *testing.T) {
	for _, m := range methods() {
		g := ad.New()
		y0 := g.Input("y0", 1)
		rhs := func(_, y Node, _ []Node) Node { return ad.Neg(ad.Sqrt(y)) }
		y := Solve(Problem{Times: []float64{1, 1.9}, Y0: y0, RHS: rhs}, Options{Method: m.name, MaxSteps: 200})
		v := ad.Eval(map[string][]float64{"y0": {1}}, y, ad.Grad(ad.SumAll(y), y0)[0])
		// ∂/∂y0 (√y0 − t/2)² = 1 − t/2 at 1.
		if !near(v[0], []float64{.25, .0025}, 1e-5) || !near(v[1], []float64{.55}, 1e-4) {
			t.Errorf("%s: %v", m.name, v)
		}
	}
}

// For a right-hand side that starts abruptly, y′ = −k y⁵ from t = 1 on, long steps overflow. The gradient passes
// through the rejected steps without becoming NaN. The solution is (1 + 4k(t−1))^(−1/4). The discontinuity causes an
// error of at most a hundred tolerances.
func TestOverflow(t *testing.T) {
	const k = 1000
	for _, m := range methods() {
		g := ad.New()
		y0, rate := g.Input("y0", 1), g.Input("k", 1)
		rhs := func(t, y Node, s []Node) Node {
			drop := ad.Mul(s[0], ad.Mul(y, ad.Mul(ad.Mul(y, y), ad.Mul(y, y))))
			return ad.Where(ad.Broadcast(ad.Lt(t, y.Graph().Const(1)), []int{1}, nil), y.Graph().Const(0), ad.Neg(drop))
		}
		y := Solve(Problem{Times: []float64{3}, Y0: y0, Shared: []Node{rate}, RHS: rhs}, Options{Method: m.name})
		v := ad.Eval(map[string][]float64{"y0": {1}, "k": {k}}, y, ad.Grad(ad.SumAll(y), rate)[0])
		base := 1 + 8.*k
		if !near(v[0], []float64{math.Pow(base, -.25)}, 1e-4) || math.Abs(v[1][0]/(-2*math.Pow(base, -1.25))-1) > 1e-2 {
			t.Errorf("%s: %v, want %v", m.name, v, []float64{math.Pow(base, -.25), -2 * math.Pow(base, -1.25)})
		}
	}
}

// y′ = y² has the solution y0/(1 − y0 t), which is infinite at t = 1/y0. Values before that time are correct, with
// their gradients, and the value after it is missing.
func TestExplosion(t *testing.T) {
	for _, m := range methods() {
		g := ad.New()
		y0 := g.Input("y0", 1)
		rhs := func(_, y Node, _ []Node) Node { return ad.Mul(y, y) }
		p := Problem{Times: []float64{.5, 2}, Y0: y0, RHS: rhs}
		y := Solve(p, Options{Method: m.name})
		v := ad.Eval(map[string][]float64{"y0": {1}}, y, ad.Grad(at(ad.Reshape(y, 2), 0), y0)[0])
		if n, ok := NewPilot(p, Options{Method: m.name}).Steps(map[string][]float64{"y0": {1}}); ok || n > 1000 {
			t.Errorf("%s: %d attempts, %v", m.name, n, ok)
		}
		if !near(v[0][:1], []float64{2}, 1e-5) || !math.IsNaN(v[0][1]) || !near(v[1], []float64{4}, 1e-4) {
			t.Errorf("%s: %v", m.name, v)
		}
	}
}

func TestSolveRefuses(t *testing.T) {
	y0 := ad.New().Input("y0", 1)
	rhs := func(_, y Node, _ []Node) Node { return y }
	for name, f := range map[string]func(){
		"unsorted": func() { Solve(Problem{Times: []float64{2, 1}, Y0: y0, RHS: rhs}, Options{}) },
		"before":   func() { Solve(Problem{Times: []float64{-1, 1}, Y0: y0, RHS: rhs}, Options{}) },
		"not a time": func() {
			Solve(Problem{Times: []float64{math.NaN()}, Y0: y0, RHS: rhs}, Options{})
		},
		"method":    func() { Solve(Problem{Times: []float64{1}, Y0: y0, RHS: rhs}, Options{Method: "euler"}) },
		"tolerance": func() { Solve(Problem{Times: []float64{1}, Y0: y0, RHS: rhs}, Options{RTol: -1}) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "internal error: ode: ") {
					t.Errorf("%s: panic %q", name, text)
				}
			}()
			f()
		}()
	}
}

// TestBreaks checks that both methods integrate a pulse that is a thousand times shorter than the distance of output
// times if its ends are breaks, and miss it otherwise. y′ = 1000 − y/2 from 5 to 5.01 and −y/2 otherwise; the value at
// 10 is known.
func TestBreaks(t *testing.T) {
	for _, m := range methods() {
		g := ad.New()
		y0 := g.Input("y0", 1)
		rhs := func(t, y Node, _ []Node) Node {
			c := t.Graph().Const
			on := ad.Mul(ad.Lt(c(5), t), ad.Lt(t, c(5.01)))
			return ad.Sub(ad.Mul(c(1000), on), ad.Mul(c(0.5), y))
		}
		p := Problem{Times: []float64{5, 10}, Y0: y0, RHS: rhs, Breaks: []float64{5.01, 5, 77}}
		o := Options{Method: m.name, RTol: 1e-9, ATol: 1e-9}
		with := Solve(p, o)
		p.Breaks = nil
		v := ad.Eval(map[string][]float64{"y0": {1}}, with, ad.Grad(ad.SumAll(with), y0)[0], Solve(p, o))
		pulse := 2000 * -math.Expm1(-0.005) * math.Exp(-0.5*(10-5.01))
		if want := []float64{math.Exp(-2.5), math.Exp(-5) + pulse}; !near(v[0], want, 1e-7) ||
			!near(v[1], []float64{math.Exp(-2.5) + math.Exp(-5)}, 1e-7) {
			t.Errorf("%s: %v with gradient %v, want %v", m.name, v[0], v[1], want)
		}
		if math.Abs(v[2][1]-math.Exp(-5)-pulse) < 1e-3 {
			t.Errorf("%s: the pulse is seen without breaks, so that the test shows nothing", m.name)
		}
	}
}
