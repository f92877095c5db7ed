package renhd

import (
	"context"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"strings"
	"testing"
)

// The batch that is chosen grows with the noise that control variates leave, from the least where there is none, and
// all rows are chosen where noise is so large that no batch pays.
func TestBatchGrowsWithNoise(t *testing.T) {
	x, y := dynamicstest.SimulateLogistic(999_999, 3, 1)
	o := options(1)
	o.Settings = infer.Settings{Batch: leastBatch}
	_, s, err := newConfig(dynamicstest.Logistic(x, y, 3, 2.5), o, swapRules{})
	if err != nil {
		t.Fatal(err)
	}
	c := newCourse(context.Background(), s, &dynamicstest.Memory{})
	r := newSubsampling(c, newKnownModes(c))
	choose := func(noise float64) (int, error) {
		n := noiseLevel{noise, 2 * noise, 1}
		r.walkers = &walkers{roster: &roster{Rungs: []rung{{Beta: 1, Metric: s.firstMetric(),
			Noises: noises{n, n}}}}}
		found, err := (&batchChoice{run: r}).Finish()
		return found.Rows, err
	}
	last := 0
	for _, noise := range []float64{0, 4, 40, 240} {
		m, err := choose(noise)
		if err != nil || m < last || noise == 0 && m != leastBatch || noise == 240 && m == leastBatch {
			t.Errorf("variance %v: batches of %d, after %d; %v", noise, m, last, err)
		}
		last = m
	}
	if _, err := choose(1e6); err == nil || !strings.HasPrefix(err.Error(), "batch = auto: all rows are used") {
		t.Errorf("variance 10⁶: %v", err)
	}
}
