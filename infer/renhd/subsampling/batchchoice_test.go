package subsampling

import (
	"context"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
	"ppl/infer/renhd/renhdtest"
)

// TestBatchGrowsWithNoise checks that the chosen size of minibatches grows with the noise that remains with control
// variates, from LeastBatch without noise, and that all rows are chosen if the noise is very large.
func TestBatchGrowsWithNoise(t *testing.T) {
	x, y := dynamicstest.SimulateLogistic(999_999, 3, 1)
	o := renhdtest.Options(1)
	o.Settings = infer.Settings{Batch: population.LeastBatch}
	_, s, err := population.NewConfig(dynamicstest.Logistic(x, y, 3, 2.5), o, population.SwapRules{})
	if err != nil {
		t.Fatal(err)
	}
	c := part.NewRun(context.Background(), s, &dynamicstest.Memory{})
	r := New(c, modesearch.NewKnown(c))
	choose := func(noise float64) (int, error) {
		n := population.NoiseLevel{Mean: noise, Worst: 2 * noise, Distance: 1}
		r.Walkers = &population.Walkers{Lineup: &population.Lineup{Rungs: []population.Rung{{Beta: 1,
			Metric: s.FirstMetric(),
			Noises: population.Noises{Anchored: n, Plain: n}}}}}
		found, err := (&batchChoice{run: r}).Finish()
		return found.Rows, err
	}
	last := 0
	for _, noise := range []float64{0, 4, 40, 240} {
		m, err := choose(noise)
		if err != nil || m < last || noise == 0 && m != population.LeastBatch || noise == 240 &&
			m == population.LeastBatch {
			t.Errorf("variance %v: batches of %d, after %d; %v", noise, m, last, err)
		}
		last = m
	}
	if _, err := choose(1e6); err == nil || !strings.HasPrefix(err.Error(), "batch = auto: all rows are used") {
		t.Errorf("variance 10⁶: %v", err)
	}
}
