package symmetry

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/combin"

	"ppl/infer"
	"ppl/lang/types"
)

// mixture has three labels of two coordinates, with weights in a simplex of two more: m0 s0 m1 s1 m2 s2 w w. The first
// coordinate of each label may change sign.
func mixture() *Group {
	return New(types.Symmetries{Dim: 8, Simplices: []types.SimplexPart{{First: 6, K: 3, Logs: 8}}, Of: []types.Symmetry{
		{Kind: types.Signs, Sets: [][]int{{0}, {2}, {4}}},
		{Kind: types.Labels, Sets: [][]int{{0, 1, 8}, {2, 3, 9}, {4, 5, 10}}}}})
}

func normals(n int, r *rand.Rand) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// images returns all images of a position under the symmetries of mixture.
func images(g *Group, x []float64) (all [][]float64) {
	for _, from := range combin.Permutations(3, 3) {
		for signs := range 8 {
			image := g.extended(x)
			exchange(image, &g.Of[1], from)
			for k, set := range g.Of[0].Sets {
				if signs>>k&1 == 1 {
					negate(image, set)
				}
			}
			all = append(all, g.position(image))
		}
	}
	return all
}

// TestOneImageIsInside checks that exactly one of all images of a position is inside, that all have the same nearest
// image, and that no image is nearer to the reference.
func TestOneImageIsInside(t *testing.T) {
	t.Parallel()
	g, r := mixture(), rand.New(rand.NewPCG(1, 2))
	if !g.Divides() || !g.Comparable() {
		t.Fatal("Divides or Comparable is false for the mixture")
	}
	for range 50 {
		ref := Reference{normals(8, r), []float64{1, 2, 1, 2, 1, 2, 1, 1}}
		x := normals(8, r)
		nearest, inside := g.Nearest(x, ref, r), 0
		distance := func(x []float64) float64 { return far(g.extended(x), g.extended(ref.At), g.weights(ref)) }
		for _, image := range images(g, x) {
			if g.Inside(image, ref) {
				inside++
			}
			if to := g.Nearest(image, ref, r); !floats.EqualApprox(to, nearest, 1e-9) {
				t.Fatalf("nearest images %v and %v", to, nearest)
			}
			if distance(image) < distance(nearest)-1e-9 {
				t.Fatalf("%v is nearer to %v than %v", image, ref.At, nearest)
			}
		}
		if inside != 1 {
			t.Errorf("%d images are inside, want 1", inside)
		}
	}
}

// TestSignsAcrossLabels checks that all images have the same nearest image if a sign symmetry changes coordinates of
// several labels.
func TestSignsAcrossLabels(t *testing.T) {
	t.Parallel()
	g := New(types.Symmetries{Dim: 6, Of: []types.Symmetry{{Kind: types.Signs, Sets: [][]int{{0, 2, 4}}},
		{Kind: types.Labels, Sets: [][]int{{0, 1}, {2, 3}, {4, 5}}}}})
	r := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		ref, x := Reference{At: normals(6, r)}, normals(6, r)
		nearest := g.Nearest(x, ref, r)
		for range 20 {
			if to := g.Nearest(g.Random(x, r), ref, r); !floats.EqualApprox(to, nearest, 1e-9) {
				t.Fatalf("nearest images %v and %v", to, nearest)
			}
		}
	}
}

// TestFlips checks two labels whose exchange changes the sign of a weight.
func TestFlips(t *testing.T) {
	t.Parallel()
	g := New(types.Symmetries{Dim: 3, Of: []types.Symmetry{{Kind: types.Labels, Sets: [][]int{{0}, {1}},
		Flips: []int{2}}}})
	ref := Reference{At: []float64{-1, 1, 0.5}}
	for _, c := range [][2][]float64{{{2, -3, 0.1}, {-3, 2, -0.1}}, {{-3, 2, 0.1}, {-3, 2, 0.1}},
		{{0.1, 0, -9}, {0, 0.1, 9}}} {
		if got := g.Nearest(c[0], ref, nil); !floats.EqualApprox(got, c[1], 1e-12) {
			t.Errorf("of %v the nearest image is %v, want %v", c[0], got, c[1])
		}
	}
}

// TestRandomImagesAreUniform checks with a χ² test that random images are uniform over all 48 images.
func TestRandomImagesAreUniform(t *testing.T) {
	t.Parallel()
	g, r := mixture(), rand.New(rand.NewPCG(5, 6))
	x := normals(8, r)
	all := images(g, x)
	counts := make([]float64, len(all))
	for range 100 * len(all) {
		image := g.Random(x, r)
		for k := range all {
			if floats.EqualApprox(all[k], image, 1e-9) {
				counts[k]++
			}
		}
	}
	sum, square := floats.Sum(counts), 0.0
	for _, n := range counts {
		square += (n - 100) * (n - 100) / 100
	}
	if sum != float64(100*len(all)) || square > 95 { // 47 + 5·√94
		t.Errorf("%g of %d random images are images of x; χ² %.1f, want at most 95", sum, 100*len(all), square)
	}
}

// TestRotations checks that random rotations have the moments of uniform ones, and that Nearest rotates images of the
// reference back to it, except for the tilt.
func TestRotations(t *testing.T) {
	t.Parallel()
	sets := make([][]int, 3)
	for i := range 30 {
		sets[i%3] = append(sets[i%3], i)
	}
	g, r := New(types.Symmetries{Dim: 30, Of: []types.Symmetry{{Kind: types.Rotations, Sets: sets}}}),
		rand.New(rand.NewPCG(7, 8))
	x := normals(30, r)
	length := func(x []float64) float64 { return floats.Norm(x[:3], 2) }
	const n = 4000
	var mean, square float64
	for range n {
		image := g.Random(x, r)
		if math.Abs(length(image)-length(x)) > 1e-9 {
			t.Fatal("lengths change")
		}
		u := image[0] / length(x)
		mean, square = mean+u/n, square+u*u/n
	}
	// u is uniform on −1..1: variance 1/3, that of u² 4/45
	if math.Abs(mean) > 5*math.Sqrt(1.0/3/n) || math.Abs(square-1.0/3) > 5*math.Sqrt(4.0/45/n) {
		t.Errorf("mean %.4f, mean square %.4f of a coordinate of a unit vector", mean, square)
	}
	ref := Reference{At: x}
	for range 100 {
		to := g.Nearest(g.Random(x, r), ref, r)
		if d := floats.Distance(to, x, 2) / floats.Norm(x, 2); d > 8*tilt {
			t.Errorf("the nearest image is %.2f of the reference's length away from it, want at most %.2f", d, 8*tilt)
		}
	}
	scale := make([]float64, 30)
	for i := range scale {
		scale[i] = float64(1 + i%3)
	}
	if g.Even(scale); !g.Rotates() || math.Abs(scale[0]-math.Sqrt(14.0/3)) > 1e-12 || scale[1] != scale[0] {
		t.Errorf("scales that suit every rotation are %v", scale[:3])
	}
	few := New(types.Symmetries{Dim: 3, Of: []types.Symmetry{{Kind: types.Rotations, Sets: [][]int{{0}, {1}, {2}}}}})
	if few.Comparable() || &few.Nearest(x[:3], Reference{At: x[:3]}, r)[0] != &x[0] {
		t.Error("a single vector is comparable, or is rotated to the reference")
	}
}

// TestAssignment checks that the cost of an assignment is the least of all permutations.
func TestAssignment(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 6 {
		for range 50 {
			cost := make([][]float64, n)
			for k := range cost {
				cost[k] = normals(n, r)
			}
			of := func(columns []int) (sum float64) {
				for k, j := range columns {
					sum += cost[k][j]
				}
				return sum
			}
			least := math.Inf(1)
			for _, p := range combin.Permutations(n, n) {
				least = min(least, of(p))
			}
			if got := of(assignment(cost)); n > 0 && math.Abs(got-least) > 1e-9 {
				t.Errorf("%d rows: cost %g, least %g", n, got, least)
			}
		}
	}
}

// TestMonitor checks that the monitor does not warn if chains are in images of one mode, and warns if one chain has a
// slightly different mean.
func TestMonitor(t *testing.T) {
	t.Parallel()
	for _, apart := range []bool{false, true} {
		m := &Images{Group: mixture()}
		r := rand.New(rand.NewPCG(11, 12))
		center := normals(8, r)
		watch := NewMonitor(4, Reference{At: center})
		for chain := range 4 {
			for range 2000 {
				x := normals(8, r)
				floats.Scale(0.1, x)
				floats.Add(x, center)
				if apart && chain == 0 {
					x[1] += 0.1
				}
				watch.Add(m, chain, m.Random(x, r), r)
			}
		}
		if got := len(watch.Warnings()) > 0; got != apart {
			rHat, ess := watch.Worst()
			t.Errorf("apart %v: R-hat %.3f, effective sample size %.0f", apart, rHat, ess)
		}
	}
}

// TestNoImages checks that there is no group without symmetries.
func TestNoImages(t *testing.T) {
	t.Parallel()
	if New(types.Symmetries{Dim: 2}) != nil {
		t.Error("there are images")
	}
	var _ infer.Symmetric
}
