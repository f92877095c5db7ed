package pathfinder

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/stat"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/posterior/stats"
	"ppl/runtime/host"
)

func options(seed uint64) infer.Options {
	o := infer.Defaults()
	o.Device, o.Seed = infer.Lowered(host.Device{}), seed
	return o
}

func draw(t *testing.T, target infer.Target, o infer.Options) (*dynamicstest.Memory, infer.Report) {
	t.Helper()
	m := new(dynamicstest.Memory)
	report, err := Sampler(nil)(context.Background(), target, o, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("ELBO %.3f, k̂ %.2f, %d gradients", report.ELBO, report.ParetoK, report.Gradients)
	return m, report
}

func coordinate(j int) func([]float64) float64 { return func(x []float64) float64 { return x[j] } }

// correlated returns a normal with mean (3, −2), standard deviations (10, .1) and correlation .8.
func correlated() infer.Target {
	const rho = 0.8
	c := math.Sqrt(1 - rho*rho)
	return dynamicstest.MultiNormal([]float64{3, -2}, []float64{0.1, 0, -rho / c / 10, 1 / c / 0.1})
}

// TestNormal checks that the fit of a normal target is exact after at most 500 gradients: k̂ is small, and moments of
// the draws are right within five standard errors of 4,000 draws.
func TestNormal(t *testing.T) {
	m, report := draw(t, correlated(), options(1))
	for name, x := range map[string]struct {
		of       func([]float64) float64
		mean, sd float64
	}{
		"x":  {coordinate(0), 3, 10},
		"y":  {coordinate(1), -2, 0.1},
		"xy": {func(x []float64) float64 { return (x[0] - 3) * (x[1] + 2) }, 0.8, math.Sqrt(1 + 0.64)},
	} {
		s := stats.Summarize(m.Chains(x.of))
		if math.Abs(s.Mean-x.mean) > 5/math.Sqrt(4000)*x.sd {
			t.Errorf("%s: mean %.4f, want %.4f", name, s.Mean, x.mean)
		}
		if name != "xy" && math.Abs(s.SD/x.sd-1) > 5/math.Sqrt(8000) {
			t.Errorf("%s: sd %.4f, want %.4f", name, s.SD, x.sd)
		}
	}
	if report.ParetoK > 0.2 || report.Gradients > 500 {
		t.Errorf("k̂ %.2f after %d gradients", report.ParetoK, report.Gradients)
	}
}

// twoModes returns a mixture of normals at −6 and 6 with weights .25 and .75.
func twoModes() infer.Target {
	return dynamicstest.Density{D: 1, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g, x := theta.Graph(), autodiff.Reshape(theta)
		at := func(m, weight float64) autodiff.Node {
			z := autodiff.Sub(x, g.Const(m))
			return autodiff.Add(autodiff.Mul(g.Const(-0.5), autodiff.Mul(z, z)), g.Const(math.Log(weight)))
		}
		return autodiff.Log(autodiff.Add(autodiff.Exp(at(-6, 0.25)), autodiff.Exp(at(6, 0.75))))
	}}
}

// TestModes checks that the share of draws in a mode is its weight, and not the share of paths that end in it.
func TestModes(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		m, report := draw(t, twoModes(), options(seed))
		left := 0
		for _, b := range report.ELBO {
			if b < -1 { // log .25, relative to log .75
				left++
			}
		}
		if left == 0 || left == len(report.ELBO) {
			continue // one mode was missed, which an exploration has to find
		}
		share := stats.Summarize(m.Chains(func(x []float64) float64 {
			if x[0] < 0 {
				return 1
			}
			return 0
		})).Mean
		if math.Abs(share-0.25) > 5*math.Sqrt(0.25*0.75/4000) {
			t.Errorf("seed %d: %d of 4 paths ended at −6, which has %.3f of the draws instead of .25", seed, left,
				share)
		}
	}
}

// TestResample checks that systematic resampling chooses each index as often as its expectation, rounded up or down,
// and in random order.
func TestResample(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	logs, n := []float64{math.Log(0.1), math.Inf(-1), math.Log(0.65), math.Log(0.25)}, 10
	var first []float64
	for range 4000 {
		counts := make([]float64, len(logs))
		chosen := resample(logs, n, random)
		for _, k := range chosen {
			counts[k]++
		}
		for k, c := range counts {
			if want := float64(n) * math.Exp(logs[k]); math.Abs(c-want) >= 1 {
				t.Fatalf("index %d was chosen %v times of %d, want %v rounded up or down", k, c, n, want)
			}
		}
		first = append(first, float64(chosen[0]))
	}
	mean, want := stat.Mean(first, nil), 2*0.65+3*0.25
	if math.Abs(mean-want) > 5*stat.StdDev(first, nil)/math.Sqrt(4000) {
		t.Errorf("the first index chosen is %.3f on average, want %.3f", mean, want)
	}
}

// TestResume checks that a run that is killed and resumed after each block gives the same draws and report as an
// uninterrupted run. Planted faults change a checkpoint.
func TestResume(t *testing.T) {
	for name, alter := range map[string]func(*checkpoint){
		"":        nil,
		"fits":    func(c *checkpoint) { c.State.Fits[0].Mean[0] = 7 },
		"weights": func(c *checkpoint) { clear(c.State.Weights) },
		"bounds":  func(c *checkpoint) { clear(c.State.Bounds[0]) },
	} {
		o := options(3)
		o.Chains, o.Draws = 2, 600
		want, report := draw(t, correlated(), o)
		k := &dynamicstest.Killer{Every: 1}
		if alter != nil {
			k.Alter = func(state any) { alter(state.(*checkpoint)) }
		}
		again := k.Run(t, Sampler(nil), correlated(), o)
		same := reflect.DeepEqual(k.Draws.Values, want.Values) && reflect.DeepEqual(k.Draws.Stats, want.Stats) &&
			reflect.DeepEqual(again, report)
		if same != (alter == nil) {
			t.Errorf("%s: after %d kills the same draws and report: %v", name, k.Kills, same)
		}
	}
}

// TestExtend checks that a run of 13 draws that is extended to 300 has the same draws as a run of 300.
func TestExtend(t *testing.T) {
	o := options(3)
	o.Draws = 300
	want, report := draw(t, correlated(), o)
	var k dynamicstest.Killer
	var again infer.Report
	for _, o.Draws = range []int{13, 300} {
		again = k.Run(t, Sampler(nil), correlated(), o)
	}
	if !reflect.DeepEqual(k.Draws.Values, want.Values) || !reflect.DeepEqual(again, report) {
		t.Error("extended draws differ")
	}
}

// TestRefused checks that targets with too many dimensions, and targets without a finite density, are refused.
func TestRefused(t *testing.T) {
	wide := dynamicstest.Density{D: 201, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		return autodiff.Neg(autodiff.SumAll(autodiff.Mul(theta, theta)))
	}}
	nowhere := dynamicstest.Density{D: 1, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		return autodiff.Log(autodiff.Neg(autodiff.Exp(autodiff.Reshape(theta))))
	}}
	for _, target := range []infer.Target{wide, nowhere} {
		if _, err := Sampler(nil)(context.Background(), target, options(1), new(dynamicstest.Memory)); err == nil {
			t.Error("not refused")
		} else {
			t.Log(err)
		}
	}
}
