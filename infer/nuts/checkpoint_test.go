package nuts

import (
	"reflect"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics/dynamicstest"
)

// TestResume checks that a run that is killed and resumed repeatedly, in warm-up and while sampling, gives the same
// draws and report as an uninterrupted run. Planted faults change a checkpoint.
func TestResume(t *testing.T) {
	small := func(warmup, thin int, s infer.Settings) infer.Options {
		o := options(3)
		o.Chains, o.Warmup, o.Draws, o.Thin, o.Settings = 3, warmup, 12, thin, s
		return o
	}
	for name, c := range map[string]struct {
		every int
		o     infer.Options
		alter func(c *checkpoint)
	}{
		"short":      {3, small(40, 1, infer.Settings{}), nil},
		"longer":     {41, small(150, 1, infer.Settings{}), nil},
		"thinned":    {7, small(30, 3, infer.Settings{}), nil},
		"fixed step": {2, small(25, 1, infer.Settings{StepSize: 0.3}), nil},
		"no warm-up": {1, small(0, 1, infer.Settings{StepSize: 0.3}), nil},
		"step":       {7, small(40, 1, infer.Settings{}), func(c *checkpoint) { c.Chains[0].Adapt.ErrorSum = 0 }},
		"taken": {7, small(40, 1, infer.Settings{}), func(c *checkpoint) {
			if len(c.State.Taken) > 0 {
				c.State.Energies[1].Last = 0
			}
		}},
		"points": {7, small(40, 1, infer.Settings{}), func(c *checkpoint) { c.State.Seen.Points = adapt.Points{} }},
	} {
		t.Run(name, func(t *testing.T) {
			target := dynamicstest.Normal(1, 0.1, 3)
			want, report := draw(t, target, c.o, faults{})
			k := &dynamicstest.Killer{Every: c.every}
			if c.alter != nil {
				k.Alter = func(state any) { c.alter(state.(*checkpoint)) }
			}
			again := k.Run(t, Sample, target, c.o)
			same := reflect.DeepEqual(k.Draws.Values, want.Values) && reflect.DeepEqual(k.Draws.Stats, want.Stats) &&
				report.Gradients == again.Gradients && reflect.DeepEqual(report.EBFMI, again.EBFMI)
			if same != (c.alter == nil) {
				t.Errorf("after %d kills, draws and report are the same: %v, want %v", k.Kills, same, c.alter == nil)
			}
			t.Logf("%d kills, %d bytes", k.Kills, len(k.Saved))
		})
	}
}

// TestExtend checks that a run of 12 draws that is extended to 30 has the same draws as a run of 30.
func TestExtend(t *testing.T) {
	o := options(3)
	o.Warmup, o.Draws = 50, 30
	target := dynamicstest.Normal(1, 2)
	want, _ := draw(t, target, o, faults{})
	var k dynamicstest.Killer
	for _, o.Draws = range []int{12, 30} {
		k.Run(t, Sample, target, o)
	}
	if !reflect.DeepEqual(k.Draws.Values, want.Values) || !reflect.DeepEqual(k.Draws.Stats, want.Stats) {
		t.Error("extended draws differ")
	}
}
