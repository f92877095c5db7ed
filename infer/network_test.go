package infer

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/autodiff"
	"ppl/lang/types"
)

// normals is a target whose starts are all 0.3, which is the middle of its prior.
type normals struct{ n int }

func (t normals) Dim() int                                       { return t.n }
func (normals) Density(theta autodiff.Node) (p, l autodiff.Node) { return theta, theta }
func (normals) ProperPrior() bool                                { return true }
func (normals) Saved() []types.Variable                          { return nil }
func (normals) Values(theta autodiff.Node) autodiff.Node         { return theta }
func (t normals) Start(uint64, int) (x []float64) {
	for range t.n {
		x = append(x, 0.3)
	}
	return x
}

// TestInitialWeights checks that initial weights have the variance of their scheme. With "orthogonal", the rows of each
// network of a family are orthonormal, in groups whose size is the number of inputs. Biases begin in the middle of the
// prior, and walkers begin at different weights.
func TestInitialWeights(t *testing.T) {
	const inputs, outputs, members = 50, 120, 2
	b := types.Block{Parameter: "f.w", Size: members * inputs * outputs, Layer: "f", Inputs: inputs, Outputs: outputs}
	bias := types.Block{Parameter: "f.b", First: b.Size, Size: 7, Layer: "f"}
	target, blocks := normals{b.Size + 7}, []types.Block{b, bias}
	for scheme, variance := range map[string]float64{"he": 2. / inputs, "glorot": 2. / (inputs + outputs),
		"orthogonal": 1. / inputs} {
		start := InitialWeights(target, blocks, scheme, 1)
		x := start(0)
		w := x[:b.Size]
		if got := floats.Dot(w, w) / float64(len(w)); math.Abs(got/variance-1) > 5*math.Sqrt(2/float64(len(w))) {
			t.Errorf("%s: variance %.4g, want %.4g", scheme, got, variance)
		}
		if x[b.Size] != 0.3 {
			t.Errorf("%s: a bias of %v", scheme, x[b.Size])
		}
		if other := start(1); floats.Equal(other[:b.Size], w) {
			t.Errorf("%s: all walkers begin at the same weights", scheme)
		}
	}
	w := InitialWeights(target, blocks, "orthogonal", 1)(0)
	row := func(i int) []float64 { return w[i*inputs : (i+1)*inputs] }
	group := func(i int) [2]int { return [2]int{i / outputs, i % outputs / inputs} }
	for i := range members * outputs {
		for j := range i + 1 {
			want := 0.
			if i == j {
				want = 1
			}
			if got := floats.Dot(row(i), row(j)); group(i) == group(j) && math.Abs(got-want) > 1e-12 {
				t.Fatalf("rows %d and %d have the product %v", i, j, got)
			}
		}
	}
}
