//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"testing"

	"ppl/compiler/ir"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
)

// TestDataAsBytes: data of which a byte each is kept are the same numbers, read in order, at indices that are data and
// while shared buffers are computed. They take memory of a byte each, and doubles none: those are read in place.
func TestDataAsBytes(t *testing.T) {
	const rows, wide = 700, 100
	program := func(step float64) *ir.Program {
		p := &ir.Program{Layout: ir.Apart}
		pixel, row := make([]float64, rows*wide), make([]float64, rows)
		for i := range pixel {
			pixel[i] = float64(i*i%256) * step
		}
		for i := range row {
			row[i] = float64(i * 31 % rows)
		}
		pixels := p.Buffer(ir.Buffer{Name: "pixels", Space: ir.Shared, Size: rows * wide, Init: pixel})
		order := p.Buffer(ir.Buffer{Name: "order", Space: ir.Shared, Size: rows, Init: row})
		mean := p.Buffer(ir.Buffer{Name: "mean", Space: ir.Shared, Size: wide})
		x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: wide})
		out := p.Buffer(ir.Buffer{Name: "out", Space: ir.Lane, Size: rows})
		var sum, dot ir.Body
		all := sum.Load(pixels, ir.Dense(rows, wide))
		p.Setup = []ir.Stmt{&ir.Kernel{Extents: []int{rows, wide}, Body: sum,
			Out: []ir.Output{{Buf: mean, Index: ir.Index{Stride: []int{0, 1}}, Value: all, Combine: ir.Sum}}}}
		at := dot.Load(order, ir.Index{Stride: []int{1, 0}})
		one := dot.Load(pixels, ir.Index{Stride: []int{0, 1}, Dyn: []ir.Dyn{{Reg: at, Stride: wide, Limit: rows}}})
		other := dot.Load(mean, ir.Index{Stride: []int{0, 1}})
		v := dot.Do(ir.Mul, dot.Do(ir.Sub, one, other), dot.Load(x, ir.Index{Stride: []int{0, 1}}))
		p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{&ir.Kernel{Extents: []int{rows, wide}, Body: dot,
			Out: []ir.Output{{Buf: out, Index: ir.Index{Stride: []int{1, 0}}, Value: v, Combine: ir.Sum}}}}}}
		return p
	}
	d, err := New()
	if err != nil {
		t.Skip(err)
	}
	size := map[float64]int{}
	for _, step := range []float64{1, 1.5} {
		p := program(step)
		o := device.Options{Lanes: 3, Threads: 2}
		devicetest.Agree(t, d, devicetest.Reference{}, p, o, 1e-12)
		x, err := d.Load(p, o)
		if err != nil {
			t.Fatal(err)
		}
		size[step] = len(x.(*executable).arena.all)
		x.Close()
	}
	if more := size[1] - size[1.5]; more != aligned(rows*wide) {
		t.Errorf("bytes take %d bytes more than doubles, which are read where they are", more)
	}
}
