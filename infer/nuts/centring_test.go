package nuts

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"ppl/infer/dynamics/dynamicstest"
)

// farOff returns the largest error of the mean of a saved value, in Monte Carlo standard errors.
func farOff(m *dynamicstest.Memory, means []float64) (worst float64) {
	for i, want := range means {
		worst = math.Max(worst, math.Abs(off(m, coordinate(i), want)))
	}
	return worst
}

// TestEffectsAreRecentred checks that elements with little information in the data are noncentered and elements with
// much information are centred, whichever form the model chooses, and that means of the draws agree with quadrature
// within four standard errors. Planted fault: a density without the Jacobian of the other coordinates. It is tested
// only if the model is noncentered, since in the other case the faulty density has no finite integral.
func TestEffectsAreRecentred(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		target  dynamicstest.Effects
		centred int
		note    string
	}{
		"little is known":   {dynamicstest.SixEffects(false, 8), 0, "as if it were marked `noncentered`"},
		"much is known":     {dynamicstest.SixEffects(true, 0.05), 6, "as if it were not marked `noncentered`"},
		"of some":           {dynamicstest.SixEffects(false, 8, 0.05), 3, "3 of the 6 elements of `x` are sampled"},
		"as the model says": {dynamicstest.SixEffects(true, 8), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, report := draw(t, c.target, options(4), faults{})
			notes := strings.Join(report.Notes, "\n")
			if report.Centring["x"] != c.centred || !strings.Contains(notes, c.note) ||
				c.note == "" && strings.Contains(notes, "noncentered") {
				t.Errorf("%d elements are centred, notes:\n%s", report.Centring["x"], notes)
			}
			means := c.target.Means()
			if off := farOff(m, means); off > 4 {
				t.Errorf("a mean is wrong by %.1f standard errors, want at most 4", off)
			}
			if c.target.Forgets = true; name == "much is known" {
				if faulty, _ := draw(t, c.target, options(4), faults{}); farOff(faulty, means) < 8 {
					t.Error("the planted fault is not detected")
				}
			}
		})
	}
}

// TestResumeInOtherCoordinates checks that a run in which effects change their coordinates gives the same draws if it
// is killed and resumed repeatedly, or extended. Planted fault: an extended run whose checkpoint has lost the
// coordinates.
func TestResumeInOtherCoordinates(t *testing.T) {
	t.Parallel()
	target, o := dynamicstest.SixEffects(false, 8), options(5)
	o.Warmup, o.Draws, o.Thin = 300, 20, 1
	want, report := draw(t, target, o, faults{})
	if report.Centring["x"] != 0 {
		t.Fatal("the coordinates have not changed")
	}
	k := &dynamicstest.Killer{Every: 397}
	again := k.Run(t, Sample, target, o)
	if !reflect.DeepEqual(k.Draws, *want) || !reflect.DeepEqual(again.Notes, report.Notes) || k.Kills < 5 {
		t.Errorf("after %d kills, draws or notes differ, or there were fewer than 5 kills", k.Kills)
	}
	for name, forgets := range map[string]bool{"extended": false, "planted": true} {
		var k dynamicstest.Killer
		first := o
		first.Draws = 12
		k.Run(t, Sample, target, first)
		k.Alter = func(state any) {
			if forgets {
				state.(*checkpoint).State.Centring = nil
			}
		}
		k.Run(t, Sample, target, o)
		if reflect.DeepEqual(k.Draws, *want) == forgets {
			t.Errorf("%s: the same draws: %t", name, forgets)
		}
	}
}
