package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A climb finds the mode of a normal density whose precision the metric knows badly, by factors up to 30, and a climb
// that forgets how the density curves needs more evaluations.
func TestAscentFindsTheMode(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const d = 12
	precision, mode, start := make([]float64, d), make([]float64, d), make([]float64, d)
	m := Identity(d)
	for j := range d {
		precision[j], mode[j], start[j] = math.Exp(3*r.NormFloat64()), r.NormFloat64(), 20*r.NormFloat64()
		m.Factor[j*d+j] = math.Exp(0.7*r.NormFloat64()) / math.Sqrt(precision[j])
	}
	climb := func(forget bool) (far float64, evaluations int) {
		a := NewAscent(start)
		for !a.Done {
			f, g := 0.0, make([]float64, d)
			for j, x := range a.X {
				f -= precision[j] * (x - mode[j]) * (x - mode[j]) / 2
				g[j] = -precision[j] * (x - mode[j])
			}
			a.Report(m, f, g)
			if forget {
				a.Moves, a.Changes = nil, nil
			}
		}
		for j, x := range a.Best {
			far += precision[j] * (x - mode[j]) * (x - mode[j]) / d
		}
		return far, a.Evaluations
	}
	far, n := climb(false)
	if far > 0.5 {
		t.Errorf("%.3g squared standard deviations from the mode after %d evaluations", far, n)
	}
	if _, slow := climb(true); slow < n+5 {
		t.Errorf("%d evaluations, without memory %d: the test could not fail", n, slow)
	}
}

// A start that is nowhere ends at once, with nothing found; a flat density leaves the climb where it began.
func TestAscentEnds(t *testing.T) {
	a := NewAscent([]float64{1})
	if kept := a.Report(Identity(1), math.NaN(), []float64{0}); kept || !a.Done || a.Best != nil {
		t.Errorf("a density that is no number: %+v", a)
	}
	a = NewAscent([]float64{1})
	if kept := a.Report(Identity(1), 3, []float64{0}); !kept || !a.Done || a.Best[0] != 1 {
		t.Errorf("a flat density: %+v", a)
	}
}

// Push and Distance invert one another, for metrics of each kind.
func TestDistance(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	dense, low := Identity(3), lowRank(3, 1)
	copy(dense.Factor, []float64{2, 0, 0, 1, 3, 0, -1, 0.5, 0.25})
	low.Scale, low.Vectors, low.Stretch = []float64{2, 3, 0.1}, []float64{0.6, 0.8, 0}, []float64{4}
	for _, m := range []Metric{dense, low, Diagonal(3)} {
		z, x := make([]float64, 3), make([]float64, 3)
		want := 0.0
		for j := range z {
			z[j], x[j] = r.NormFloat64(), r.NormFloat64()
			want += z[j] * z[j]
		}
		y := m.Push(z)
		add(y, x, 1)
		if got := m.Distance(y, x); math.Abs(got-want) > 1e-12*want {
			t.Errorf("rank %d: distance %v, want %v", m.Rank, got, want)
		}
	}
}

// A climb from the edge of a needle inside of something two thousand times as wide arrives at its top, though all but
// very short steps along the gradient lead out of it.
func TestAscentStaysInANeedle(t *testing.T) {
	const needle, sd = 3, .0005
	a := NewAscent([]float64{needle + 4*sd})
	for !a.Done {
		x := a.X[0]
		wide, narrow := -x*x/2, -(x-needle)*(x-needle)/(2*sd*sd)-math.Log(sd)
		w := 1 / (1 + math.Exp(wide-narrow))
		a.Report(Identity(1), math.Max(wide, narrow)+math.Log1p(math.Exp(-math.Abs(wide-narrow))),
			[]float64{-(1-w)*x - w*(x-needle)/(sd*sd)})
	}
	if math.Abs(a.Best[0]-needle) > sd {
		t.Errorf("ends at %v after %d evaluations", a.Best, a.Evaluations)
	}
}
