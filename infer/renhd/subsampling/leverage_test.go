package subsampling

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"ppl/infer/dynamics"
)

// TestLargestResiduals compares the residuals that are kept, and their sum, with those of a list that is sorted as a
// whole: in parts of several lengths, some of them read at the same time, with more to keep than rows, with none to
// keep, and with equal residuals and residuals that are not numbers. Every row counts once, although the last part
// reads rows of the part before it.
func TestLargestResiduals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 7, 64, 100, 1000} {
		squares := make([]float64, rows)
		for i := range squares {
			squares[i] = float64(r.IntN(50))
		}
		squares[rows/2] = math.NaN()
		for _, n := range []int{0, 1, 5, 2000} {
			for _, pass := range []int{1, 7, 64, 1000} {
				for _, ranks := range []int{1, 3} {
					checkLargest(t, squares, n, ranks, dynamics.Batches{Rows: rows, Pass: min(pass, rows)})
				}
			}
		}
	}
}

func checkLargest(t *testing.T, squares []float64, n, ranks int, b dynamics.Batches) {
	t.Helper()
	var want leverageState
	for row, x := range squares {
		if !math.IsNaN(x) {
			want.Sum += x
			want.Worst = append(want.Worst, residual{float64(row), x})
		}
	}
	slices.SortStableFunc(want.Worst, func(x, y residual) int { return cmp.Compare(y.Square, x.Square) })
	want.Worst = want.Worst[:min(n, len(want.Worst))]
	var got leverageState
	parts := (b.Rows + b.Pass - 1) / b.Pass
	for first := 0; first < parts; first += ranks {
		before := got.residuals
		for part := first; part < min(first+ranks, parts); part++ {
			start, from, end := b.InPass(part)
			found := before.beyond(start+from, squares[start+from:start+end], n)
			got.add(residualsOf(found.numbers(n)), n)
		}
	}
	if got.Sum != want.Sum || !slices.Equal(got.Worst, want.Worst) {
		t.Errorf("%d rows in parts of %d: the %d largest are %v with the sum %v, want %v with %v", b.Rows, b.Pass, n,
			got.Worst, got.Sum, want.Worst, want.Sum)
	}
}
