package renhd

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/stats"
)

// sixEffects are six elements observed with standard errors, taken in turn.
func sixEffects(noncentered bool, errors ...float64) dynamicstest.Effects {
	y := []float64{1.2, -0.4, 0.8, 2.1, -1.5, 0.3}
	all := slices.Repeat(errors, len(y)/len(errors))
	return dynamicstest.NewEffects(y, all, noncentered)
}

// farOff is the largest error of a mean, in Monte Carlo standard errors.
func farOff(m *memory, means []float64) (worst float64) {
	for i, want := range means {
		s := stats.Summarize(m.chains(i))
		worst = math.Max(worst, math.Abs(s.Mean-want)/s.MCSEMean)
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
		"little is known":   {sixEffects(false, 8), 0, "as if it were marked `noncentered`"},
		"much is known":     {sixEffects(true, 0.05), 6, "as if it were not marked `noncentered`"},
		"of some":           {sixEffects(false, 8, 0.05), 3, "3 of the 6 elements of `x` are sampled as if they were"},
		"as the model says": {sixEffects(true, 8), 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, report := draw(t, c.target, options(4))
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
				if faulty, _ := draw(t, c.target, options(4)); farOff(faulty, means) < 8 {
					t.Error("the planted fault passes")
				}
			}
		})
	}
}

// Rules that reject nothing go on in the coordinates that warm-up has chosen, those with fixed steps too.
func TestFreeRulesTakeOverCoordinates(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]infer.Settings{
		"nosehoover": {Dynamics: "nosehoover"},
		"sghmc":      {Dynamics: "sghmc", Replicas: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target, o := sixEffects(false, 8), options(4)
			o.Settings = s
			m, _ := draw(t, target, o)
			if off := farOff(m, target.Means()); off > 5 {
				t.Errorf("a mean is %.1f standard errors off", off)
			}
		})
	}
}
