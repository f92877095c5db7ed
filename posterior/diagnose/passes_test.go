package diagnose

import (
	"math"
	"testing"

	"ppl/posterior/summary"
)

// TestLittleMemory compares summaries within a memory limit with those without one: quantiles are equal, means and
// standard deviations agree to rounding, and effective sizes and R-hat agree to 1 %. One limit forces samples of the
// draws, the other groups of quantities.
func TestLittleMemory(t *testing.T) {
	s := good()
	s.draws, s.thetas = 20000, 5
	run := s.write(t)
	for _, v := range []summary.View{{}, {Quantiles: []float64{.01, .3}}, {Interval: summary.Interval{Mass: .9}}} {
		want, err := Summarize(run, v)
		if err != nil {
			t.Fatal(err)
		}
		for name, memory := range map[string]int64{"sample": 8 << 20, "groups": 26 << 20} {
			v.Memory = memory
			got, err := Summarize(run, v)
			if err != nil || len(got.Parameters) != len(want.Parameters) {
				t.Fatal(len(got.Parameters), err)
			}
			for i, p := range got.Parameters {
				q := want.Parameters[i]
				within := func(what string, a, b, bound float64) {
					if !(math.Abs(a-b) <= bound*math.Abs(b)) {
						t.Errorf("%s: %s of %s is %v, want %v", name, what, p.Name, a, b)
					}
				}
				for k := range v.Titles() {
					within("a quantile", p.Mark(k), q.Mark(k), 0)
				}
				within("the mean", p.Mean, q.Mean, 1e-10)
				within("sd", p.SD, q.SD, 1e-10)
				within("ESS in bulk", p.ESSBulk, q.ESSBulk, .01)
				within("ESS in the tail", p.ESSTail, q.ESSTail, .01)
				within("R-hat", p.RHat, q.RHat, .01)
			}
			if len(got.Warnings) != len(want.Warnings) || got.Divergences != want.Divergences {
				t.Errorf("%s: %d warnings, and %d without a limit", name, len(got.Warnings), len(want.Warnings))
			}
		}
	}
}
