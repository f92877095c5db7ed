package population

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// ladderOf returns three chains of four walkers, on rungs with different parameters and metrics, except that two rungs
// share a metric.
func ladderOf(t *testing.T) *Walkers {
	t.Helper()
	rule, target := dynamics.Named("nosehoover"), dynamicstest.Normal(1, 2)
	s := dynamics.System{Target: target, Path: dynamics.Energy, Metric: adapt.Diagonal(2)}
	p, err := infer.Lowered(host.Device{}).Compile(dynamics.Program(rule, s))
	if err != nil {
		t.Fatal(err)
	}
	w := &Walkers{Lineup: &Lineup{PerChain: 4}, Chains: 3, Dim: 2, tempered: true, Traits: rule.Traits()}
	for j := range 4 {
		g := Rung{Beta: 1 / float64(j+1), Step: float64(j), Friction: 10 * float64(j), Metric: adapt.Diagonal(2)}
		g.Metric.Scale[1] = float64(j)
		w.Rungs = append(w.Rungs, g)
	}
	w.Rungs[2].Metric = w.Rungs[1].Metric // neighbours may share a metric
	if w.Exe, err = p.Load(device.Options{Lanes: 12}); err != nil {
		t.Fatal(err)
	}
	for lane := range 12 {
		w.RungOf = append(w.RungOf, lane%4)
	}
	w.findLanes()
	w.WriteAllRungs()
	return w
}

// TestExchangeRungs checks after random swaps in several chains that the tables of rungs and lanes are inverse to each
// other, and that each lane has the parameters of its rung and the carried buffer, here the number of the rung.
func TestExchangeRungs(t *testing.T) {
	w, r := ladderOf(t), rand.New(rand.NewPCG(1, 1))
	for lane, at := range w.RungOf {
		w.Set(dynamics.Thermostat, lane, float64(at))
	}
	for range 200 {
		var pairs [][2]int
		for chain := range 3 {
			if j := r.IntN(4); j < 3 {
				pairs = append(pairs, [2]int{w.LaneAt(chain, j), w.LaneAt(chain, j+1)})
			}
		}
		w.ExchangeRungs(pairs, []string{dynamics.Thermostat})
	}
	scale := Split(w.Read("metric_scale", nil), 2)
	moved := 0
	for lane, at := range w.RungOf {
		if at != lane%4 {
			moved++
		}
		want := w.Rungs[at]
		got := []float64{w.Get(dynamics.Beta, lane), w.Get(dynamics.StepSize, lane), w.Get(dynamics.Friction, lane),
			w.Get(dynamics.Thermostat, lane)}
		if w.LaneAt(lane/4, at) != lane ||
			!slices.Equal(got, []float64{want.Beta, want.Step, want.Friction, float64(at)}) ||
			!slices.Equal(scale[lane], want.Metric.Scale) {
			t.Errorf("lane %d on rung %d: %v, scale %v; LaneAt returns %d", lane, at, got, scale[lane],
				w.LaneAt(lane/4, at))
		}
	}
	if moved == 0 {
		t.Error("no walker changed its rung, so nothing was tested")
	}
}

// TestRungShared checks that if several walkers of a chain are on one rung, LaneAt and Cold return the first of their
// lanes.
func TestRungShared(t *testing.T) {
	w := &Walkers{Lineup: &Lineup{PerChain: 3, Rungs: make([]Rung, 1), RungOf: make([]int, 6)}, Chains: 2}
	w.findLanes()
	if w.Cold(0) != 0 || w.Cold(1) != 3 {
		t.Errorf("cold lanes %d and %d, want 0 and 3", w.Cold(0), w.Cold(1))
	}
}
