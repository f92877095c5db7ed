package renhd

import (
	"math"
	"math/rand/v2"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/modesearch"
	"ppl/infer/renhd/renhdtest"
)

// chainsAbout returns positions of chains in the mode at −3, in d dimensions.
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

// TestMissedModesAreFound checks that a mode that the chains have not visited is found with its share, and that nothing
// is found if there is one mode.
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

// TestExplorationNeedsAReason checks that chains are compared with an exploration if climbs end on a ridge that they
// have not visited, here the other of two rings, and not if climbs end along the logarithm of a scale.
func TestExplorationNeedsAReason(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	chains := func(draw func() []float64) (visited [][][]float64) {
		for range 4 {
			var xs [][]float64
			for range 200 {
				xs = append(xs, draw())
			}
			visited = append(visited, xs)
		}
		return visited
	}
	inner := func() []float64 {
		angle, r := 2*math.Pi*random.Float64(), 2+.1*random.NormFloat64()
		return []float64{r * math.Cos(angle), r * math.Sin(angle)}
	}
	groups := func() []float64 {
		x := modesearch.NormalNumbers(9, 1, random)
		for j := range x[1:] {
			x[1+j] *= math.Exp(x[0])
		}
		return x
	}
	for name, c := range map[string]struct {
		target  infer.Target
		visited [][][]float64
		explore bool
	}{"rings": {twoRings(), chains(inner), true}, "groups": {funnel(), chains(groups), false}} {
		found, err := Missed(t.Context(), c.target, renhdtest.Options(1), c.visited, 1e6)
		if err != nil || (found.Elsewhere != nil) != c.explore || !c.explore && found.Gradients > 10_000 {
			t.Errorf("%s: %+v, %d gradients, %v", name, found.Elsewhere, found.Gradients, err)
		}
	}
}

// twoRings returns a target of two rings with the radii 2 and 4.
func twoRings() infer.Target {
	return dynamicstest.Density{D: 2, Proper: true, Spread: 4, LogPrior: func(x autodiff.Node) autodiff.Node {
		g := x.Graph()
		r := autodiff.Sqrt(autodiff.SumAll(autodiff.Mul(x, x)))
		about := func(radius float64) autodiff.Node {
			z := autodiff.Mul(g.Const(10), autodiff.Sub(r, g.Const(radius)))
			return autodiff.Reshape(autodiff.Mul(g.Const(-.5), autodiff.Mul(z, z)), 1)
		}
		return autodiff.LogSumExp(autodiff.Concat(0, about(2), about(4)), 0)
	}}
}

// funnel returns the density of the logarithm of a scale and of eight normals with this scale.
func funnel() infer.Target {
	return dynamicstest.Density{D: 9, Proper: true, Spread: 1, LogPrior: func(x autodiff.Node) autodiff.Node {
		g := x.Graph()
		s := autodiff.Reshape(autodiff.Slice(x, []int{0}, []int{1}))
		of := autodiff.Slice(x, []int{1}, []int{9})
		z := autodiff.Mul(of, autodiff.Broadcast(autodiff.Exp(autodiff.Neg(s)), []int{8}, nil))
		sum := autodiff.Add(autodiff.Mul(s, s), autodiff.SumAll(autodiff.Mul(z, z)))
		return autodiff.Sub(autodiff.Mul(g.Const(-.5), sum), autodiff.Mul(g.Const(8), s))
	}}
}
