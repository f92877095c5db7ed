package analysis_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/app"
	"ppl/app/analysis"
	"ppl/app/notes"
)

// heard records notes.
type heard struct {
	notes.None
	all []string
}

func (h *heard) Note(text string) { h.all = append(h.all, text) }

// A beta distribution that is steep at 1 has draws that rounding moves to 1. The estimated evidence agrees with
// quadrature over the fifth root of 1 − x, within four standard errors and the share of such draws. If most draws are
// at 1, the evidence is refused.
func TestEvidenceWithDrawsAtAnEnd(t *testing.T) {
	for shape, refused := range map[string]bool{"0.2": false, "0.01": true} {
		dir := t.TempDir()
		request := app.NewRequest(filepath.Join(dir, "m.ppl"))
		request.Seed, request.Draws, request.Dir = 1, 4000, filepath.Join(dir, "m.run")
		text := "data y = 0.9\nx ~ Beta(1, " + shape + ")\ny ~ Normal(x, 1)\n"
		if err := os.WriteFile(request.Model, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := app.Sample(context.Background(), request, notes.None{}); err != nil {
			t.Fatal(err)
		}
		var said heard
		found, err := analysis.Evidences(context.Background(), []string{request.Dir}, &said)
		if refused {
			if err == nil || !strings.Contains(err.Error(), "at an end of their range") {
				t.Errorf("shape %s: %v", shape, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(said.all, "\n"), "rounding has put a parameter on a bound of its range") {
			t.Errorf("no note of draws that are replaced: %q", said.all)
		}
		want, n := 0.0, 10000
		for k := range n {
			root := (float64(k) + 0.5) / float64(n)
			want += math.Exp(-0.5*math.Pow(0.9-1+math.Pow(root, 5), 2)) / math.Sqrt(2*math.Pi) / float64(n)
		}
		best := found[0].Best()
		if off := math.Abs(best.Value - math.Log(want)); off > 4*best.SE+0.01 {
			t.Errorf("log evidence %.4f ± %.4f, want %.4f", best.Value, best.SE, math.Log(want))
		}
	}
}
