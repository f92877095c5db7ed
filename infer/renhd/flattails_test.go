package renhd

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/lang/types"
)

// TestFlatTails checks that a density that is constant towards an end of a coordinate is refused with the coordinate's
// name, and that one that falls, even slowly, is not refused. Coordinate 2 has the log density of each case, all others
// are normal.
func TestFlatTails(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	for name, c := range map[string]struct {
		of      func(x autodiff.Node) autodiff.Node
		bounded bool
		refused string
	}{
		"flat below": {func(x autodiff.Node) autodiff.Node { return autodiff.Neg(autodiff.Exp(x)) }, true,
			"lower end of its support"},
		"flat above": {func(x autodiff.Node) autodiff.Node { return autodiff.Neg(autodiff.Exp(autodiff.Neg(x))) }, true,
			"upper end of its support"},
		"1/x": {func(x autodiff.Node) autodiff.Node {
			return autodiff.Mul(x.Graph().Const(-.5), autodiff.Log(autodiff.Add(x.Graph().Const(1), autodiff.Mul(x,
				x))))
		}, false, ""}, // improper, but the ends of the real line are not examined
		"Cauchy": {func(x autodiff.Node) autodiff.Node {
			return autodiff.Neg(autodiff.Log(autodiff.Add(x.Graph().Const(1), autodiff.Mul(x, x))))
		}, false, ""},
		"Gamma(.01)": {func(x autodiff.Node) autodiff.Node {
			return autodiff.Sub(autodiff.Mul(x.Graph().Const(.01), x), autodiff.Exp(x))
		}, true, ""},
	} {
		density := dynamicstest.Density{D: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
			x, y := autodiff.Slice(theta, []int{0}, []int{1}), autodiff.Slice(theta, []int{1}, []int{2})
			return autodiff.SumAll(autodiff.Sub(c.of(y), autodiff.Mul(x, x)))
		}}
		target := renhdtest.Described{Target: density, Names: []types.Coordinate{{Parameter: "x[1]"},
			{Parameter: "x[2]", Lower: c.bounded, Upper: c.bounded}}}
		o := renhdtest.Options(1)
		o.Warmup, o.Draws = 200, 10
		report, err := Sample(context.Background(), target, o, new(memory))
		switch {
		case c.refused == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.refused != "" && (err == nil || !errors.As(err, new(infer.Refusal)) ||
			!strings.Contains(err.Error(), "as x[2] goes to") || !strings.Contains(err.Error(), c.refused)):
			t.Errorf("%s: %v", name, err)
		case c.refused != "" && report.Gradients > 50_000:
			t.Errorf("%s: refused after %d gradients", name, report.Gradients)
		}
	}
}
