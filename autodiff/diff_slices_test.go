package autodiff_test

import (
	"math/rand/v2"
	"testing"

	. "ppl/autodiff"
)

// The gradient of Σ wₖ·Σ xᵢ² over slices k that overlap, leave gaps and are read twice, of a vector and of a matrix,
// is 2·xᵢ·Σ wₖ over the slices that hold i; and all arrays of the graph together grow as
// fast as the number of slices.
func TestGradientsOfManySlices(t *testing.T) {
	t.Parallel()
	elements := func(count int) int {
		n, r := 3*count, rand.New(rand.NewPCG(7, uint64(count)))
		g := New()
		rows, matrix := g.Input("rows", n), g.Input("matrix", n, 2)
		wantRows, wantMatrix := make([]float64, n), make([]float64, 2*n)
		x, y := make([]float64, n), make([]float64, 2*n)
		for i := range y {
			y[i] = r.NormFloat64()
		}
		copy(x, y[n:])
		sum := SumAll(Mul(rows, rows))
		for i := range x {
			wantRows[i] = 2 * x[i]
		}
		for k := range count {
			lo, w := r.IntN(n-3), r.NormFloat64()
			hi := lo + 1 + r.IntN(3)
			for _, a := range []Node{Slice(rows, []int{lo}, []int{hi}), Slice(matrix, []int{lo, 0}, []int{hi, 2}),
				Slice(matrix, []int{k % 5, 1}, []int{k%5 + 1, 2})} {
				sum = Add(sum, Mul(g.Const(w), SumAll(Mul(a, a))))
			}
			for i := lo; i < hi; i++ {
				wantRows[i] += 2 * w * x[i]
				wantMatrix[2*i] += 2 * w * y[2*i]
				wantMatrix[2*i+1] += 2 * w * y[2*i+1]
			}
			wantMatrix[2*(k%5)+1] += 2 * w * y[2*(k%5)+1]
		}
		before := len(g.Nodes())
		d := Grad(sum, rows, matrix)
		got := Eval(map[string][]float64{"rows": x, "matrix": y}, d...)
		if !near(got[0], wantRows, 1e-11) || !near(got[1], wantMatrix, 1e-11) {
			t.Errorf("%d slices: the gradient differs from the closed form", count)
		}
		size := 0
		for _, n := range g.Nodes()[before:] {
			size += n.Size()
		}
		return size
	}
	elements(20) // too few to be joined
	if few, many := elements(200), elements(1600); many > 12*few {
		t.Errorf("gradients through 200 and 1600 slices of each array add %d and %d elements", few, many)
	}
}
