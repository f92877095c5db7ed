package main

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestCompare checks agreement and total variation for known distributions: one of two rows has another most probable
// class, and the total variations are .5 and .2.
func TestCompare(t *testing.T) {
	p := [][]float64{{0.7, 0.2, 0.1}, {0.1, 0.5, 0.4}}
	q := [][]float64{{0.2, 0.7, 0.1}, {0.3, 0.5, 0.2}}
	got := compare(p, q)
	if got.agreement != 0.5 || math.Abs(got.variation-0.35) > 1e-12 {
		t.Errorf("agreement %v and total variation %v, want .5 and .35", got.agreement, got.variation)
	}
	if same := compare(p, p); same.agreement != 1 || same.variation != 0 {
		t.Errorf("a distribution differs from itself: %v", same)
	}
}

// TestScores checks scores against labels; the prediction for the second row is wrong.
func TestScores(t *testing.T) {
	p := predictions{near: [][]float64{{0.7, 0.2, 0.1}, {0.1, 0.5, 0.4}}, labels: []int{0, 2}}
	r := meanOf([]row{newRow(p, p, time.Second), newRow(p, p, 3*time.Second)})
	if want := (math.Log(0.7) + math.Log(0.4)) / 2; r.accuracy != 0.5 || math.Abs(r.logLik-want) > 1e-12 ||
		r.seconds != 2 {
		t.Errorf("scores %+v", r)
	}
}

// TestSpirals checks that all classes are about equally frequent, and overlap little.
func TestSpirals(t *testing.T) {
	counts := map[int]int{}
	for _, k := range spirals(rand.New(rand.NewPCG(1, 1)), 3000).Label {
		counts[k]++
	}
	for k := range 3 {
		if counts[k] < 900 || counts[k] > 1100 {
			t.Errorf("class %d comes %d times of 3,000", k, counts[k])
		}
	}
}
