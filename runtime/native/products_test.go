//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
)

// largeProducts returns products that are large enough to be packed: with all transposes, with either operand shared or
// none, with batches, by tiles of rows, with few rows, and with more than is packed at a time.
func largeProducts(layout ir.Layout, of ir.Type) *ir.Program {
	p := &ir.Program{Layout: layout}
	wave := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.Sin(float64(i*i + 1))
		}
		return x
	}
	buffer := func(name string, shared bool, n int) ir.BufID {
		if shared {
			return p.Buffer(ir.Buffer{Name: name, Space: ir.Shared, Type: of, Size: n, Init: numbers.Of(wave(n)...)})
		}
		return p.Buffer(ir.Buffer{Name: name, Space: ir.Lane, Type: of, Size: n})
	}
	var body []ir.Stmt
	for bits := range 16 {
		m := &ir.MatMul{Batch: 2, M: 66, K: 67, N: 65, TransA: bits&1 == 1, TransB: bits&2 == 2, SharedA: bits&4 == 4}
		left := bits&8 == 8 // the left one is data
		if m.A = buffer(fmt.Sprint("a", bits), left, m.M*m.K*2); m.SharedA {
			p.Buffers[m.A].Size /= 2
			init := p.Buffers[m.A].Init
			p.Buffers[m.A].Init = init.Part(0, min(init.Len(), p.Buffers[m.A].Size))
		}
		if !left {
			p.Buffers[m.A].Init = numbers.List{}
		}
		m.B, m.C = buffer(fmt.Sprint("b", bits), !left, 2*m.K*m.N), buffer(fmt.Sprint("c", bits), false, 2*m.M*m.N)
		body = append(body, m)
	}
	for i, size := range [][3]int{{10, 130, 70}, {130, 270, 530}, {9, 32, 1100}} {
		for bits := range 4 {
			m := &ir.MatMul{Batch: 1, M: size[0], K: size[1], N: size[2], TransA: bits&1 == 1, TransB: bits&2 == 2}
			name := fmt.Sprint(i, bits)
			m.A, m.B = buffer("left"+name, false, m.M*m.K), buffer("right"+name, i < 2, m.K*m.N)
			m.C = buffer("result"+name, false, m.M*m.N)
			body = append(body, m)
		}
	}
	x, w := buffer("x", true, 1000*64), buffer("w", false, 64*30)
	out, back := buffer("out", false, 1000*30), buffer("back", false, 64*30)
	left := p.Buffer(ir.Buffer{Space: ir.Tile, Type: of, Size: 64 * 30})
	at, row := ir.Part{Step: 300 * 64}, ir.Part{Step: 300 * 30}
	body = append(body, &ir.Tiles{Rows: 1000, Size: 300, Body: []ir.Stmt{
		&ir.MatMul{A: x, B: w, C: out, Batch: 1, M: 300, K: 64, N: 30, PartA: at, PartC: row, Rows: ir.DimM},
		&ir.MatMul{A: x, B: out, C: left, Batch: 1, M: 64, K: 300, N: 30, TransA: true, PartA: at, PartB: row,
			Rows: ir.DimK},
	}, Out: []ir.TileOut{{From: left, To: back, Combine: ir.Sum}}})
	p.Entries = []ir.Entry{{Name: "run", Body: body}}
	return p
}

// TestLargeProducts compares packed products with the reference, in both layouts and precisions, also for processors
// with shorter vectors.
func TestLargeProducts(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	cc := cmp.Or(os.Getenv("CC"), "cc")
	processors := []string{"", " -mno-avx512f", " -mno-avx"}
	if runtime.GOARCH != "amd64" || testing.Short() {
		processors = processors[:1]
	}
	for _, p := range processors {
		t.Setenv("CC", cc+p)
		d, err := New()
		if err != nil {
			t.Skip(err)
		}
		for _, layout := range []ir.Layout{ir.Interleaved, ir.Apart} {
			for of, tolerance := range map[ir.Type]float64{ir.F64: 1e-12, ir.F32: 1e-5} {
				p := largeProducts(layout, of)
				if !strings.Contains(render.C(p), " product_") {
					t.Fatal("these products are large enough to be packed")
				}
				devicetest.Agree(t, d, devicetest.Reference{}, p, device.Options{Lanes: 2, Threads: 2}, tolerance)
			}
		}
	}
}

// TestLargeProductsInvariant checks that packed products do not depend on the numbers of threads and lanes.
func TestLargeProductsInvariant(t *testing.T) {
	d, err := New()
	if err != nil {
		t.Skip(err)
	}
	devicetest.Invariant(t, d, largeProducts(ir.Apart, ir.F32))
}
