package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ppl/posterior/stats"
	"ppl/posterior/store"
	"ppl/posterior/summary"
)

// TestTable compares a table with text written by hand: the digits of a number depend on its Monte Carlo error.
func TestTable(t *testing.T) {
	r := summary.Report{Model: "eight.ppl", Sampler: "renhd", Device: "host", Seed: 42, Chains: 4, Draws: 1000,
		Seconds:   3.21,
		Gradients: 1204000,
		Exchange: &summary.Exchange{Temperatures: []float64{1, 2, 7.389}, SwapRates: []float64{.42, .83},
			RoundTrips: 31, Barrier: .75}, Notes: []string{"Thinned by 3."},
		Warnings: []store.Warning{{Fact: "Something is wrong.", Reason: "Numbers are cold.",
			Advice: []store.Advice{{Do: store.Raise, On: "heat", Text: "Do that."}, {Text: "Or that."}}},
			{Fact: "And this.", Advice: []store.Advice{{Do: store.Raise, On: "heat", Text: "Do that."}}}},
		Dir: "eight.run",
		Parameters: []summary.Parameter{
			{Name: "mu", Variable: "mu", Summary: stats.Summary{Mean: 4.4123, SD: 3.3178, MCSEMean: .0621, Q5: -1.0871,
				Q50: 4.4, Q95: 9.8712,
				ESSBulk: 2854.4, ESSTail: 2411.2, RHat: 1.0012}},
			{Name: "N", Variable: "N", Summary: stats.Summary{Mean: 123456.7, SD: 2300.5, MCSEMean: 41.2, Q5: 119000,
				Q50: 123000.4, Q95: 128000,
				ESSBulk: 3117.6, ESSTail: 3000, RHat: 1.0301}},
			{Name: "L[1,1]", Variable: "L", Summary: stats.Summary{Mean: 1, Q5: 1, Q50: 1, Q95: 1, ESSBulk: math.NaN(),
				ESSTail: math.NaN(),
				RHat:    math.NaN(), Constant: true}},
			{Name: "eps", Variable: "eps", Summary: stats.Summary{Mean: 1.23456e-9, SD: 2e-9, MCSEMean: 3.456e-11,
				Q5: -1e-9, Q50: 1e-9,
				Q95: 4e-9, ESSBulk: 3350, ESSTail: 3000, RHat: .9999}},
		}}
	want := `
eight.ppl: 4 chains × 1,000 draws by renhd on host in 3.2 s (1,204,000 gradients, seed 42)
replica exchange: 3 rungs, temperatures 1 to 7.39, swap rates 0.42 to 0.83, 31 round trips, barrier 0.75
note: Thinned by 3.

                mean        sd         mcse         q5        q50        q95  ess_bulk  ess_tail  r_hat
mu              4.41      3.32        0.062      -1.09       4.40       9.87      2854      2411  1.001
N          123457      2300          41      119000     123000     128000         3118      3000  1.030
L[1,1]          1         0           -           1          1          1            -         -  -
eps     1.235e-09     2e-09     3.5e-11      -1e-09      1e-09      4e-09         3350      3000  1.000

warning: Something is wrong.
warning: And this.
advice: Do that.
ppl diagnose eight.run shows the reasons.
`
	var b bytes.Buffer
	if err := Table(&b, r, 0); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(strings.TrimPrefix(want, "\n"), b.String()); d != "" {
		t.Errorf("%s\n%s", d, b.String())
	}
}

// TestNarrowTable checks that lines fit the width of the terminal: columns are left out and words wrap.
func TestNarrowTable(t *testing.T) {
	r := sound()
	r.Warnings = []store.Warning{{Fact: strings.Repeat("many words ", 30)}}
	for _, width := range []int{120, 80, 60, 50} {
		var b bytes.Buffer
		if err := Table(&b, r, width); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("width %d: a line of %d: %s", width, n, line)
			}
		}
		if !strings.Contains(b.String(), "r_hat") || strings.Contains(b.String(), "mcse") != (width >= 80) {
			t.Errorf("width %d:\n%s", width, b.String())
		}
	}
}

// TestManyParameters checks that long vectors show their first elements and the worst values of the rest, and that
// short variables after them are shown.
func TestManyParameters(t *testing.T) {
	many := func(variable string, n int) (ps []summary.Parameter) {
		for i := range n {
			ps = append(ps, summary.Parameter{Name: fmt.Sprintf("%s[%d]", variable, i+1), Variable: variable,
				Summary: stats.Summary{MCSEMean: .1, ESSBulk: 1000 - float64(i), ESSTail: 2000, RHat: 1 +
					float64(i)/1000}})
		}
		return ps
	}
	print := func(ps []summary.Parameter) string {
		var b bytes.Buffer
		if err := Table(&b, summary.Report{Dir: "m.run", Parameters: ps}, 0); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if got := print(many("x", 40)); !strings.Contains(got, "x[40]") || strings.Contains(got, "more") {
		t.Errorf("40 parameters are to be shown:\n%s", got)
	}
	got := print(slices.Concat(many("x", 200), many("mu", 1), many("y", 300)))
	for _, want := range []string{"x[1]", "mu[1]", "y[1]", "more", "≥801", "≥701", "≤1.199",
		"are not shown: ppl summary m.run --all"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n > maxRows+5 {
		t.Errorf("%d lines", n)
	}
	var scalars []summary.Parameter
	for i := range 100 {
		scalars = append(scalars, many(fmt.Sprintf("v%d", i), 1)...)
	}
	if got := print(scalars); !strings.Contains(got, "60 of 100 parameters are not shown") {
		t.Errorf("100 variables:\n%s", got)
	}
}

// TestJSON checks the keys of the object and their order, on which programs rely.
func TestJSON(t *testing.T) {
	r := sound()
	r.Exchange.Barrier = math.NaN()
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	want := []string{"model", "sampler", "device", "seed", "chains", "draws", "seconds", "gradients", "parameters",
		"name", "mean", "sd", "mcse_mean", "q5", "q50", "q95", "ess_bulk", "ess_tail", "rhat"}
	for range 3 {
		want = append(want, want[9:19]...)
	}
	want = append(want, "replica_exchange", "temperatures", "swap_rates", "round_trips", "barrier", "divergences",
		"warnings", "usable", "thin", "steps_per_iteration", "ebfmi")
	if d := cmp.Diff(want, keys(t, b.Bytes())); d != "" {
		t.Error(d)
	}
	var doc struct {
		Seed       uint64
		Parameters []struct{ Mean, RHat float64 }
		Exchange   struct{ Barrier *float64 } `json:"replica_exchange"`
		Warnings   []string
	}
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if m := doc.Parameters[3].Mean; doc.Seed != 42 || m != 3 || doc.Exchange.Barrier != nil ||
		doc.Warnings == nil {
		t.Errorf("%+v", doc)
	}
}

// keys returns the object keys of an indented document in their order.
func keys(t *testing.T, text []byte) (all []string) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, `"`) && strings.Contains(line, `": `) {
			all = append(all, line[1:strings.Index(line, `": `)])
		}
	}
	return all
}

// TestDiagnosis compares the output of ppl diagnose with text written by hand: topics with their facts and warnings,
// and the rungs.
func TestDiagnosis(t *testing.T) {
	differ := store.Warning{Fact: "Chains differ.", Reason: "The modes are far apart.",
		Advice: []store.Advice{{Do: store.Order, Text: "Order them."}, {Do: store.Raise, Text: "Draw longer."}}}
	r := summary.Report{Model: "eight.ppl", Sampler: "renhd", Device: "host", Seed: 42, Chains: 4, Draws: 1000,
		Seconds:   3.21,
		Gradients: 1204000,
		Exchange: &summary.Exchange{Temperatures: []float64{1, 2, math.Inf(1)}, SwapRates: []float64{.42, .83},
			RoundTrips: 31, Barrier: .75},
		Rungs: store.Rungs{StepSizes: []float64{.5, .6, .7}, Acceptance: []float64{.9, .8, .95},
			Upward: []float64{1, .5, 0}},
		Topics: []summary.Topic{{Name: "run", Facts: "finished", Warnings: nil}, {Name: "modes", Facts: "",
			Warnings: []store.Warning{differ, {Fact: "And more."}}},
			{Name: "energy", Facts: "", Warnings: nil},
			{Name: "divergences", Facts: "2 after warm-up", Warnings: []store.Warning{{Fact: "Look there.",
				Advice: differ.Advice[:1]}}}},
		Warnings: []store.Warning{differ, {Fact: "And more."}, {Fact: "Look there."}}}
	want := `
eight.ppl: 4 chains × 1,000 draws by renhd on host in 3.2 s (1,204,000 gradients, seed 42)

ok    run          finished
!     modes        Chains differ.
                   why: The modes are far apart.
                   try: Order them.
                   try: Draw longer.
                   And more.
!     divergences  2 after warm-up
                   Look there.

temperature  swap rate  upward  acceptance  step size
          1       0.42    1.00        0.90        0.5
          2       0.83    0.50        0.80        0.6
      prior          -    0.00        0.95        0.7
swap rate: with the next rung. upward: share of the walkers there that come from the cold end; on a good ladder it falls evenly.

3 things speak against these draws.
`
	var b strings.Builder
	if err := Diagnosis(&b, r, 0); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, "\n"+b.String()); d != "" {
		t.Error(d)
	}
}

// sound returns a report of four quantities without faults.
func sound() summary.Report {
	r := summary.Report{Model: "eight.ppl", Sampler: "renhd", Device: "host", Seed: 42, Chains: 4, Draws: 1000,
		Seconds: 3.2, Gradients: 1_204_000, Dir: "eight.run", Exchange: &summary.Exchange{
			Temperatures: []float64{1, 2, 7.389}, SwapRates: []float64{.42, .83}, RoundTrips: 31, Barrier: .75},
		Warnings: []store.Warning{}}
	for i, name := range []string{"mu", "theta[1]", "theta[2]", "theta[3]"} {
		mean := float64(i)
		r.Parameters = append(r.Parameters, summary.Parameter{Name: name, Variable: strings.Split(name, "[")[0],
			Summary: stats.Summary{Mean: mean, SD: 1, MCSEMean: .016, Q5: mean - 1.645, Q50: mean, Q95: mean + 1.645,
				ESSBulk: 3900, ESSTail: 3800, RHat: 1.0004}})
	}
	return r
}
