package numbers

import (
	"math"
	"testing"
)

// A builder's list has the numbers that were added. It is stored as bytes if all are bytes. A short list settles as
// float64s.
func TestBuilder(t *testing.T) {
	for _, room := range []int{0, 1, 300} {
		for _, last := range []float64{7, -1, 256, 0.5, math.Copysign(0, -1), math.NaN(), math.Inf(1)} {
			var b Builder
			b.Grow(room)
			want := []float64{}
			for _, v := range append([]float64{0, 17, 255}, last, 3) {
				b.Add(v)
				want = append(want, v)
			}
			l := b.List()
			if (l.Bytes() != nil) != (last == 7) || !l.Equal(Of(want...)) ||
				math.Signbit(l.At(3)) != math.Signbit(last) {
				t.Errorf("room for %d: %v are kept as %v", room, want, l)
			}
			if s := l.Settled(); s.Bytes() != nil || !s.Equal(l) {
				t.Errorf("%v settle as %v", l, s)
			}
			if l := b.List(); l.Len() != 0 || l.None() {
				t.Errorf("the builder still has %v", l)
			}
		}
	}
	if l := Packed(long()); l.Settled().Bytes() == nil {
		t.Error("many bytes settle as float64s")
	}
}
