package infer

import (
	"testing"

	"ppl/autodiff"
)

// rowsOnly has rows, inFiles has them in files; neither has anything else.
type (
	rowsOnly struct{ Splittable }
	inFiles  struct{ Streamed }
)

func (rowsOnly) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return autodiff.SumAll(theta), autodiff.SumAll(theta), autodiff.Mul(rows, autodiff.SumAll(theta))
}

func (inFiles) Streams() int { return 1 }

// TestInPrecision: a target keeps what it can do; what its density gives comes out in double precision, and goes in in
// single.
func TestInPrecision(t *testing.T) {
	if target := (rowsOnly{}); InPrecision(target, 64) != Target(target) || InPrecision(target, 0) != Target(target) {
		t.Error("double precision is another target")
	}
	if _, ok := Streaming(InPrecision(inFiles{}, 32)); !ok {
		t.Error("no longer in files")
	}
	s, ok := InPrecision(rowsOnly{}, 32).(Splittable)
	if !ok {
		t.Fatal("no longer in rows")
	}
	g := autodiff.New()
	theta, rows := g.Input("theta", 2), g.Input("rows", 3)
	logPrior, whole, terms := s.Split(theta, rows)
	for _, n := range []autodiff.Node{logPrior, whole, terms} {
		if n.Single() || !n.Args()[0].Single() {
			t.Errorf("%v: single %v, of single %v", n, n.Single(), n.Args()[0].Single())
		}
	}
}
