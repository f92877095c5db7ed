package lower

import (
	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

const (
	noiseCost   = 25
	shuffleCost = 80
)

// reductions lists how each reduction combines points of a kernel, and registers when it is unrolled.
var reductions = map[autodiff.Kind]struct {
	combine ir.Combine
	op      ir.Op
}{
	autodiff.OpSum: {ir.Sum, ir.Add},
	autodiff.OpMax: {ir.Max, ir.Maximum},
	autodiff.OpMin: {ir.Min, ir.Minimum},
}
