package app_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ppl/app"
	"ppl/app/notes"
)

// ownNormal is a normal distribution that the compiler does not recognise as normal, so that groups are sampled in the
// coordinates of the model.
const ownNormal = "Density(-log(s) - (theta[j] / s)^2 / 2)"

// If groups are sampled in the coordinates of the model and their scale may be near 0, a run misses a part of the
// posterior, which the density reveals. A model without groups is not examined.
func TestOutlooks(t *testing.T) {
	t.Parallel()
	const groups = "data y[J] = [0.22, 0.11, -0.258, 0.31, -0.161, -0.206, 0.078, 0.258]\ns ~ HalfNormal(1)\n"
	for text, lacks := range map[string]bool{
		groups + "theta[j in J] ~ " + ownNormal + "\ny[j in J] ~ Normal(theta[j], 0.2)\n":                true,
		"data y[J] = [2.19, 1.1, 2.58]\nm ~ Normal(0, 1)\ns ~ HalfNormal(1)\ny[j in J] ~ Normal(m, s)\n": false,
	} {
		path := filepath.Join(t.TempDir(), "m.ppl")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := app.NewRequest(path)
		r.Seed, r.Device = 3, "host"
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

// Draws that rounding has moved to the end of an interval have no unconstrained point; they are skipped.
func TestOutlookPastDrawsAtAnEnd(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "m.ppl")
	if err := os.WriteFile(path, []byte("data y[J] = [0.2, 0.1, -0.2]\ns ~ HalfNormal(1)\np ~ Beta(4, 0.03)\n"+
		"theta[j in J] ~ "+ownNormal+"\ny[j in J] ~ Normal(theta[j], 0.2 + p / 10)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := app.NewRequest(path)
	r.Seed, r.Device, r.Sampler, r.Draws = 2, "host", "nuts", 200
	if _, err := app.Sample(context.Background(), r, notes.None{}); err != nil {
		t.Fatal(err)
	}
}
