package warmup

import (
	"math"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/population"
)

// TestDescend checks that walkers that start far from a normal target are moved to its slopes, and not to its centre,
// and that the metric becomes that of the target.
func TestDescend(t *testing.T) {
	sd := []float64{10, 0.1}
	target := dynamicstest.MultiNormal([]float64{3, -2}, []float64{1 / sd[0], 0, 0, 1 / sd[1]})
	r := warmupAt(t, target, func(lane int) []float64 {
		if lane%2 == 0 {
			return []float64{2, -2.1} // within reach
		}
		return []float64{-1e3 * float64(lane), 50}
	})
	if err := r.descend(); err != nil {
		t.Fatal(err)
	}
	metric := r.Walkers.Rungs[0].Metric
	for j, want := range sd {
		if got := metric.Scales()[j]; math.Abs(got/want-1) > 1e-3 {
			t.Errorf("the metric has scale %v in coordinate %d, want %v", got, j, want)
		}
	}
	for lane, x := range r.Walkers.Positions() {
		square := math.Pow((x[0]-3)/sd[0], 2) + math.Pow((x[1]+2)/sd[1], 2)
		switch {
		case lane%2 == 0 && (x[0] != 2 || x[1] != -2.1):
			t.Errorf("walker %d, which was within reach, is at %v", lane, x)
		case square/2 > population.Hopeless(2)+5:
			t.Errorf("walker %d is still at %v", lane, x)
		case lane%2 == 1 && square < 1:
			t.Errorf("walker %d climbed to the middle, %v", lane, x)
		}
	}
}

// TestDescendNotInFunnel checks that positions and metric do not change for a funnel, to which no normal is similar.
func TestDescendNotInFunnel(t *testing.T) {
	funnel := dynamicstest.Density{D: 6, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		v := autodiff.Reshape(autodiff.Slice(theta, []int{0}, []int{1}))
		x := autodiff.Slice(theta, []int{1}, []int{6})
		squares := autodiff.SumAll(autodiff.Mul(x, x))
		own := autodiff.Mul(g.Const(-1.0/18), autodiff.Mul(v, v))
		narrow := autodiff.Mul(g.Const(-0.5), autodiff.Mul(squares, autodiff.Exp(autodiff.Neg(v))))
		return autodiff.Add(autodiff.Add(own, narrow), autodiff.Mul(g.Const(-2.5), v))
	}}
	start := func(lane int) []float64 {
		x := float64(lane)
		return []float64{x/4 - 2, x, -x, 1, 2, 3}
	}
	r := warmupAt(t, funnel, start)
	before := r.Walkers.Rungs[0].Metric.Scales()
	if err := r.descend(); err != nil {
		t.Fatal(err)
	}
	for lane, x := range r.Walkers.Positions() {
		if want := start(lane); !equal(x, want) {
			t.Errorf("walker %d is at %v, and was at %v", lane, x, want)
		}
	}
	if after := r.Walkers.Rungs[0].Metric.Scales(); !equal(before, after) {
		t.Errorf("the metric has the scales %v, and had %v", after, before)
	}
}

// TestDescendWithoutMetric checks that the metric remains the identity if the settings request this.
func TestDescendWithoutMetric(t *testing.T) {
	wide := dynamicstest.MultiNormal([]float64{0}, []float64{1e-3})
	r := warmupAt(t, wide, func(int) []float64 { return []float64{1} })
	r.Phase.Options.Settings = infer.Settings{Metric: "identity"}
	if err := r.descend(); err != nil {
		t.Fatal(err)
	}
	if got := r.Walkers.Rungs[0].Metric.Scales()[0]; got != 1 {
		t.Errorf("the metric has scale %v, want 1", got)
	}
}

func equal(a, b []float64) bool {
	for j := range a {
		if a[j] != b[j] {
			return false
		}
	}
	return len(a) == len(b)
}
