package main

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPooledRanks checks that ranks of correct draws from 2,000 runs are not rejected. Ranks of draws whose spread is a
// tenth too large, and of draws that are shifted a little, must be rejected.
func TestPooledRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	runs := func(shift, spread float64) (all []run) {
		for range 2000 {
			one := run{Ranks: map[string]float64{}}
			for _, kind := range kinds() {
				draws := make([]float64, thinned)
				for i := range draws {
					draws[i] = shift + spread*r.NormFloat64()
				}
				at, err := rank(r.NormFloat64(), draws, r)
				if err != nil {
					t.Fatal(err)
				}
				one.Ranks[kind] = at
			}
			all = append(all, one)
		}
		return all
	}
	if p := least(pool(runs(0, 1))); p < errorRate {
		t.Errorf("p of right draws is %.3g", p)
	}
	for name, wrong := range map[string][]run{"wide": runs(0, 1.1), "high": runs(.1, 1)} {
		if p := least(pool(wrong)); p > errorRate {
			t.Errorf("%s: p is %.3g", name, p)
		}
	}
}

// TestRandomModels checks that three hundred random models contain every family, scale and outcome, that a number
// always gives the same model, and that the planted error changes only the prior of the scale.
func TestRandomModels(t *testing.T) {
	var all strings.Builder
	for k := range 300 {
		right, wrong := strings.Split(randomText(k, false), "\n"), strings.Split(randomText(k, true), "\n")
		all.WriteString(randomText(k, false))
		for i := range right {
			if (right[i] != wrong[i]) != strings.HasPrefix(right[i], "s ~") {
				t.Errorf("model %d: %q and %q", k, right[i], wrong[i])
			}
		}
	}
	for _, f := range families() {
		if !strings.Contains(all.String(), f.prior) {
			t.Errorf("no model has %s", f.prior)
		}
	}
	for _, s := range scales() {
		if !strings.Contains(all.String(), "s ~ "+s[0]+"\n") {
			t.Errorf("no model has %s", s[0])
		}
	}
}
