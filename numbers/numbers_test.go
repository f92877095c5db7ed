package numbers

import (
	"math"
	"slices"
	"testing"
)

// long returns many integers from 0 to 255.
func long() []float64 {
	x := make([]float64, Many)
	for i := range x {
		x[i] = float64(i % 256)
	}
	return x
}

// Only long lists of integers from 0 to 255 are stored as bytes: one other value at any position prevents it.
func TestPacked(t *testing.T) {
	if l := Packed(long()); l.Bytes() == nil || !l.AreBytes() || !l.Finite() || l.Missing() {
		t.Error("bytes are not kept as bytes")
	}
	if l := Packed(long()[1:]); l.Bytes() != nil || !l.AreBytes() {
		t.Error("few numbers are packed")
	}
	for _, v := range []float64{-1, 256, 0.5, math.Copysign(0, -1), math.NaN(), math.Inf(1)} {
		for _, at := range []int{0, Many / 2, Many - 1} {
			x := long()
			x[at] = v
			l := Packed(x)
			if l.Bytes() != nil || l.AreBytes() || math.Float64bits(l.At(at)) != math.Float64bits(v) {
				t.Errorf("%v at %d is packed", v, at)
			}
			if l.Missing() != math.IsNaN(v) || l.Finite() != (v-v == 0) {
				t.Errorf("%v: missing %v, finite %v", v, l.Missing(), l.Finite())
			}
		}
	}
}

// A list has the same numbers, however it is stored.
func TestSameNumbers(t *testing.T) {
	x := long()
	kept, packed := Of(x...), Packed(x)
	for name, l := range map[string]List{"as float64s": kept, "as bytes": packed, "a part": packed.Part(0, Many)} {
		if l.Len() != len(x) || !slices.Equal(l.Doubles(), x) || !l.Equal(kept) || l.At(300) != x[300] {
			t.Errorf("%s: other numbers", name)
		}
		for i, v := range l.All() {
			if v != x[i] {
				t.Fatalf("%s: %d is %v, want %v", name, i, v, x[i])
			}
		}
		if got := l.Part(7, 300).Doubles(); !slices.Equal(got, x[7:300]) {
			t.Errorf("%s: the part is %v", name, got)
		}
		if got := l.Map(func(v float64) float64 { return v / 2 }); got.At(255) != 127.5 || got.Bytes() != nil {
			t.Errorf("%s: halves have %v", name, got.At(255))
		}
	}
	if kept.Equal(Packed(append(x[:Many-1:Many-1], 7))) {
		t.Error("other numbers are equal")
	}
	if n := math.NaN(); !Of(1, n).Equal(Of(1, n)) || Of(1, n).Equal(Of(1, 2)) || Of(1).Equal(Of(1, 2)) {
		t.Error("missing numbers are compared wrongly")
	}
}

// Callers that need the float64s of a list of bytes at the same time share them, and copies of a list have its address.
func TestShared(t *testing.T) {
	l := Packed(long())
	a, b := l.Doubles(), l.Doubles()
	if &a[0] != &b[0] {
		t.Error("two copies")
	}
	if m := l; m.Start() != l.Start() || Packed(long()).Start() == l.Start() {
		t.Error("lists are told apart wrongly")
	}
}

// None is false for an empty list and true for the zero List.
func TestNone(t *testing.T) {
	for name, l := range map[string]List{"of numbers": Of([]float64{}...), "of bytes": OfBytes(nil)} {
		if l.None() || l.Len() != 0 {
			t.Errorf("%s: none", name)
		}
	}
	if !(List{}).None() || !Of().None() {
		t.Error("no list is one")
	}
}
