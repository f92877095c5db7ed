package nuts

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics/dynamicstest"
)

// normalOf returns a normal fitted to positions.
func normalOf(t *testing.T, positions [][]float64) adapt.Normal {
	t.Helper()
	n, ok := adapt.FitNormal(positions, nil)
	if !ok {
		t.Error("positions of chains have no normal")
	}
	return n
}

// TestMissedModesAreLacking checks that the report warns of a mode that a search finds and that contains no draw, with
// its position. It must not warn if draws are in the mode, or if its share is .4 %. A run that is killed and resumed
// repeatedly must give the same report.
func TestMissedModesAreLacking(t *testing.T) {
	t.Parallel()
	mix := dynamicstest.Mixture{Weight: []float64{.4, .6}, Center: [][]float64{{20, 0}, {-20, 0}}, SD: []float64{1, 1}}
	o := options(3)
	o.Warmup, o.Draws = 300, 50
	for range o.Chains {
		o.Starts = append(o.Starts, [][]float64{{20, 0}})
	}
	for name, c := range map[string]struct{ shift, share, want float64 }{
		"missed": {-40, .6, .6}, "draws are there": {0, .6, 0}, "next to nothing": {-40, .004, .004},
	} {
		var at []float64
		search := func(_ context.Context, _ infer.Target, _ infer.Options, visited [][][]float64,
			_ int64) (adapt.SearchResult, error) {
			n := normalOf(t, slices.Concat(visited...))
			if len(visited) != o.Chains || math.Abs(n.Mean[0]-20) > 1 {
				t.Errorf("the search gets positions of %d chains with mean %v, want %d chains with x[0] = 20",
					len(visited), n.Mean, o.Chains)
			}
			n.Mean[0] += c.shift
			at = n.Mean
			missed := []adapt.MissedMode{{At: at, Share: c.share, Normal: n}}
			return adapt.SearchResult{Missed: missed, Gradients: 1000}, nil
		}
		report, err := Searching(search)(t.Context(), mix.Target(), o, new(dynamicstest.Memory))
		if err != nil {
			t.Fatal(err)
		}
		said := len(report.Warnings) > 0
		if math.Abs(float64(report.Lacking)-c.want) > 1e-12 || said != (c.want == .6) ||
			said && !slices.Equal(report.LackingAt[0], at) {
			t.Errorf("%s: lacking %v at %v, %v", name, report.Lacking, report.LackingAt, report.Warnings)
		}
		k := &dynamicstest.Killer{Every: 31}
		again := k.Run(t, Searching(search), mix.Target(), o)
		if again.Lacking != report.Lacking || again.Gradients != report.Gradients ||
			!reflect.DeepEqual(again.LackingAt, report.LackingAt) {
			t.Errorf("%s: after %d kills lacking %v, %d gradients", name, k.Kills, again.Lacking, again.Gradients)
		}
	}
}

// TestSearchesInTheModelsCoordinates checks that a search does not change the draws, and that positions are in the
// model's coordinates, also if effects are sampled in other coordinates: all draws are in the mode that the search
// returns.
func TestSearchesInTheModelsCoordinates(t *testing.T) {
	t.Parallel()
	target, o := dynamicstest.SixEffects(true, 0.05), options(4)
	o.Draws = 100
	var found adapt.Normal
	search := func(_ context.Context, _ infer.Target, _ infer.Options, visited [][][]float64,
		_ int64) (adapt.SearchResult, error) {
		found = normalOf(t, slices.Concat(visited...))
		return adapt.SearchResult{Missed: []adapt.MissedMode{{At: found.Mean, Share: 1, Normal: found}}}, nil
	}
	m := new(dynamicstest.Memory)
	report, err := Searching(search)(t.Context(), target, o, m)
	if err != nil || report.Lacking != 0 || report.Centring["x"] != 6 {
		t.Errorf("lacking %v, %d centred, %v", report.Lacking, report.Centring["x"], err)
	}
	want, _ := draw(t, target, o, faults{})
	if !reflect.DeepEqual(m.Values, want.Values) {
		t.Error("the draws are not those of a run without a search")
	}
}

// TestModesWithHardlyADraw checks that a mode with a share of .15 counts as missed if 2 of 4,000 draws are in it, and
// not if 80 are.
func TestModesWithHardlyADraw(t *testing.T) {
	for visits, want := range map[int]float64{0: .15, 2: .15, 80: 0, 600: 0} {
		r := &run{state: state{Missed: []adapt.MissedMode{{Share: .15}}, Visits: []int{visits}, Looked: 4000}}
		r.reportMissed()
		if float64(r.report.Lacking) != want || len(r.report.Warnings) > 0 != (want > 0) {
			t.Errorf("%d draws: lacking %v, %v", visits, r.report.Lacking, r.report.Warnings)
		}
	}
}
