package renhd

import (
	"math"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/posterior/stats"
)

// farOff returns the largest error of a mean, in Monte Carlo standard errors.
func farOff(m *memory, means []float64) (worst float64) {
	for i, want := range means {
		s := stats.Summarize(m.chains(i))
		worst = math.Max(worst, math.Abs(s.Mean-want)/s.MCSEMean)
	}
	return worst
}

// TestEffectsAreRecentred checks that elements with little information in the data are noncentered and elements with
// much information are centred, whichever form the model chooses; on a ladder elements are centred only if the model
// centres them. Means of the draws must agree with quadrature within four standard errors. Planted fault: a density
// without the Jacobian of the other coordinates. It is tested only if the model is noncentered, since in the other case
// the faulty density has no finite integral.
func TestEffectsAreRecentred(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	for name, c := range map[string]struct {
		target  dynamicstest.Effects
		ladder  bool
		centred int
		note    string
	}{
		"little is known":    {dynamicstest.SixEffects(false, 8), false, 0, "as if it were marked `noncentered`"},
		"much is known":      {dynamicstest.SixEffects(true, 0.05), false, 6, "as if it were not marked `noncentered`"},
		"of some":            {dynamicstest.SixEffects(false, 8, 0.05), false, 3, "3 of the 6 elements of `x`"},
		"as the model says":  {dynamicstest.SixEffects(true, 8), false, 0, ""},
		"on a ladder":        {dynamicstest.SixEffects(false, 8, 0.05), true, 3, "3 of the 6 elements of `x`"},
		"known, on a ladder": {dynamicstest.SixEffects(true, 0.05), true, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := renhdtest.Options(4)
			o.Ladder = c.ladder
			m, report := draw(t, c.target, o)
			notes := strings.Join(report.Notes, "\n")
			if report.Centring["x"] != c.centred || !strings.Contains(notes, c.note) ||
				c.note == "" && strings.Contains(notes, "noncentered") {
				t.Errorf("%d elements are centred, notes:\n%s", report.Centring["x"], notes)
			}
			means := c.target.Means()
			if off := farOff(m, means); off > 4 {
				t.Errorf("a mean is wrong by %.1f standard errors", off)
			}
			if c.target.Forgets = true; name == "much is known" {
				if faulty, _ := draw(t, c.target, renhdtest.Options(4)); farOff(faulty, means) < 8 {
					t.Error("the planted fault is not detected")
				}
			}
		})
	}
}

// TestFreeRulesTakeOverCoordinates checks that rules without a Metropolis test, also with fixed steps, continue in the
// coordinates that warm-up has chosen.
func TestFreeRulesTakeOverCoordinates(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	for name, s := range map[string]infer.Settings{
		"nosehoover": {Dynamics: "nosehoover"},
		"sghmc":      {Dynamics: "sghmc", Replicas: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, o := dynamicstest.SixEffects(false, 8), renhdtest.Options(4)
			o.Settings = s
			m, _ := draw(t, target, o)
			if off := farOff(m, target.Means()); off > 5 {
				t.Errorf("a mean is wrong by %.1f standard errors", off)
			}
		})
	}
}
