package ir_test

import (
	"math"
	"slices"
	"testing"

	. "ppl/compiler/backend/ir"
	"ppl/numbers"
)

// TestBytes checks that large data are stored as bytes if all are integers from 0 to 255 and no product reads them.
func TestBytes(t *testing.T) {
	pixels := func(change float64) []float64 {
		x := make([]float64, 1<<16)
		for i := range x {
			x[i] = float64(i % 256)
		}
		x[777] = change
		return x
	}
	p := &Program{Layout: Apart}
	for _, v := range []float64{255, 256, -1, 0.5, math.Copysign(0, -1), math.NaN(), math.Inf(1)} {
		p.Buffer(Buffer{Space: Shared, Size: 1 << 16, Init: numbers.Of(pixels(v)...)})
	}
	operand := p.Buffer(Buffer{Space: Shared, Size: 1 << 16, Init: numbers.Of(pixels(1)...)})
	p.Buffer(Buffer{Space: Shared, Size: 3, Init: numbers.Of(1, 2, 3)})
	p.Buffer(Buffer{Space: Lane, Size: 1 << 16})
	p.Entries = []Entry{{Body: []Stmt{&Loop{N: 1, Body: []Stmt{&MatMul{A: operand, B: operand, C: 9}}}}}}
	want := make([]bool, len(p.Buffers))
	want[0] = true
	if got := p.Bytes(); !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	p.Layout = Interleaved
	if slices.Contains(p.Bytes(), true) {
		t.Error("lanes are not apart")
	}
}
