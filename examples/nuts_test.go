package examples_test

import (
	"os"
	"path/filepath"
	"testing"

	"ppl/infer"
	"ppl/infer/nuts"
)

// NUTS at default settings agrees with the reference draws as replica exchange does.
func TestPosteriordbNUTS(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	for _, path := range posteriors(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, r := loadPosterior(t, path)
			o := infer.Defaults()
			o.Seed = 20260101
			got, report := sampleBy(t, nuts.Sample, p, o)
			agrees(t, got, r)
			t.Logf("%d gradients, step %.3g, depth %.2f, %d cut, %d divergent, E-BFMI %.2f", report.Gradients, report.StepSize, report.TreeDepth,
				report.Saturated, report.Divergences, report.EBFMI)
		})
	}
}
