package optimize

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/runtime/host"
)

func options(method string) Options {
	o := Defaults()
	o.Method, o.Device, o.Seed = method, infer.Lowered(host.Device{}), 1
	return o
}

func maximize(t *testing.T, target infer.Target, o Options) Result {
	t.Helper()
	r, err := Maximize(context.Background(), target, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %s, %d gradients, %+v", o.Method, r.Message, r.Gradients, r.Ends)
	return r
}

// TestNormal checks that every method except adamw finds the mean and the standard deviations, 10 and .1, of a
// correlated normal.
func TestNormal(t *testing.T) {
	const rho = 0.9
	root := math.Sqrt(1 - rho*rho)
	target := dynamicstest.MultiNormal([]float64{3, -2}, []float64{1 / 10.0, 0, -rho / root / 10, 1 / root / 0.1})
	for _, method := range Methods() {
		o := options(method)
		if method == "adamw" {
			continue // its weight decay keeps the result away from the mean
		}
		if method == "sgd" {
			o.Iterations = 20000
		}
		r := maximize(t, target, o)
		near(t, method+" mode", r.Values, []float64{3, -2}, 1e-6)
		near(t, method+" sd", r.SD, []float64{10, 0.1}, 1e-6)
		if !r.Converged || math.Abs(r.LogPrior) > 1e-12 {
			t.Errorf("%s: %s; log density %g, want 0", method, r.Message, r.LogPrior)
		}
	}
}

func near(t *testing.T, name string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", name, got, want)
	}
	for i, w := range want {
		if !(math.Abs(got[i]/w-1) < tolerance) {
			t.Errorf("%s[%d] = %.9g, want %.9g", name, i, got[i], w)
		}
	}
}

// scalar is a target whose saved value is f(θ).
type scalar struct {
	infer.Target
	f func(autodiff.Node) autodiff.Node
}

func (s scalar) Values(theta autodiff.Node) autodiff.Node { return s.f(theta) }

// TestCoordinates checks x ~ Gamma(5, 2) in the coordinate θ = log x. Without the Jacobian the mode is (5−1)/2 and
// Laplace's standard deviation √(5−1)/2, with the Jacobian 5/2 and √5/2.
func TestCoordinates(t *testing.T) {
	for _, c := range []struct{ jacobian, mode, sd float64 }{{0, 2, 1}, {1, 2.5, math.Sqrt(5) / 2}} {
		target := scalar{dynamicstest.Density{D: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
			g, u := theta.Graph(), autodiff.Reshape(theta)
			return autodiff.Sub(autodiff.Mul(g.Const(4+c.jacobian), u), autodiff.Mul(g.Const(2), autodiff.Exp(u)))
		}}, autodiff.Exp}
		r := maximize(t, target, options("lbfgs"))
		near(t, "mode", r.Values, []float64{c.mode}, 1e-6)
		near(t, "sd", r.SD, []float64{c.sd}, 1e-5)
	}
}

// TestStarts checks that 30 starts reach all five modes of a mixture, and that the result is the one of greatest
// density.
func TestStarts(t *testing.T) {
	o := options("lbfgs")
	o.Starts = 30
	r := maximize(t, dynamicstest.FiveModes().Target(), o)
	if want := math.Log(0.30 / (2 * math.Pi * 0.25)); math.Abs(r.LogPrior-want) > 1e-6 {
		t.Errorf("log density %.6f, want %.6f", r.LogPrior, want)
	}
	seen := map[int]bool{}
	for _, e := range r.Ends {
		seen[dynamicstest.FiveModes().Mode(e.Theta)] = true
	}
	if len(seen) != 5 {
		t.Errorf("30 starts end in modes %v", seen)
	}
}

// TestFailures checks the messages for targets without a maximum and for too few iterations.
func TestFailures(t *testing.T) {
	rising := dynamicstest.Density{D: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
		return autodiff.SumAll(theta)
	}}
	flat := dynamicstest.Density{D: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
		s := autodiff.SumAll(theta)
		return autodiff.Neg(autodiff.Mul(s, s))
	}}
	short := options("adam")
	short.Iterations = 3
	for name, c := range map[string]struct {
		target infer.Target
		o      Options
		want   string
	}{
		"rising": {rising, options("lbfgs"), "not a maximum"},
		"flat":   {flat, options("lbfgs"), "not a maximum"},
		"short":  {dynamicstest.MultiNormal([]float64{1000}, []float64{1}), short, "not converged after 3 iterations"},
	} {
		if r := maximize(t, c.target, c.o); r.Converged || !strings.Contains(r.Message, c.want) {
			t.Errorf("%s: converged %v, %q; want %q", name, r.Converged, r.Message, c.want)
		}
	}
}

// TestThreadsAndCancel checks that one and two threads give the same result, and that a cancelled search returns
// context.Canceled.
func TestThreadsAndCancel(t *testing.T) {
	one, two := options("adam"), options("adam")
	one.Threads, two.Threads, one.Iterations, two.Iterations = 1, 2, 100, 100
	target := dynamicstest.FiveModes().Target()
	if d := cmp.Diff(maximize(t, target, one), maximize(t, target, two)); d != "" {
		t.Errorf("one and two threads differ: %s", d)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Maximize(ctx, target, one); err != context.Canceled {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// rows is a linear regression of n rows on one slope, as a Splittable: yᵢ = 3 tᵢ + eᵢ with tᵢ = i/n and eᵢ = ½ sin 37i,
// prior N(0, 1), noise sd ½.
type rows struct {
	infer.Target
	n int
}

func (r rows) Rows() (int, error) { return r.n, nil }

func (r rows) data() (t, y []float64) {
	for i := range r.n {
		x := float64(i) / float64(r.n)
		t, y = append(t, x), append(y, 3*x+math.Sin(37*float64(i))/2)
	}
	return t, y
}

func (r rows) Split(theta, at autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	g := theta.Graph()
	t, y := r.data()
	pick := func(name string, xs []float64) autodiff.Node { return autodiff.Gather(g.Data(name, xs, r.n), at) }
	e := autodiff.Sub(pick("y", y), autodiff.Mul(autodiff.Reshape(theta), pick("t", t)))
	prior := autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(theta, theta)))
	return prior, g.Const(0), autodiff.Mul(g.Const(-2), autodiff.Mul(e, e))
}

func regression(n int) rows {
	r := rows{n: n}
	r.Target = dynamicstest.Density{D: 1, LogPrior: func(theta autodiff.Node) autodiff.Node {
		prior, _, terms := r.Split(theta, theta.Graph().Iota(n))
		return autodiff.Add(prior, autodiff.SumAll(terms))
	}}
	return r
}

// TestMinibatches checks that with batches of 20 of 1,000 rows, adam and sgd end within .01 relative to the mode
// Σty/(Σt² + ¼), and that the refined result equals the mode.
func TestMinibatches(t *testing.T) {
	target := regression(1000)
	ts, ys := target.data()
	want := floats.Dot(ts, ys) / (floats.Dot(ts, ts) + 0.25)
	for _, method := range []string{"adam", "sgd"} {
		o := options(method)
		o.Batch = 20
		r := maximize(t, target, o)
		near(t, method+" mode", r.Values, []float64{want}, 1e-8)
		for _, e := range r.Ends {
			near(t, method+" end", e.Theta, []float64{want}, 0.01) // the posterior's sd is .027
		}
		if all := int64(o.Iterations * o.Starts); r.Gradients < all {
			t.Errorf("%d gradients, want at least %d", r.Gradients, all)
		}
	}
}
