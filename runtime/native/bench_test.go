//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/lang/types"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// BenchmarkStep times one leapfrog step of hmc, including density and gradient, on eight lanes and one thread.
func BenchmarkStep(b *testing.B) {
	targets := map[string]infer.Target{"logistic10000x20": logistic{10000, 20}}
	for _, name := range []string{"five_modes", "eight_schools", "radon", "galaxies"} {
		p, ds := compiler.Load(compiler.Request{Path: "../../examples/" + name + ".ppl"})
		if p == nil {
			b.Fatal(ds)
		}
		targets[name] = p
	}
	for name, target := range targets {
		program := stepProgram(b, target)
		b.Run(name+"/native", func(b *testing.B) { benchStep(b, open(b), target, program) })
		b.Run(name+"/host", func(b *testing.B) { benchStep(b, host.Device{}, target, program) })
	}
}

// BenchmarkRows times this step on 100,000 rows of 20 columns, by lanes and threads.
func BenchmarkRows(b *testing.B) {
	target := logistic{100_000, 20}
	program := stepProgram(b, target)
	for _, lanes := range []int{8, 28} {
		for _, threads := range []int{1, 2, 4, 8, 16} {
			if threads <= runtime.NumCPU() {
				b.Run(fmt.Sprintf("lanes=%d/threads=%d", lanes, threads), func(b *testing.B) {
					benchLanes(b, open(b), target, program, lanes, threads)
				})
			}
		}
	}
}

func stepProgram(t testing.TB, target infer.Target) *ir.Program {
	s := dynamics.System{Target: target, Metric: adapt.Diagonal(target.Dim())}
	p, err := lower.Program(dynamics.Program(dynamics.HMC{}, s))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func benchStep(b *testing.B, d device.Device, target infer.Target, p *ir.Program) {
	benchLanes(b, d, target, p, 8, 1)
}

func benchLanes(b *testing.B, d device.Device, target infer.Target, p *ir.Program, lanes, threads int) {
	x, err := d.Load(p, device.Options{Lanes: lanes, Threads: threads})
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	dynamics.ShareMetric(x, adapt.Diagonal(target.Dim()))
	for l := range lanes {
		x.SetLane(dynamics.Theta, l, target.Start(1, l))
		x.SetLane(dynamics.StepSize, l, []float64{1e-3})
		x.SetLane(dynamics.Cool, l, []float64{1})
	}
	calls := []device.Call{{Entry: "start", Times: 1}, {Entry: "begin", Times: 1}, {Entry: "step", Times: b.N}}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := x.Run(calls, 0, nil); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCompile times the compilation of a program and the loading of its library, without a cache.
func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{"five_modes", "eight_schools", "radon"} {
		p, ds := compiler.Load(compiler.Request{Path: "../../examples/" + name + ".ppl"})
		if p == nil {
			b.Fatal(ds)
		}
		program := stepProgram(b, p)
		b.Run(name, func(b *testing.B) {
			b.Setenv("XDG_CACHE_HOME", "")
			b.Setenv("HOME", "") // nowhere to keep libraries
			d := open(b)
			for b.Loop() {
				x, err := d.Load(program, device.Options{Lanes: 1})
				if err != nil {
					b.Fatal(err)
				}
				x.Close()
			}
		})
	}
}

// logistic is a logistic regression on n artificial rows of d columns.
type logistic struct{ n, d int }

func (l logistic) Dim() int { return l.d }

func (l logistic) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	g := theta.Graph()
	x, y := make([]float64, l.n*l.d), make([]float64, l.n)
	for i := range x {
		x[i] = math.Sin(float64(i * i))
	}
	for i := range y {
		y[i] = float64(i % 2)
	}
	eta := autodiff.Reshape(autodiff.MatMul(g.Data("x", x, l.n, l.d), autodiff.Reshape(theta, l.d, 1), false, false),
		l.n)
	yes := autodiff.Mul(g.Data("y", y, l.n), eta)
	softplus := autodiff.Unary(autodiff.OpSoftplus, eta)
	return autodiff.Mul(g.Const(-0.5), autodiff.SumAll(autodiff.Mul(theta, theta))),
		autodiff.SumAll(autodiff.Sub(yes, softplus))
}

func (l logistic) ProperPrior() bool                        { return true }
func (l logistic) Start(seed uint64, walker int) []float64  { return make([]float64, l.d) }
func (l logistic) Saved() []types.Variable                  { return nil }
func (l logistic) Values(theta autodiff.Node) autodiff.Node { return theta }

// BenchmarkOps times an op on 64 points of eight lanes; divide by 512 for the time per number.
func BenchmarkOps(b *testing.B) {
	for _, op := range []ir.Op{ir.Exp, ir.Log, ir.Tanh, ir.Sigmoid, ir.Softplus, ir.Lgamma, ir.Digamma, ir.LogNormCDF,
		ir.NormQuantile, ir.Normal, ir.Uniform} {
		p := opProgram(op)
		for _, d := range []device.Device{open(b), host.Device{}} {
			b.Run(op.String()+"/"+d.Name(), func(b *testing.B) {
				x, err := d.Load(p, device.Options{Lanes: 8, Threads: 1})
				if err != nil {
					b.Fatal(err)
				}
				defer x.Close()
				b.ResetTimer()
				if _, err := x.Run([]device.Call{{Entry: "run", Times: b.N}}, 0, nil); err != nil {
					b.Fatal(err)
				}
			})
		}
	}
}

// opProgram returns a program that applies an op to 64 numbers: 0.1, 0.2, … or, for NormQuantile, 0.01, 0.02, ….
func opProgram(op ir.Op) *ir.Program {
	const n = 64
	p := &ir.Program{}
	out := p.Buffer(ir.Buffer{Name: "out", Space: ir.Lane, Size: n})
	in := p.Buffer(ir.Buffer{Name: "in", Space: ir.Lane, Size: n})
	var body ir.Body
	var r ir.Reg
	if op == ir.Normal || op == ir.Uniform {
		r = body.Noise(op, 1)
	} else {
		x := body.Do(ir.Mul, body.Const(0.1), body.Do(ir.Add, body.Counter(0), body.Const(1)))
		if op == ir.NormQuantile {
			x = body.Do(ir.Mul, x, body.Const(0.1))
		}
		r = body.Do(op, body.Do(ir.Add, x, body.Load(in, ir.Dense(n)))) // the input is 0
	}
	p.Entries = []ir.Entry{{Name: "run", Body: []ir.Stmt{
		&ir.Kernel{Extents: []int{n}, Body: body, Out: []ir.Output{{Buf: out, Index: ir.Dense(n), Value: r}}}}}}
	return p
}

// BenchmarkPrecision times a leapfrog step of a logistic regression in double and single precision on one thread.
func BenchmarkPrecision(b *testing.B) {
	for _, rows := range []int{10_000, 100_000} {
		for _, bits := range []int{64, 32} {
			target := infer.InPrecision(logistic{rows, 20}, bits)
			program := stepProgram(b, target)
			for _, lanes := range []int{8, 28} {
				b.Run(fmt.Sprintf("rows=%d/lanes=%d/bits=%d", rows, lanes, bits), func(b *testing.B) {
					benchLanes(b, open(b), target, program, lanes, 1)
				})
			}
		}
	}
}
