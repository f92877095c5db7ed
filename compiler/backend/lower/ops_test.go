package lower

import (
	"testing"

	"ppl/autodiff"
)

// A kind from OpNeg to OpSelect is elementwise; without a row it would be lowered to nothing.
func TestElementwiseKindsHaveRows(t *testing.T) {
	for k := autodiff.OpNeg; k <= autodiff.OpSelect; k++ {
		if _, ok := elementwise(k); !ok {
			t.Errorf("ops.go: %v has no row in opRows", k)
		}
	}
}
