//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"fmt"
	"math"
	"testing"

	"ppl/compiler/ir"
	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
)

// TestProducts: A and B plain or transposed, one for all batches or each its own, shared by lanes or not, in sizes with whole tiles and
// without; all in one program, against the suite's reference.
func TestProducts(t *testing.T) {
	d := open(t)
	p := &ir.Program{Entries: []ir.Entry{{Name: "run"}}}
	for bits := range 64 {
		addProduct(p, bits, [4]int{2, 5, 3, 7})
	}
	for _, bits := range []int{0, 1, 2, 16, 17, 32, 48} {
		addProduct(p, bits, [4]int{1, 8, 4, 1})
		addProduct(p, bits, [4]int{1, 1, 2500, 4})
		addProduct(p, bits, [4]int{1, 3, 0, 2})
	}
	const lanes = 3
	want, got := products(t, devicetest.Reference{}, p, lanes), products(t, d, p, lanes)
	for name := range want {
		for i := range want[name] {
			if g, w := got[name][i], want[name][i]; math.Abs(g-w) > 1e-11 { // 2,500 terms up to 1
				t.Fatalf("%s[%d]: got %v, want %v", name, i, g, w)
			}
		}
	}
}

// addProduct adds a product of batch × m × k × n; bits choose what it is of.
func addProduct(p *ir.Program, bits int, size [4]int) {
	bit := func(i int) bool { return bits>>i&1 == 1 }
	m := &ir.MatMul{Batch: size[0], M: size[1], K: size[2], N: size[3], TransA: bit(0), TransB: bit(1), SharedA: bit(2), SharedB: bit(3)}
	buffer := func(kind string, shared bool, batches, n int) ir.BufID {
		b := ir.Buffer{Name: fmt.Sprint(kind, len(p.Buffers)), Space: ir.Lane, Size: batches * n}
		if shared {
			b.Space, b.Init = ir.Shared, wave(b.Size, len(p.Buffers))
		}
		return p.Buffer(b)
	}
	batches := map[bool]int{true: 1, false: m.Batch}
	m.A = buffer("a", bit(4), batches[m.SharedA], m.M*m.K)
	m.B = buffer("b", bit(5), batches[m.SharedB], m.K*m.N)
	m.C = buffer("c", false, m.Batch, m.M*m.N)
	p.Entries[0].Body = append(p.Entries[0].Body, m)
}

// wave is n numbers without pattern to a matrix product.
func wave(n, seed int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i*i + seed))
	}
	return x
}

// products is all lane buffers after a run.
func products(t *testing.T, d device.Device, p *ir.Program, lanes int) map[string][]float64 {
	x, err := d.Load(p, device.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	state := map[string][]float64{}
	for i, b := range p.Buffers {
		if b.Space == ir.Lane {
			state[b.Name] = wave(b.Size*lanes, i)
			x.Set(b.Name, state[b.Name])
		}
	}
	if _, err := x.Run([]device.Call{{Entry: "run", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	for name := range state {
		x.Get(name, state[name])
	}
	return state
}
