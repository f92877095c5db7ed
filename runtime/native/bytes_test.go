//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
)

// TestDataAsBytes checks that data stored as bytes give the same results as doubles, whether they are read in order, at
// indices that are data, or while shared buffers are computed. The device copies small integers from doubles into an
// array of bytes; lists that are already bytes, and other doubles, are read in place.
func TestDataAsBytes(t *testing.T) {
	const rows, wide = 700, 100
	program := func(step float64, list func(...float64) numbers.List) *ir.Program {
		p := &ir.Program{Layout: ir.Apart}
		pixel, row := make([]float64, rows*wide), make([]float64, rows)
		for i := range pixel {
			pixel[i] = float64(i*i%256) * step
		}
		for i := range row {
			row[i] = float64(i * 31 % rows)
		}
		pixels := p.Buffer(ir.Buffer{Name: "pixels", Space: ir.Shared, Size: rows * wide, Init: list(pixel...)})
		order := p.Buffer(ir.Buffer{Name: "order", Space: ir.Shared, Size: rows, Init: numbers.Of(row...)})
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
	packed := func(x ...float64) numbers.List { return numbers.Packed(x) }
	size := map[string]int{}
	for name, p := range map[string]*ir.Program{"bytes": program(1, numbers.Of), "kept as bytes": program(1, packed),
		"doubles": program(1.5, numbers.Of)} {
		o := device.Options{Lanes: 3, Threads: 2}
		devicetest.Agree(t, d, devicetest.Reference{}, p, o, 1e-12)
		x, err := d.Load(p, o)
		if err != nil {
			t.Fatal(err)
		}
		size[name] = len(x.(*executable).arena.all)
		x.Close()
	}
	if more := size["bytes"] - size["doubles"]; more != aligned(rows*wide) || size["kept as bytes"] != size["doubles"] {
		t.Errorf("sizes are %v, but what is kept as the program reads it takes nothing", size)
	}
}
