package renhd

import (
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
)

// TestThinningByJudgedValues checks that only the judged values determine the number of iterations per draw. The first
// coordinate is independent of the others, which form a funnel that mixes slowly.
func TestThinningByJudgedValues(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	funnel := dynamicstest.Density{D: 5, Proper: true, LogPrior: func(theta autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := func(i int) autodiff.Node { return autodiff.Reshape(autodiff.Slice(theta, []int{i}, []int{i + 1})) }
		sum := autodiff.Mul(at(0), at(0))
		width := at(1)
		sum = autodiff.Add(sum, autodiff.Mul(g.Const(0.25), autodiff.Mul(width, width)))
		for i := 2; i < 5; i++ {
			z := autodiff.Mul(at(i), autodiff.Exp(autodiff.Neg(width)))
			sum = autodiff.Add(sum, autodiff.Add(autodiff.Mul(z, z), autodiff.Mul(g.Const(2), width)))
		}
		return autodiff.Mul(g.Const(-0.5), sum)
	}}
	thin := func(judged int) int {
		o := renhdtest.Options(1)
		o.Draws, o.Warmup, o.Judged = 10, 200, judged
		o.Settings = infer.Settings{Replicas: 1}
		_, report := draw(t, funnel, o)
		return report.Thin
	}
	if n := thin(1); n != 1 {
		t.Errorf("%d iterations per draw, want 1, since only the first coordinate is judged", n)
	}
	if n := thin(0); n <= 1 {
		t.Errorf("%d iterations per draw, want more than 1, since the funnel mixes slowly", n)
	}
}
