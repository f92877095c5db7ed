package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ppl/app"
	"ppl/app/notes"
)

// Of groups whose scale may be near 0, and that have the coordinates of the model, a run lacks a part, which shows in
// the density; of a model without groups nothing is looked at.
func TestOutlooks(t *testing.T) {
	t.Parallel()
	for text, lacks := range map[string]bool{
		"data y[J] = [2.19, 1.1, 2.58, 3.1, 1.61, 2.06, 0.78, 2.58]\nm ~ Normal(0, 1)\ns ~ HalfNormal(1)\n" +
			"theta[j in J] ~ ChiSquare(1 / s^2)\ny[j in J] ~ Normal(exp(m) * s^2 * theta[j], 0.5)\n": true,
		"data y[J] = [2.19, 1.1, 2.58]\nm ~ Normal(0, 1)\ns ~ HalfNormal(1)\ny[j in J] ~ Normal(m, s)\n": false,
	} {
		path := filepath.Join(t.TempDir(), "m.ppl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := app.NewRequest(path)
		r.Seed, r.Device = 2, "host"
		run, err := app.Sample(context.Background(), r, notes.None{})
		if err != nil {
			t.Fatal(err)
		}
		missing := 0.0
		for _, o := range run.Info.Report.Outlooks {
			missing = max(missing, o.Missing())
		}
		if (missing > 0.01) != lacks || missing > 0.2 {
			t.Errorf("%s\nlacks %.3g by %+v", text, missing, run.Info.Report.Outlooks)
		}
	}
}
