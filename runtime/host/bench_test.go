package host_test

import (
	"fmt"
	"testing"

	"ppl/compiler/backend/ir"
	"ppl/numbers"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

func bench(b *testing.B, p *ir.Program, lanes, threads, instructions int) {
	x, err := host.Device{}.Load(p, device.Options{Lanes: lanes, Threads: threads})
	if err != nil {
		b.Fatal(err)
	}
	calls := []device.Call{{Entry: "run", Times: b.N}}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := x.Run(calls, 0, nil); err != nil {
		b.Fatal(err)
	}
	if instructions > 0 {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*instructions), "ns/instr")
	}
}

// smallProgram returns a program like the density and gradient of a model with two coordinates: kernels of 20
// instructions over two points.
func smallProgram(kernels int) *ir.Program {
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: 2})
	var body []ir.Stmt
	for range kernels {
		k := &ir.Kernel{Extents: []int{2}}
		b := (*ir.Body)(&k.Body)
		r := b.Load(x, ir.Dense(2))
		c := b.Const(0.25)
		for range 9 {
			r = b.Do(ir.Add, b.Do(ir.Mul, r, c), c)
		}
		k.Out = []ir.Output{{Buf: x, Index: ir.Dense(2), Value: r}}
		body = append(body, k)
	}
	p.Entries = []ir.Entry{{Name: "run", Body: body}}
	return p
}

func BenchmarkSmall(b *testing.B) {
	for _, lanes := range []int{1, 4, 8, 48} {
		b.Run(fmt.Sprintf("lanes=%d", lanes), func(b *testing.B) { bench(b, smallProgram(5), lanes, 1, 100) })
	}
}

// logisticProgram returns a program for the log likelihood of a logistic regression and its gradient: two matrix
// products and one kernel.
func logisticProgram(n, d int) *ir.Program {
	p := &ir.Program{}
	values := func(size int) []float64 {
		x := make([]float64, size)
		for i := range x {
			x[i] = float64(i%17)/17 - 0.5
		}
		return x
	}
	design := p.Buffer(ir.Buffer{Name: "X", Space: ir.Shared, Size: n * d, Init: numbers.Of(values(n * d)...)})
	y := p.Buffer(ir.Buffer{Name: "y", Space: ir.Shared, Size: n, Init: numbers.Of(values(n)...)})
	beta := p.Buffer(ir.Buffer{Name: "beta", Space: ir.Lane, Size: d})
	grad := p.Buffer(ir.Buffer{Name: "grad", Space: ir.Lane, Size: d})
	logp := p.Buffer(ir.Buffer{Name: "logp", Space: ir.Lane, Size: 1})
	eta := p.Buffer(ir.Buffer{Name: "eta", Space: ir.Scratch, Size: n})
	res := p.Buffer(ir.Buffer{Name: "res", Space: ir.Scratch, Size: n})
	k := &ir.Kernel{Extents: []int{n}}
	b := (*ir.Body)(&k.Body)
	e, obs := b.Load(eta, ir.Dense(n)), b.Load(y, ir.Dense(n))
	ll := b.Do(ir.Sub, b.Do(ir.Mul, obs, e), b.Do(ir.Softplus, e))
	r := b.Do(ir.Sub, obs, b.Do(ir.Sigmoid, e))
	k.Out = []ir.Output{{Buf: logp, Index: ir.Index{Stride: []int{0}}, Value: ll, Combine: ir.Sum},
		{Buf: res, Index: ir.Dense(n), Value: r}}
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{
		&ir.MatMul{A: design, B: beta, C: eta, Batch: 1, M: n, K: d, N: 1}, k,
		&ir.MatMul{A: design, B: res, C: grad, Batch: 1, M: d, K: n, N: 1, TransA: true}}}}
	return p
}

func BenchmarkLogistic(b *testing.B) {
	for _, lanes := range []int{1, 4, 8} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("lanes=%d/threads=%d", lanes, threads), func(b *testing.B) {
				bench(b, logisticProgram(10000, 20), lanes, threads, 0)
			})
		}
	}
}

// loopProgram returns a program that applies one op at n points.
func loopProgram(op ir.Op, n int) *ir.Program {
	p := &ir.Program{}
	x := p.Buffer(ir.Buffer{Name: "x", Space: ir.Lane, Size: n})
	y := p.Buffer(ir.Buffer{Name: "y", Space: ir.Lane, Size: n})
	k := &ir.Kernel{Extents: []int{n}}
	b := (*ir.Body)(&k.Body)
	var r ir.Reg
	if op == ir.Normal || op == ir.Uniform {
		r = b.Noise(op, 1)
	} else {
		l := b.Do(ir.Add, b.Load(x, ir.Dense(n)), b.Const(1.25))
		r = b.Do(op, []ir.Reg{l, l, l}[:op.Arity()]...)
	}
	k.Out = []ir.Output{{Buf: y, Index: ir.Dense(n), Value: r}}
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{k}}}
	return p
}

func BenchmarkOps(b *testing.B) {
	for _, op := range []ir.Op{ir.Add, ir.Div, ir.Exp, ir.Log, ir.Log1p, ir.Tanh, ir.Sigmoid, ir.Softplus, ir.Lgamma,
		ir.Digamma, ir.LogNormCDF,
		ir.Maximum, ir.Select, ir.MulZero, ir.Lt, ir.Pow, ir.Sin, ir.Erf, ir.Normal, ir.Uniform} {
		b.Run(op.String(), func(b *testing.B) {
			bench(b, loopProgram(op, 64), 8, 1, 512)
		})
	}
}
