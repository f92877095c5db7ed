//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package bench

import (
	"math"
	"testing"
	"time"

	"github.com/ebitengine/purego"

	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/render"
	"ppl/numbers"
	"ppl/runtime/device"
)

// A gemm is cblas_sgemm of OpenBLAS on one thread.
type gemm func(order, transA, transB, m, n, k int32, alpha float32, a *float32, la int32, b *float32, lb int32,
	beta float32, c *float32, lc int32)

// openGemm loads OpenBLAS, or returns nil if it is not installed. Set OPENBLAS_NUM_THREADS=1. For a processor with
// AVX-512 that OpenBLAS before 0.3.26 does not recognise, also set OPENBLAS_CORETYPE=SkylakeX.
func openGemm() (g gemm) {
	for _, name := range []string{"libopenblas.so.0", "libopenblas.dylib"} {
		if handle, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL); err == nil {
			purego.RegisterLibFunc(&g, handle, "cblas_sgemm")
			return g
		}
	}
	return nil
}

// largest returns the number of elements of the largest operand or result.
func (n Network) largest() (size int) {
	for _, p := range n.Products {
		size = max(size, p.M*p.N, p.M*p.K, p.K*p.N)
	}
	return size
}

// program returns a program with only the matrix products of a step of one lane.
func (n Network) program() *ir.Program {
	p := &ir.Program{Layout: ir.Apart}
	values := make([]float64, n.largest())
	for i := range values {
		values[i] = math.Sin(float64(i))
	}
	operand := func() ir.BufID { // with values, because memory that was never written is mapped to one page of zeros
		return p.Buffer(ir.Buffer{Space: ir.Shared, Type: ir.F32, Size: len(values), Init: numbers.Of(values...)})
	}
	a, b, c := operand(), operand(), p.Buffer(ir.Buffer{Space: ir.Scratch, Type: ir.F32, Size: len(values)})
	var body []ir.Stmt
	for _, q := range n.Products {
		product := &ir.MatMul{A: a, B: b, C: c, Batch: 1, M: q.M, K: q.K, N: q.N, TransA: q.TransA, TransB: q.TransB}
		body = append(body, &ir.Loop{N: q.Times, Body: []ir.Stmt{product}})
	}
	p.Entries = []ir.Entry{{Name: "products", Body: body}}
	return p
}

// products returns a function that computes the products of a step of all lanes by OpenBLAS.
func (n Network) products(g gemm) func(times int) {
	var m [3][]float32
	for k := range m {
		m[k] = make([]float32, n.largest())
		for i := range m[k] {
			m[k][i] = float32(math.Sin(float64(i + k)))
		}
	}
	trans := func(t bool, rows, cols int) (which, stride int32) {
		if t {
			return 112, int32(rows)
		}
		return 111, int32(cols)
	}
	return func(times int) {
		for range times * n.Lanes {
			for _, p := range n.Products {
				ta, la := trans(p.TransA, p.M, p.K)
				tb, lb := trans(p.TransB, p.K, p.N)
				for range p.Times {
					g(101, ta, tb, int32(p.M), int32(p.N), int32(p.K), 1, &m[0][0], la, &m[1][0], lb, 0, &m[2][0],
						int32(p.N))
				}
			}
		}
	}
}

// BenchmarkNetworks times a step of SGNHT, and its matrix products alone, by ppl and, if it is installed, by OpenBLAS,
// on one thread. It also reports the time of the C compiler and the size of all buffers in megabytes.
func BenchmarkNetworks(b *testing.B) {
	for _, n := range Networks() {
		b.Run(n.Name, func(b *testing.B) {
			d := nativeDevice(b)
			target, err := n.Load()
			if err != nil {
				b.Fatal(err)
			}
			p, err := NetworkStep(target)
			if err != nil {
				b.Fatal(err)
			}
			b.Logf("%d bytes of C", len(render.C(p)))
			began := time.Now()
			x, err := d.Load(p, device.Options{Lanes: n.Lanes, Threads: 1, Seed: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer x.Close()
			loading := time.Since(began).Seconds()
			n.Start(x, target)
			alone, err := d.Load(n.program(), device.Options{Lanes: n.Lanes, Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			defer alone.Close()
			sides := []side{{"step", runEntry(b, x, "step")}, {"products", runEntry(b, alone, "products")}}
			pairs := [][2]string{{"step", "products"}}
			if g := openGemm(); g != nil {
				sides = append(sides, side{"openblas", n.products(g)})
				pairs = append(pairs, [2]string{"step", "openblas"})
			}
			race(b, 20*time.Millisecond, pairs, sides...)
			b.ReportMetric(loading, "s/load")
		})
	}
}
