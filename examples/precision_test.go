package examples_test

import (
	"context"
	"math"
	"os"
	"testing"

	"ppl/infer"
	"ppl/infer/nuts"
	"ppl/infer/renhd"
	"ppl/posterior/stats"
	"ppl/runtime/native"
)

// TestPrecision compares posteriors in single and double precision, by NUTS and, with PPL_SLOW, by replica exchange:
// means of all parameters, and of their squares, agree within five standard errors of both. The planted fault, means
// moved by a third of a standard deviation, must fail.
func TestPrecision(t *testing.T) {
	native, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	d := infer.Lowered(native)
	for name, sampler := range map[string]infer.Sampler{"nuts": nuts.Sample, "renhd": renhd.Sample} {
		if name == "renhd" && (testing.Short() || os.Getenv("PPL_SLOW") == "") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			double, single := drawsAt(t, d, sampler, 64), drawsAt(t, d, sampler, 32)
			if off := apart(double, single, 0); off > 5 {
				t.Errorf("%.1f standard errors apart", off)
			}
			if off := apart(double, single, 1./3); off < 5 {
				t.Errorf("moved draws are only %.1f standard errors apart", off)
			}
		})
	}
}

func drawsAt(t *testing.T, d infer.Device, s infer.Sampler, bits int) map[string][][]float64 {
	o := infer.Defaults()
	o.Seed, o.Draws, o.Thin, o.Device = uint64(bits), 500, 1, d
	at := func(ctx context.Context, target infer.Target, o infer.Options, rec infer.Recorder) (infer.Report, error) {
		o.Device, o.Settings.Precision = d, bits
		return s(ctx, target, o, rec)
	}
	draws, _ := sampleBy(t, at, load(t, "seeds.ppl"), o)
	return draws
}

// apart returns the largest distance of two means in standard errors, after all means of b were moved by the given
// number of standard deviations.
func apart(a, b map[string][][]float64, by float64) (most float64) {
	for name := range a {
		x, y := stats.Summarize(a[name]), stats.Summarize(b[name])
		most = max(most, math.Abs(x.Mean-y.Mean-by*x.SD)/math.Hypot(x.MCSEMean, y.MCSEMean))
		x2, y2 := stats.Summarize(squares(a[name])), stats.Summarize(squares(b[name]))
		most = max(most, math.Abs(x2.Mean-y2.Mean)/math.Hypot(x2.MCSEMean, y2.MCSEMean))
	}
	return most
}

func squares(chains [][]float64) [][]float64 {
	out := make([][]float64, len(chains))
	for c, x := range chains {
		for _, v := range x {
			out[c] = append(out[c], v*v)
		}
	}
	return out
}
