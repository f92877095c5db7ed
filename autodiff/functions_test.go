package autodiff

import "testing"

// A kind without a row is named here, before it panics elsewhere.
func TestElementwiseKindsHaveValues(t *testing.T) {
	for k := Kind(0); k < numKinds; k++ {
		switch class := kinds[k].class; {
		case kinds[k].name == "":
			t.Errorf("kind.go: kind %d has no row in kinds", k)
		case class == unary && unaryFuncs[k] == nil, class == binary && binaryFuncs[k] == nil:
			t.Errorf("scalar.go: %v has no value", k)
		}
	}
}

// Every unary kind has a slope, or says that it passes no gradient.
func TestUnaryKindsHaveSlopes(t *testing.T) {
	for k := Kind(0); k < numKinds; k++ {
		if kinds[k].class != unary || !Differentiable(k, 0) || k == OpSingle || k == OpDouble {
			continue
		}
		func() {
			defer func() {
				if cause := recover(); cause != nil {
					t.Errorf("diff_elementwise.go: %v", cause)
				}
			}()
			x := New().Input("x")
			slope(k, x, x.Graph().add(Op{Kind: k}, nil, x))
		}()
	}
}
