package warmup

import (
	"testing"

	"ppl/infer/renhd/part"
	"ppl/infer/renhd/population"
)

// TestKept checks that a window stores positions after every sweep if there are few walkers, and less often if there
// are thousands, so that it stores some million numbers.
func TestKept(t *testing.T) {
	for _, c := range []struct{ lanes, dim, sweeps, want int }{{32, 10, 300, 1}, {12, 100_000, 300, 1},
		{28_672, 2, 50, 1}, {28_672, 2, 200, 3}, {4096, 10, 300, 3}} {
		w := &population.Walkers{Lineup: &population.Lineup{PerChain: 1}, Chains: c.lanes, Dim: c.dim}
		window := &warmupWindow{run: &Warmup{Run: &part.Run{Population: &population.Population{Walkers: w}}},
			spec: window{sweeps: c.sweeps}}
		if got := window.kept(); got != c.want {
			t.Errorf("%+v: positions are stored every %d sweeps", c, got)
		}
	}
}
