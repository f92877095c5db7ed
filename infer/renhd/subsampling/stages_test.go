package subsampling

import (
	"context"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// A counted target counts the rows that are read from its file.
type counted struct {
	dynamicstest.Filed
	rows *atomic.Int64
}

func (t counted) ReadRows(k int, rows, dst []float64) error {
	t.rows.Add(int64(len(rows)))
	return t.Filed.ReadRows(k, rows, dst)
}

// TestClimbsBeginOnFewRows checks that climbs which begin on a part of the rows end at the same mode as climbs with all
// rows, within a tenth of a standard deviation, and read fewer rows. If rows are not in random order, they read all.
func TestClimbsBeginOnFewRows(t *testing.T) {
	const n, d, pass = 50_000, 3, 64
	x, y := dynamicstest.SimulateLogistic(n, d, 1)
	climb := func(mixed, far bool) (mode anchor, r *Subsampling, passes float64) {
		target := counted{dynamicstest.FiledLogistic(x, y, d, 2.5), new(atomic.Int64)}
		target.InOrder = mixed
		o := renhdtest.Options(2)
		o.Device, o.Chains, o.Settings = renhdtest.Fastest(), 4, infer.Settings{Batch: 64, Replicas: 1}
		_, s, err := population.NewConfig(target, o, population.SwapRules{})
		if err != nil {
			t.Fatal(err)
		}
		s.Batches.Pass, s.System.Batches.Pass = pass, pass
		c := part.NewRun(context.Background(), s, &dynamicstest.Memory{})
		r = New(c, modesearch.NewKnown(c))
		if err := r.Load([]float64{1}, 1); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		if _, err := r.Place(r.Ctx, slices.Repeat([][]float64{make([]float64, d)}, 4)); err != nil {
			t.Fatal(err)
		}
		target.rows.Store(0)
		found := &anchorSearch{run: r, starts: r.controls.Positions, climbs: true, far: far}
		if _, err := part.Do(r.Run, found); err != nil {
			t.Fatal(err)
		}
		if len(r.controls.Anchors) != 1 {
			t.Fatalf("%d anchors", len(r.controls.Anchors))
		}
		return r.controls.Anchors[0], r, float64(target.rows.Load()) / n
	}
	direct, r, plain := climb(true, false)
	staged, _, few := climb(true, true)
	_, _, unmixed := climb(false, true)
	t.Logf("passes over all rows: %.2f, and %.2f in stages; %.2f if rows are not in random order", plain, few, unmixed)
	if few > 0.8*plain || unmixed < plain-0.1 {
		t.Errorf("%.2f passes over all rows, %.2f in stages, and %.2f if rows are not in random order", plain, few,
			unmixed)
	}
	if _, err := part.Do(r.Run, &curvature{run: r}); err != nil {
		t.Fatal(err)
	}
	if d := r.controls.Rungs[0].Metric.Distance(direct.At, staged.At); d > 0.01 {
		t.Errorf("the modes have a squared distance of %.3g", d)
	}
}

// TestJoin checks that climbs which arrived in the same mode continue as the highest of them, and that all others
// remain, each with its lanes.
func TestJoin(t *testing.T) {
	end := func(at, density float64, arrived bool) adapt.Ascent {
		return adapt.Ascent{X: []float64{at}, Best: []float64{at}, BestDensity: density, Arrived: arrived}
	}
	failed := adapt.Ascent{X: []float64{5}}
	s := anchorState{ClimbOf: []int{0, 1, 2, 3, 4, 5, 3}, Climbs: []adapt.Ascent{end(1, -2, true), end(9, -1, true),
		failed, end(1.1, -1, true), end(1, -3, false), end(0.9, -3, true)}}
	s.join(func(x, y []float64) bool { return math.Abs(x[0]-y[0]) < 1 })
	var at []float64
	for _, c := range s.Climbs {
		at = append(at, c.X[0])
	}
	if want := []float64{1.1, 9, 5, 1}; !slices.Equal(at, want) {
		t.Errorf("climbs at %v, want %v", at, want)
	}
	if want := []int{0, 1, 2, 0, 3, 0, 0}; !slices.Equal(s.ClimbOf, want) {
		t.Errorf("climbs of lanes %v, want %v", s.ClimbOf, want)
	}
}
