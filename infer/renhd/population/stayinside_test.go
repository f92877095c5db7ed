package population

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/renhdtest"
	"ppl/infer/symmetry"
)

// TestStayingInsideIsExact checks that walkers that StayInside restricts to the part with one image of each position
// sample the target, with a metric that suits one image only. Planted fault: walkers that leave this part continue from
// their nearest images.
func TestStayingInsideIsExact(t *testing.T) {
	t.Parallel()
	const chains, sweeps = 64, 1500
	mean, sd := []float64{0, 1.5}, []float64{.2, 1.5}
	for _, inside := range []bool{true, false} {
		o := renhdtest.Options(5)
		o.Chains, o.Settings.Metric = chains, "diagonal"
		_, s, err := NewConfig(renhdtest.NewLabelled(2, mean, sd), o, SwapRules{})
		if err != nil {
			t.Fatal(err)
		}
		r := New(t.Context(), s.OnPath(dynamics.Plain))
		t.Cleanup(r.Close)
		if err := r.Load([]float64{1}, 1); err != nil {
			t.Fatal(err)
		}
		w := r.Walkers
		w.Rungs[0].Metric.Scale, w.Rungs[0].Step = slices.Clone(sd), .7
		w.WriteAllRungs()
		r.Reference = symmetry.Reference{At: mean, Scale: sd}
		if _, err := w.Place(r.Ctx, slices.Repeat([][]float64{mean}, chains)); err != nil {
			t.Fatal(err)
		}
		larger, outside := make([][]float64, chains), 0
		for i := range sweeps {
			trajectory := func() error {
				err := w.Trajectory(r.Ctx, 3)
				for _, x := range w.Positions() {
					if !r.Phase.Images.Inside(x, r.Reference) {
						outside++
					}
				}
				return err
			}
			move := func() error { return r.StayInside(trajectory) }
			if !inside {
				move = func() error { return errors.Join(trajectory(), r.MoveToImages()) }
			}
			if err := move(); err != nil {
				t.Fatal(err)
			}
			for lane, x := range w.Positions() {
				if i >= sweeps/5 {
					larger[lane] = append(larger[lane], max(x[0], x[1]))
				}
			}
		}
		// want is the mean of the larger of two normals (Clark 1961, Operations Research 9).
		both := math.Hypot(sd[0], sd[1])
		z, n := (mean[1]-mean[0])/both, distuv.UnitNormal
		want := mean[1]*n.CDF(z) + mean[0]*n.CDF(-z) + both*n.Prob(z)
		var means []float64
		for _, xs := range larger {
			means = append(means, stat.Mean(xs, nil))
		}
		got, spread := stat.MeanStdDev(means, nil)
		off := math.Abs(got-want) / (spread / math.Sqrt(chains))
		t.Logf("inside %v: %.4f, want %.4f, off by %.1f standard errors; %d trajectories ended outside", inside, got,
			want, off, outside)
		if inside != (off < 4) || outside < 100 {
			t.Errorf("inside %v: off by %.1f standard errors; %d trajectories ended outside", inside, off, outside)
		}
	}
}
