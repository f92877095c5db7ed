package infer

import (
	"testing"

	"ppl/autodiff"
)

// rowsOnly is a Splittable target, inFiles a Streamed one. The test calls only the methods that are defined here.
type (
	rowsOnly struct{ Splittable }
	inFiles  struct{ Streamed }
)

func (rowsOnly) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return autodiff.SumAll(theta), autodiff.SumAll(theta), autodiff.Mul(rows, autodiff.SumAll(theta))
}

func (inFiles) Streams() int { return 1 }

// TestInPrecision checks that the result of InPrecision is Splittable or Streamed if the target is, that Split is
// computed in single precision, and that its results are returned in double precision.
func TestInPrecision(t *testing.T) {
	if target := (rowsOnly{}); InPrecision(target, 64) != Target(target) || InPrecision(target, 0) != Target(target) {
		t.Error("InPrecision of 64 or 0 bits returns another target")
	}
	if _, ok := Streaming(InPrecision(inFiles{}, 32)); !ok {
		t.Error("a Streamed target is not Streamed in single precision")
	}
	s, ok := InPrecision(rowsOnly{}, 32).(Splittable)
	if !ok {
		t.Fatal("a Splittable target is not Splittable in single precision")
	}
	g := autodiff.New()
	theta, rows := g.Input("theta", 2), g.Input("rows", 3)
	logPrior, whole, terms := s.Split(theta, rows)
	for _, n := range []autodiff.Node{logPrior, whole, terms} {
		if n.Single() || !n.Args()[0].Single() {
			t.Errorf("%v: in single precision %v, want false; its argument %v, want true", n, n.Single(),
				n.Args()[0].Single())
		}
	}
}
