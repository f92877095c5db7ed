package nuts

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"ppl/infer/dynamics/dynamicstest"
)

// farOff is the largest error of a mean of what is saved, in Monte Carlo standard errors.
func farOff(m *dynamicstest.Memory, means []float64) (worst float64) {
	for i, want := range means {
		worst = math.Max(worst, math.Abs(off(m, coordinate(i), want)))
	}
	return worst
}

// Elements of which data say little are not centred, those that data fix are, whatever the model says; the draws have
// the means of quadrature, to 4 standard errors. Those of a density that forgets the Jacobian of other coordinates, the
// planted fault, have not; it has an integral only where elements are centred that the model does not centre.
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
				t.Errorf("a mean is %.1f standard errors off", off)
			}
			if c.target.Forgets = true; name == "much is known" {
				if faulty, _ := draw(t, c.target, options(4), faults{}); farOff(faulty, means) < 8 {
					t.Error("the planted fault passes")
				}
			}
		})
	}
}

// A run that is killed over and over, before coordinates are changed and after, or that is extended, gives the draws of
// one that is not; an extended one that forgets the coordinates, the planted fault, does not.
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
		t.Errorf("after %d kills other draws", k.Kills)
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
