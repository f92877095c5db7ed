package examples_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/lang/types"
	"ppl/posterior/stats"
)

// A level whose slope changes, with three scales, each of which may be near 0.
const trend = `data y[T] = [5.0, 5.6, 6.6, 5.5, 5.7, 6.9, 6.7, 6.9, 6.3, 5.3, 4.7, 4.0]
sigma, s1 ~ HalfNormal(1)
s2 ~ HalfNormal(0.5)
level[1] ~ Normal(5, 5)
slope[1] ~ Normal(0, 1)
level[t in 2..T] ~ Normal(level[t-1] + slope[t-1], s1)
slope[t in 2..T] ~ Normal(slope[t-1], s2)
y[t in T] ~ Normal(level[t], sigma)
`

// TestTrendGivenData checks that both samplers choose coordinates given the data for a series, that means agree to 4
// standard errors with quadrature over the scales by the Kalman filter, and that trajectories rarely diverge. The
// planted fault, a log-Jacobian with one factor counted twice, must give other means.
func TestTrendGivenData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trend.ppl")
	write(t, path, trend)
	p, want := load(t, path), trendMeans()
	const rare = 8 // of 4,000 draws
	for name, sample := range map[string]infer.Sampler{"renhd": renhd.Sample, "nuts": nuts.Sample} {
		got, report := sampleBy(t, sample, p, defaults(1))
		if !strings.Contains(strings.Join(report.Notes, "\n"), "given the data") || report.Divergences > rare {
			t.Errorf("%s: %d divergences, notes %q", name, report.Divergences, report.Notes)
		}
		for parameter, mean := range want {
			s := stats.Summarize(got[parameter])
			if math.Abs(s.Mean-mean) > 4*s.MCSEMean || s.RHat > 1.01 {
				t.Errorf("%s: %s is %.4f ± %.4f, want %.4f", name, parameter, s.Mean, s.MCSEMean, mean)
			}
		}
	}
	o, m := defaults(1), newMemory(len(elements(p)), 4)
	if _, err := nuts.Sample(t.Context(), repeating{target{p}, false}, o, m); err != nil {
		t.Fatal(err)
	}
	if s := stats.Summarize(m.chains[0]); math.Abs(s.Mean-want["sigma"]) < 6*s.MCSEMean {
		t.Error("the planted fault passes")
	}
}

// A repeating target adds its first parameter to the log density once more if the coordinates are not the model's.
type repeating struct {
	target
	others bool
}

func (r repeating) Recentred(c types.Centring) infer.Recentrable {
	return repeating{r.target.Recentred(c).(target), c != nil}
}

func (r repeating) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, logLik = r.target.Density(theta)
	if r.others {
		logPrior = autodiff.Add(logPrior, autodiff.SumAll(autodiff.Slice(theta, []int{0}, []int{1})))
	}
	return logPrior, logLik
}

// trendMeans returns posterior means of the trend by quadrature: the midpoint rule over the scales.
func trendMeans() map[string]float64 {
	y := []float64{5.0, 5.6, 6.6, 5.5, 5.7, 6.9, 6.7, 6.9, 6.3, 5.3, 4.7, 4.0}
	means, total := map[string]float64{}, 0.0
	const h = 0.05
	for sigma := h / 2; sigma < 3.5; sigma += h {
		for s1 := h / 2; s1 < 3.5; s1 += h {
			for s2 := h / 2; s2 < 2; s2 += h {
				log, level, slope := kalman(y, sigma*sigma, s1*s1, s2*s2)
				w := math.Exp(log - sigma*sigma/2 - s1*s1/2 - 2*s2*s2)
				total += w
				means["sigma"] += w * sigma
				means["s1"] += w * s1
				means["s2"] += w * s2
				means["level[12]"] += w * level
				means["slope[12]"] += w * slope
			}
		}
	}
	for name := range means {
		means[name] /= total
	}
	return means
}

// kalman returns the log likelihood of variances, and the means of the last level and slope given the data (Durbin and
// Koopman 2012, Time series analysis by state space methods, section 4.3).
func kalman(y []float64, noise, ofLevel, ofSlope float64) (log, level, slope float64) {
	level, slope = 5, 0
	a, b, c := 25.0, 0.0, 1.0 // the covariance of level and slope: [a b; b c]
	for t, seen := range y {
		if t > 0 {
			level += slope
			a, b, c = a+2*b+c+ofLevel, b+c, c+ofSlope
		}
		v := a + noise
		off := seen - level
		log -= (math.Log(2*math.Pi*v) + off*off/v) / 2
		level, slope = level+a/v*off, slope+b/v*off
		a, b, c = a-a*a/v, b-a*b/v, c-b*b/v
	}
	return log, level, slope
}
