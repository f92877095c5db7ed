package lower

import (
	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

const (
	noiseCost   = 25
	shuffleCost = 80
)

// reductions gives how each reduction combines, between points of a kernel and between registers when it is unrolled.
var reductions = map[autodiff.Kind]struct {
	combine ir.Combine
	op      ir.Op
}{
	autodiff.OpSum: {ir.Sum, ir.Add},
	autodiff.OpMax: {ir.Max, ir.Maximum},
	autodiff.OpMin: {ir.Min, ir.Minimum},
}
