package examples_test

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/infer"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/posterior/stats"
)

// TestPosteriordbNUTS is TestPosteriordbReference for NUTS.
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

const centredSchools = `data y[1..8] = [28, 8, -3, 7, -1, 1, 18, 12], sigma[1..8] = [15, 10, 16, 11, 9, 11, 10, 18]
mu ~ Normal(0, 5)
tau ~ HalfCauchy(5)
theta[j in 1..8] ~ Normal(mu, tau)
y[j in 1..8] ~ Normal(theta[j], sigma[j])
`

// TestCentredSchools uses eight schools with centred effects, whose posterior has a neck that no step size suits. Both
// samplers choose other coordinates, and agree with the mean of tau by quadrature. If NUTS keeps the coordinates, since
// the metric does not adapt, its report must show a problem: R-hat, E-BFMI or divergences.
func TestCentredSchools(t *testing.T) {
	path, fixed := filepath.Join(t.TempDir(), "centred.ppl"), filepath.Join(t.TempDir(), "fixed.ppl")
	write(t, path, centredSchools)
	write(t, fixed, centredSchools+"infer nuts(metric = identity)\n")
	want := meanOfTau()
	for seed := range uint64(2) {
		for name, sample := range map[string]infer.Sampler{"renhd": renhd.Sample, "nuts": nuts.Sample} {
			got, report := sampleBy(t, sample, load(t, path), defaults(seed))
			s := stats.Summarize(got["tau"])
			t.Logf("%s: tau %.2f ± %.2f, R-hat %.3f, ess %.0f; %d divergent", name, s.Mean, s.SD, s.RHat, s.ESSBulk,
				report.Divergences)
			if math.Abs(s.Mean-want) > 4*s.MCSEMean || s.RHat > 1.01 || report.Divergences > 20 {
				t.Errorf("%s, seed %d: tau %.3f ± %.3f, want %.3f", name, seed, s.Mean, s.MCSEMean, want)
			}
		}
	}
	got, report := sampleBy(t, nuts.Sample, load(t, fixed), defaults(0))
	s := stats.Summarize(got["tau"])
	if s.RHat < 1.01 && report.Divergences == 0 && slices.Min(report.EBFMI) > 0.3 {
		t.Error("nuts in the model's coordinates: the report shows no problem")
	}
}

// meanOfTau returns the posterior mean of tau by quadrature. Given tau, the observations are jointly normal with the
// common mean mu; tau = r/(1−r) maps (0, 1) to (0, ∞).
func meanOfTau() float64 {
	y, sigma := []float64{28, 8, -3, 7, -1, 1, 18, 12}, []float64{15, 10, 16, 11, 9, 11, 10, 18}
	sum, total := 0.0, 0.0
	for r := 5e-6; r < 1; r += 1e-5 {
		tau := r / (1 - r)
		precision, weighted, log := 1.0/25, 0.0, 0.0
		for j := range y {
			v := tau*tau + sigma[j]*sigma[j]
			precision, weighted, log = precision+1/v, weighted+y[j]/v, log-math.Log(v)/2-y[j]*y[j]/(2*v)
		}
		log += weighted*weighted/(2*precision) - math.Log(precision)/2
		w := math.Exp(log) / (1 + tau*tau/25) / ((1 - r) * (1 - r))
		sum, total = sum+w*tau, total+w
	}
	return sum / total
}
