package adapt

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestAscentFindsTheMode checks that an ascent reaches the mode of a normal density although the scales of the metric
// are wrong by large factors. Planted fault: an ascent without memory of its moves needs more evaluations.
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
		t.Errorf("the mean squared distance from the mode is %.3g variances after %d evaluations, want at most .5", far,
			n)
	}
	if _, slow := climb(true); slow < n+5 {
		t.Errorf("%d evaluations, and %d without memory; want at least 5 more", n, slow)
	}
}

// TestAscentEnds checks that an ascent from a point without a density ends at once with no result, and that one on a
// flat density ends at its start.
func TestAscentEnds(t *testing.T) {
	a := NewAscent([]float64{1})
	if kept := a.Report(Identity(1), math.NaN(), []float64{0}); kept || !a.Done || a.Best != nil {
		t.Errorf("density NaN: %+v", a)
	}
	a = NewAscent([]float64{1})
	if kept := a.Report(Identity(1), 3, []float64{0}); !kept || !a.Done || a.Best[0] != 1 {
		t.Errorf("a flat density: %+v", a)
	}
}

// TestDistance checks for metrics of each form that the distance of Push(z) from 0 is |z|².
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

// TestAscentStaysInANeedle checks that an ascent from the edge of a mode within a mode 2,000 times as wide reaches the
// peak of the narrow one, although only very short steps along the gradient stay in it.
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
