package numbers

import (
	"math"
	"testing"
)

// Decoded numbers equal the encoded ones in every bit, and numbers of single precision take four bytes.
func TestExact(t *testing.T) {
	singles := []float64{0, math.Copysign(0, -1), 1, float64(float32(0.1)), math.Inf(-1),
		math.Float64frombits(0x7ff8 << 48), float64(math.SmallestNonzeroFloat32), math.MaxFloat32}
	doubles := append([]float64{0.1, 1e-310, math.MaxFloat64, math.Float64frombits(0x7ff8000000000abc)}, singles...)
	for name, c := range map[string]struct {
		values []float64
		bytes  int
	}{"singles": {singles, 4 * len(singles)}, "doubles": {doubles, 8 * len(doubles)}, "none": {nil, 0}} {
		e, back := ExactOf(c.values), make([]float64, len(c.values))
		if e.Len() != len(c.values) || len(e.Bytes) != c.bytes {
			t.Errorf("%s: %d numbers in %d bytes", name, e.Len(), len(e.Bytes))
		}
		e.Copy(back)
		for i, v := range c.values {
			if math.Float64bits(back[i]) != math.Float64bits(v) {
				t.Errorf("%s: %v comes back as %v", name, v, back[i])
			}
		}
	}
}
