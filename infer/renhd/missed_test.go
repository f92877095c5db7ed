package renhd

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/infer"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/renhdtest"
)

// chainsAbout are positions of chains in the mode at −3.
func chainsAbout(d int) (visited [][][]float64) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 4 {
		var xs [][]float64
		for range 200 {
			x := modesearch.NormalNumbers(d, 1, random)
			for j := range x {
				x[j] -= 3
			}
			xs = append(xs, x)
		}
		visited = append(visited, xs)
	}
	return visited
}

// What chains of another sampler have not been in is found with its share, and nothing is where there is nothing else.
func TestMissedModesAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for name, c := range map[string]struct {
		target infer.Target
		share  float64
	}{
		"half": {renhdtest.Widths(4, .1, 1), .5}, "a fifth": {renhdtest.Widths(4, .2, .25), .2},
		"nothing": {renhdtest.Widths(4, 1, 1e-300), 0},
	} {
		found, err := Missed(t.Context(), c.target, renhdtest.Options(1), chainsAbout(4), 1e6)
		missed, gradients := found.Missed, found.Gradients
		if err != nil || gradients < 1000 || (len(missed) > 0) != (c.share > 0) {
			t.Errorf("%s: %d modes, %d gradients, %v", name, len(missed), gradients, err)
			continue
		}
		if c.share > 0 && (len(missed) > 1 || math.Abs(missed[0].Share-c.share) > .05 ||
			math.Abs(missed[0].At[0]-3) > .1) {
			t.Errorf("%s: %+v", name, missed)
		}
	}
}
