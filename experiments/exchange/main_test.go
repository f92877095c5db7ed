package main

import (
	"math"
	"testing"
)

// TestLadder checks results of the tables with a tenth of the rounds: with tests that account for the noise, the
// variance on the cold rung is right within four standard errors; with the test that ignores it, it is not.
func TestLadder(t *testing.T) {
	for _, x := range []struct {
		test test
		ok   bool
	}{{tests()[0], true}, {penaltyAsIs(), true}, {compensated(), true}, {ignoring(), false}} {
		r := newLadder(3).run(x.test, firstBatch, 20_000)
		if (math.Abs(r.ratio-1) < 4*r.error) != x.ok || r.error > 0.05 {
			t.Errorf("%s: %.3f ± %.3f", x.test.name, r.ratio, r.error)
		}
	}
}

// TestEstimate checks that an estimate from all rows is exact, and that the variance of 2,000 estimates from some rows
// is the reported one (1 ± .13 is four standard errors).
func TestEstimate(t *testing.T) {
	l := newLadder(4)
	exact, all := l.estimate(test{exact: true}, 0, firstBatch), l.estimate(test{most: -1}, 0, 1000)
	if math.Abs(exact.delta-all.delta) > 1e-9*math.Max(1, math.Abs(exact.delta)) || all.rows != rows ||
		all.variance > 1e-9 {
		t.Errorf("all rows: %+v, exactly %+v", all, exact)
	}
	var square, said float64
	for range 2000 {
		e := l.estimate(test{most: math.Inf(1)}, 0, 5000)
		square, said = square+(e.delta-exact.delta)*(e.delta-exact.delta), said+e.variance
	}
	if math.Abs(square/said-1) > 0.13 {
		t.Errorf("variance of estimates %.3f of what is said", square/said)
	}
}

// TestBalance checks log acceptance ratios. For exponential differences of 256 rows and σ² = 3, an independent program
// gives .91, to two digits, for the penalty test. For normal differences that test is right, and a test that ignores
// noise is not.
func TestBalance(t *testing.T) {
	if got := balance(penaltyAsIs(), skews()[0], 1, 30_000); math.Abs(got-1) > 0.1 {
		t.Errorf("normal noise: %.3f, want 1 ± .1", got)
	}
	if got := balance(penaltyAsIs(), skews()[1], 3, 30_000); math.Abs(got-.91) > 0.07 {
		t.Errorf("exponential noise: %.3f, want .91 ± .07", got)
	}
	if got := balance(ignoring(), skews()[0], 3, 10_000); got > 0.6 {
		t.Errorf("noise ignored: %.3f", got)
	}
}
