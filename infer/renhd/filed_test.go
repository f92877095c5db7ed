package renhd

import (
	"math"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// furthest returns the largest difference between the draws of two runs.
func furthest(a, b *memory) (most float64) {
	for chain := range a.values {
		for i, x := range a.values[chain] {
			for j, v := range x {
				most = math.Max(most, math.Abs(v-b.values[chain][i][j]))
			}
		}
	}
	return most
}

// TestUnmixedFilesGiveTheDrawsOfMemory checks a file whose rows are not in random order: the draws equal those with the
// same rows in memory. With control variates they are equal up to rounding, since sums over all rows are added in
// parts. With another seed they must differ.
func TestUnmixedFilesGiveTheDrawsOfMemory(t *testing.T) {
	x, y := dynamicstest.SimulateLogistic(5000, 2, 1)
	filed := unmixed(dynamicstest.FiledLogistic(x, y, 2, 2.5))
	for name, bound := range map[string]float64{"off": 0, "on": 1e-10} {
		o := renhdtest.Options(3)
		o.Chains, o.Warmup, o.Draws, o.Thin = 2, 60, 10, 1
		o.Settings = infer.Settings{Batch: 32, ControlVariates: name}
		memory, _ := draw(t, filed.InMemory(), o)
		file, _ := draw(t, filed, o)
		if d := furthest(memory, file); d > bound {
			t.Errorf("control variates %s: draws differ by %.2g, want at most %v", name, d, bound)
		}
		o.Seed++
		if other, _ := draw(t, filed, o); furthest(memory, other) <= 1e-3 {
			t.Errorf("control variates %s: the draws are the same with another seed", name)
		}
	}
}

// TestMixedFilesHaveThePosteriorOfMemory checks a file whose rows are in random order and are read in that order: the
// draws differ from those with the same rows in memory, and the means agree within four standard errors. The means of
// another sample of rows must differ.
func TestMixedFilesHaveThePosteriorOfMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	run := func(seed uint64, pick func(f dynamicstest.Filed) infer.Target) *memory {
		x, y := dynamicstest.SimulateLogistic(5000, 2, seed)
		o := renhdtest.Options(3)
		o.Device, o.Chains, o.Warmup, o.Draws, o.Thin = renhdtest.Fastest(), 4, 300, 300, 1
		o.Settings = infer.Settings{Batch: 32}
		m, _ := draw(t, pick(dynamicstest.FiledLogistic(x, y, 2, 2.5)), o)
		return m
	}
	inMemory := run(1, func(f dynamicstest.Filed) infer.Target { return f.InMemory() })
	inFile := func(f dynamicstest.Filed) infer.Target { return f }
	apart := func(other *memory) (most float64) {
		for j := range 2 {
			a, b := stats.Summarize(inMemory.chains(j)), stats.Summarize(other.chains(j))
			most = math.Max(most, math.Abs(a.Mean-b.Mean)/math.Hypot(a.MCSEMean, b.MCSEMean))
		}
		return most
	}
	if z := apart(run(1, inFile)); z > 4 {
		t.Errorf("means differ by %.1f standard errors", z)
	}
	if z := apart(run(2, inFile)); z < 10 {
		t.Errorf("means of other rows differ by %.1f standard errors, want at least 10", z)
	}
}
