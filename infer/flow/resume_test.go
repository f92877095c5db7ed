package flow

import (
	"reflect"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
)

// TestResume checks that a run that is killed and resumed repeatedly gives the same draws and report as an
// uninterrupted run. Planted faults change a checkpoint.
func TestResume(t *testing.T) {
	for name, c := range map[string]struct {
		every  int
		sample infer.Sampler
		alter  func(c *checkpoint)
	}{
		"advi":     {1, Sampler(MeanField, nil), nil},
		"fullrank": {3, Sampler(FullRank, nil), nil},
		"planar":   {7, Sampler(Planar, nil), nil},
		"flow":     {11, Sampler(Coupling, nil), nil},
		"clock":    {3, Sampler(FullRank, nil), func(c *checkpoint) { c.State.Clock = 0 }},
		"steps":    {3, Sampler(FullRank, nil), func(c *checkpoint) { c.State.Steps++ }},
		"means":    {3, Sampler(FullRank, nil), func(c *checkpoint) { clear(c.State.Climbers[0].Means) }},
		"powers":   {3, Sampler(FullRank, nil), func(c *checkpoint) { clear(c.State.Climbers[0].Powers) }},
		"adam":     {3, Sampler(FullRank, nil), func(c *checkpoint) { c.State.Climbers[0].Steps = 0 }},
		"map":      {3, Sampler(FullRank, nil), func(c *checkpoint) { clear(c.State.Phi[1]) }},
		"peaks":    {3, Sampler(FullRank, nil), func(c *checkpoint) { clear(c.State.Peaks[0].Root) }},
		"weights":  {3, Sampler(FullRank, nil), func(c *checkpoint) { clear(c.State.Weights[0]) }},
		"count":    {3, Sampler(FullRank, nil), func(c *checkpoint) { c.Report.Gradients = 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			o := options(3)
			o.Chains, o.Warmup, o.Draws = 2, 5, 45
			want, report := draw(t, c.sample, correlated(), o)
			k := &dynamicstest.Killer{Every: c.every}
			if c.alter != nil {
				k.Alter = func(state any) { c.alter(state.(*checkpoint)) }
			}
			again := k.Run(t, c.sample, correlated(), o)
			same := reflect.DeepEqual(k.Draws.Values, want.Values) && reflect.DeepEqual(k.Draws.Stats, want.Stats) &&
				reflect.DeepEqual(again, report)
			if same != (c.alter == nil) {
				t.Errorf("after %d kills the same draws and report: %v", k.Kills, same)
			}
		})
	}
}

// TestExtend checks that a run of 13 draws that is extended to 30 has the same draws as a run of 30. 13 is not a
// multiple of the number of draws computed at once.
func TestExtend(t *testing.T) {
	o := options(3)
	o.Warmup, o.Draws = 5, 30
	want, report := draw(t, Sampler(FullRank, nil), correlated(), o)
	var k dynamicstest.Killer
	var again infer.Report
	for _, o.Draws = range []int{13, 30} {
		again = k.Run(t, Sampler(FullRank, nil), correlated(), o)
	}
	if !reflect.DeepEqual(k.Draws.Values, want.Values) || !reflect.DeepEqual(again, report) {
		t.Error("extended draws differ")
	}
}
