package examples_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/infer"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/infer/stats"
)

// NUTS at default settings agrees with the reference draws as replica exchange does.
func TestPosteriordbNUTS(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	for _, path := range posteriors(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, r := loadPosterior(t, path)
			got, report := sampleBy(t, nuts.Sample, p, defaults(20260101))
			agrees(t, got, r)
			t.Logf("%d gradients, step %.3g, depth %.2f, %d cut, %d divergent, E-BFMI %.2f", report.Gradients,
				report.StepSize, report.TreeDepth,
				report.Saturated, report.Divergences, report.EBFMI)
		})
	}
}

// Eight schools with effects as they are, whose neck no step can follow, is told to be wrong: chains do not pass for
// converged, or momenta do not carry them through the energies, or trajectories diverge.
func TestCentredSchoolsAreFlagged(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	path := filepath.Join(t.TempDir(), "centred.ppl")
	write(t, path, "data y[1..8] = [28, 8, -3, 7, -1, 1, 18, 12]\ndata sigma[1..8] = [15, 10, 16, 11, 9, 11, 10, 18]\n"+
		"mu ~ Normal(0, 5)\ntau ~ HalfCauchy(5)\ntheta[j in 1..8] ~ Normal(mu, tau)\ny[j in 1..8] ~ Normal(theta[j], "+
		"sigma[j])\n")
	for k, sampler := range []infer.Sampler{nuts.Sample, nuts.Sample, nuts.Sample, renhd.Sample, renhd.Sample,
		renhd.Sample} {
		seed := uint64(k % 3)
		got, report := sampleBy(t, sampler, load(t, path), defaults(seed))
		s := stats.Summarize(got["tau"])
		t.Logf(report.Sampler+": tau %.2f ± %.2f, R-hat %.3f, ess %.0f; %d divergent, E-BFMI %.2f", s.Mean, s.SD,
			s.RHat, s.ESSBulk, report.Divergences, report.EBFMI)
		if s.RHat < 1.01 && report.Divergences == 0 && slices.Min(report.EBFMI) > 0.3 {
			t.Errorf("%s, seed %d: not a word", report.Sampler, seed)
		}
	}
}
