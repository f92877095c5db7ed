//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"math"
	"testing"

	"ppl/compiler/ir"
	"ppl/compiler/render"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
)

// largeProducts are of all transposes with either operand shared, large enough for the library, with batches and by
// tiles of rows.
func largeProducts() *ir.Program {
	p := &ir.Program{}
	wave := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Sin(float64(i*i + 1))
		}
		return x
	}
	buffer := func(name string, shared bool, n int) ir.BufID {
		if shared {
			return p.Buffer(ir.Buffer{Name: name, Space: ir.Shared, Size: n, Init: wave(n)})
		}
		return p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Size: n})
	}
	var body []ir.Stmt
	for bits := range 16 {
		m := &ir.MatMul{Batch: 2, M: 66, K: 67, N: 65, TransA: bits&1 == 1, TransB: bits&2 == 2, SharedA: bits&4 == 4}
		left := bits&8 == 8 // the left one is data
		if m.A = buffer(fmt.Sprint("a", bits), left, m.M*m.K*2); m.SharedA {
			p.Buffers[m.A].Size /= 2
			p.Buffers[m.A].Init = p.Buffers[m.A].Init[:min(len(p.Buffers[m.A].Init), p.Buffers[m.A].Size)]
		}
		if !left {
			p.Buffers[m.A].Init = nil
		}
		m.B, m.C = buffer(fmt.Sprint("b", bits), !left, 2*m.K*m.N), buffer(fmt.Sprint("c", bits), false, 2*m.M*m.N)
		body = append(body, m)
	}
	x, w := buffer("x", true, 1000*64), buffer("w", false, 64*30)
	out, back := buffer("out", false, 1000*30), buffer("back", false, 64*30)
	left := p.Buffer(ir.Buffer{Space: ir.Tile, Size: 64 * 30})
	at, row := ir.Part{Step: 300 * 64}, ir.Part{Step: 300 * 30}
	body = append(body, &ir.Tiles{Rows: 1000, Size: 300, Body: []ir.Stmt{
		&ir.MatMul{A: x, B: w, C: out, Batch: 1, M: 300, K: 64, N: 30, PartA: at, PartC: row, Rows: ir.DimM},
		&ir.MatMul{A: x, B: out, C: left, Batch: 1, M: 64, K: 300, N: 30, TransA: true, PartA: at, PartB: row,
			Rows: ir.DimK},
	}, Out: []ir.TileOut{{From: left, To: back, Combine: ir.Sum}}})
	p.Entries = []ir.Entry{{Name: "run", Body: body}}
	return p
}

// withGemm is the device with and without the library.
func withGemm(t *testing.T, gemm gemms) device.Device {
	d, err := New()
	if err != nil {
		t.Skip(err)
	}
	d.(*nativeDevice).gemm = func() gemms { return gemm }
	return d
}

// TestGemm: the library's products are those of the reference; so are those of a device without it, which says what is
// missing.
func TestGemm(t *testing.T) {
	p := largeProducts()
	if !render.WantsGemm(p) {
		t.Fatal("these products are for the library")
	}
	o := device.Options{Lanes: 2, Threads: 2}
	without := withGemm(t, gemms{})
	devicetest.Agree(t, without, devicetest.Reference{}, p, o, 1e-12)
	if without.(device.Adviser).Advice() == "" {
		t.Error("no word of the missing library")
	}
	gemm := openGemm()
	if gemm == (gemms{}) {
		t.Skip("no OpenBLAS here")
	}
	o.Lanes = 3
	with := withGemm(t, gemm)
	devicetest.Agree(t, with, devicetest.Reference{}, p, o, 1e-12)
	if s := with.(device.Adviser).Advice(); s != "" {
		t.Error(s)
	}
	devicetest.Invariant(t, with, p)
}
