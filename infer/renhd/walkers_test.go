package renhd

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// ladderOf is three chains of four walkers on rungs with numbers and metrics of their own.
func ladderOf(t *testing.T) *walkers {
	t.Helper()
	rule, target := dynamics.Named("nosehoover"), dynamicstest.Normal(1, 2)
	p, err := compile(rule, dynamics.System{Target: target, Path: dynamics.Energy, Metric: adapt.Diagonal(2)})
	if err != nil {
		t.Fatal(err)
	}
	w := &walkers{chains: 3, per: 4, dim: 2, tempered: true, traits: rule.Traits(), views: map[string][]float64{}}
	for j := range 4 {
		g := rung{beta: 1 / float64(j+1), step: float64(j), friction: 10 * float64(j), metric: adapt.Diagonal(2)}
		g.metric.Scale[1] = float64(j)
		w.rungs = append(w.rungs, g)
	}
	w.rungs[2].metric = w.rungs[1].metric // neighbours may share one
	if w.exe, err = (host.Device{}).Load(p, device.Options{Lanes: 12}); err != nil {
		t.Fatal(err)
	}
	w.seat(func(walker int) int { return walker })
	w.settleAll()
	return w
}

// Whatever is traded, the tables of rungs and lanes are inverse to each other, and each lane has what its rung owns.
func TestTrade(t *testing.T) {
	w, r := ladderOf(t), rand.New(rand.NewPCG(1, 1))
	for range 200 {
		chain, j := r.IntN(3), r.IntN(3)
		w.trade(w.laneAt(chain, j), w.laneAt(chain, j+1))
	}
	scale := split(w.read("metric_scale", nil), 2)
	moved := 0
	for lane, at := range w.rungOf {
		if at != lane%4 {
			moved++
		}
		want := w.rungs[at]
		got := []float64{w.get(dynamics.Beta, lane), w.get(dynamics.StepSize, lane), w.get(dynamics.Friction, lane)}
		if w.laneAt(lane/4, at) != lane || !slices.Equal(got, []float64{want.beta, want.step, want.friction}) ||
			!slices.Equal(scale[lane], want.metric.Scale) {
			t.Errorf("lane %d on rung %d: %v, scale %v; lane %d stands there", lane, at, got, scale[lane],
				w.laneAt(lane/4, at))
		}
	}
	if moved == 0 {
		t.Error("nobody moved: the test could not fail")
	}
}

// Where several walkers of a chain stand on one rung, its lane is the first of theirs.
func TestSeatsShared(t *testing.T) {
	w := &walkers{chains: 2, per: 3, rungs: make([]rung, 1)}
	w.seat(func(int) int { return 0 })
	if w.cold(0) != 0 || w.cold(1) != 3 {
		t.Errorf("cold lanes %d and %d, want 0 and 3", w.cold(0), w.cold(1))
	}
}
