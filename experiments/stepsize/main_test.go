package main

import (
	"math"
	"os"
	"testing"

	"ppl/experiments/lab"
)

// TestOscillator checks that the closed form of the variance is the fixed point of the recursion for the covariance,
// computed by iteration. A closed form without the noise of the gradient must differ.
func TestOscillator(t *testing.T) {
	recursion := func(s, q, h float64) float64 {
		a, tt, tp, pp := 1-s, 1.0, 0.0, 1.0
		for range 100_000 {
			pp, tp = a*a*pp-2*a*h*tp+h*h*tt+q, a*tp-h*tt
			tt, tp = tt+2*h*tp+h*h*pp, tp+h*pp
		}
		return tt
	}
	for _, c := range []struct{ s, q, h float64 }{{.1, .2, .05}, {.1, .2, .8}, {1.099, 2.198, .4},
		{.1, .2 + 4*.04, .2}} {
		want := recursion(c.s, c.q, c.h)
		if got := oscillator(c.s, c.q, c.h); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%+v: %v, recursion %v", c, got, want)
		}
	}
	if math.Abs(recursion(.1, .2+4*.04, .2)/oscillator(.1, .2, .2)-1) < 0.1 {
		t.Error("noise makes no difference: the test could not fail")
	}
}

// TestBias checks statements of the text for a step of .4: the splitting is right within .02, about five standard
// errors; SGHMC and SGLD have the theoretical bias.
func TestBias(t *testing.T) {
	if testing.Short() || os.Getenv("PPL_SLOW") == "" {
		t.Skip("slow: set PPL_SLOW=1")
	}
	t.Chdir("../..")
	bench, err := lab.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer bench.Close()
	for _, name := range []string{"BADODAB (renhd)", "SGHMC", "SGLD"} {
		for _, r := range rules() {
			if r.name != name {
				continue
			}
			want := 1.0
			if r.bias != nil {
				want = r.bias(.4, 0)
			}
			if got, err := measure(bench, r, .4, 0, 150); err != nil || math.Abs(got-want) > 0.02 {
				t.Errorf("%s: %.3f, want %.3f ± .02 (%v)", name, got, want, err)
			}
		}
	}
}
