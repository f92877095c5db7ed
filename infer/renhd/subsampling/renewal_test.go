package subsampling

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// TestAnchorsAreRenewed has three walkers near a mode with an anchor and one walker in another mode. The position of
// the latter must become a renewed anchor, and the noise and the step of the rung those of walkers near their anchors;
// a walker at a typical distance from its mode is not far. Gradients of minibatches with the renewed anchor must be
// unbiased within four standard errors. Planted fault: tables with wrong slopes.
func TestAnchorsAreRenewed(t *testing.T) {
	const n, far = 20_000, 3
	sd := 1 / math.Sqrt(n/2)
	o := renhdtest.Options(2)
	o.Device, o.Chains, o.Settings = renhdtest.Fastest(), 4, infer.Settings{Batch: 64, Replicas: 1}
	_, s, err := population.NewConfig(renhdtest.TwoGroups(n), o, population.SwapRules{})
	if err != nil {
		t.Fatal(err)
	}
	c := part.NewRun(context.Background(), s, &dynamicstest.Memory{})
	r := New(c, modesearch.NewKnown(c))
	if err := r.Load([]float64{1}, 1); err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	w := r.controls
	w.Rungs[0].Metric, _ = w.Rungs[0].Metric.OfPrecision(mat.NewSymDense(2, []float64{n / 2, 0, 0, n / 2}))
	w.WriteAllRungs()
	mode := func() [][]float64 { return slices.Repeat([][]float64{{-1.5, 1.5}}, 4) }
	at := mode()
	at[far] = []float64{1.5, -1.5}
	place := func() {
		if _, err := w.Place(r.Ctx, at); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := part.Do(r.Run, &anchorSearch{run: r, starts: mode, climbs: true}); err != nil {
		t.Fatal(err)
	}
	at[0] = []float64{-1.5 + sd, 1.5 + sd}
	place()
	if err := r.MeasureNoise(); err != nil {
		t.Fatal(err)
	}
	before := w.Rungs[0]
	if got := w.farFromAnchors(at); !slices.Equal(got, []bool{false, false, false, true}) {
		t.Fatalf("far walkers: %v; %+v", got, before.Noises)
	}
	if _, err := part.Do(r.Run, r.Renewal()); err != nil {
		t.Fatal(err)
	}
	after := w.Rungs[0]
	t.Logf("noise %.3g → %.3g, step %.3g → %.3g", before.WorstNoise, after.WorstNoise, before.Step, after.Step)
	if len(w.Anchors) != 2 || w.AnchorOf[far] != 1 || w.nearestAnchor(at[far], true) != 0 ||
		after.WorstNoise > before.WorstNoise/20 || after.Step < 3*before.Step {
		t.Errorf("%d anchors, that of the far walker is %d; noise %.3g → %.3g, step %.3g → %.3g", len(w.Anchors),
			w.AnchorOf[far], before.WorstNoise, after.WorstNoise, before.Step, after.Step)
	}
	if slices.Contains(w.farFromAnchors(at), true) {
		t.Error("a walker is still far")
	}
	at[far] = []float64{1.5 + 2*sd, -1.5 - sd}
	place()
	if z := biasAt(t, r, far, at[far]); z > 4 {
		t.Errorf("mean gradients are wrong by %.1f standard errors", z)
	}
	for slopes := w.tables[1].slopes; len(slopes) > 0; slopes = slopes[2:] {
		slopes[0] += 1 / sd
	}
	if z := biasAt(t, r, far, at[far]); z < 8 {
		t.Errorf("the planted fault is not detected: mean gradients are wrong by %.1f standard errors", z)
	}
}

// biasAt returns the largest difference between the mean gradient of a walker's minibatches and the gradient of all
// rows at x, in standard errors.
func biasAt(t *testing.T, r *Subsampling, lane int, x []float64) (most float64) {
	seen, err := r.noisyGradients(dynamics.NoisyGrad)
	if err != nil {
		t.Fatal(err)
	}
	all := newAllRows([][]float64{x}, r.Phase.Chunks())
	for all.more() {
		if err := r.readRows(&all); err != nil {
			t.Fatal(err)
		}
	}
	want := r.Walkers.Rungs[0].Metric.Pull(all.Sums[0].gradient(1))
	for lane := range r.controls.AnchorOf {
		r.controls.writeAnchor(lane) // the pass over all rows has overwritten them
	}
	for j, xs := range seen[lane] {
		s := stats.Summarize([][]float64{xs})
		most = max(most, math.Abs(s.Mean-want[j])/(s.SD/math.Sqrt(float64(len(xs)))))
	}
	return most
}
