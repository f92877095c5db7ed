package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ppl/posterior/stats"
	"ppl/posterior/store"
)

// A run that ends when its effective sample size is large enough still has correct errors, although it chooses the time
// by its draws. Of 200 runs, the expected number of 90 % intervals for the mean contain the true mean, and hardly any
// run has more than 1.3 times the draws that would have sufficed. Intervals of half the width fail.
func TestGoalKeepsErrorsRight(t *testing.T) {
	if os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow")
	}
	const runs, target = 200, 400
	model := filepath.Join(t.TempDir(), "m.ppl")
	write(t, model, "data y = 1\nmu ~ Normal(0, 10)\ny ~ Normal(mu, 1)\n")
	truth := 100. / 101
	covered, narrow, ratios := 0, 0, make([]float64, runs)
	for i := range runs {
		dir := filepath.Join(t.TempDir(), "m.run")
		pplJSON(t, nil, "sample", model, "--out", dir, "--seed", fmt.Sprint(i+1), "--until", fmt.Sprint("ess=", target),
			"--warmup", "100", "--set", "steps=1", "--set", "step_size=0.6", "--threads", "1", "--quiet", "--json")
		run, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		mu, err := run.Draws("mu")
		if err != nil {
			t.Fatal(err)
		}
		off := math.Abs(mean(mu)-truth) / stats.MCSEMean(mu)
		const z = 1.6449 // of a normal number's, 90 % are closer to the mean
		if off < z {
			covered++
		}
		if off < z/2 {
			narrow++
		}
		ratios[i] = float64(len(mu[0])) / float64(firstEnough(mu, target))
	}
	slices.Sort(ratios)
	t.Logf("%d of %d intervals cover; draws over those needed: median %.2f, 95 %% %.2f, most %.2f", covered, runs,
		ratios[runs/2], ratios[runs*95/100], ratios[runs-1])
	bound := 3.3 * math.Sqrt(runs*0.9*0.1)
	if math.Abs(float64(covered)-0.9*runs) > bound {
		t.Errorf("%d of %d intervals have the mean in them", covered, runs)
	}
	if math.Abs(float64(narrow)-0.9*runs) <= bound {
		t.Errorf("%d of %d intervals of half the width have the mean in them: the test sees nothing", narrow, runs)
	}
	if ratios[runs*95/100] > 1.3 {
		t.Errorf("a run in twenty has %.2f times the draws that were needed", ratios[runs*95/100])
	}
}

func mean(chains [][]float64) (sum float64) {
	all := slices.Concat(chains...)
	for _, x := range all {
		sum += x
	}
	return sum / float64(len(all))
}

// firstEnough returns the smallest number of draws of each chain with the target effective sample size.
func firstEnough(chains [][]float64, target float64) int {
	for n := 10; n < len(chains[0]); n++ {
		some := make([][]float64, len(chains))
		for c := range chains {
			some[c] = chains[c][:n]
		}
		if min(stats.ESSBulk(some), stats.ESSTail(some)) >= target {
			return n
		}
	}
	return len(chains[0])
}
