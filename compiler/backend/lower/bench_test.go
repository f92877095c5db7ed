package lower_test

import (
	"math"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/lower"
	"ppl/runtime/device"
	"ppl/runtime/host"
)

// BenchmarkLeapfrog times one leapfrog step of eight lanes on the host.
func BenchmarkLeapfrog(b *testing.B) {
	for _, d := range append(densities(), density{"logistic 10000", 21, logistic(10000, 20)}) {
		b.Run(d.name, func(b *testing.B) {
			p, err := lower.Program([]lower.Entry{leapfrog(d)})
			if err != nil {
				b.Fatal(err)
			}
			x, err := host.Device{}.Load(p, device.Options{Lanes: 8, Threads: 1})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := x.Run([]device.Call{{Entry: "leapfrog", Times: 1}}, 0, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// volatility returns the density of a noncentered stochastic volatility model: Kim, Shephard, Chib, Rev. Econ. Stud. 65
// (1998).
func volatility(n int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		y := g.Data("y", series(n, func(i float64) float64 { return math.Sin(i*i) / 2 }), n)
		mu, phi, s, z := scalarAt(theta, 0), ad.Tanh(scalarAt(theta, 1)), ad.Exp(scalarAt(theta, 2)), part(theta, 3, n)
		rows := ad.Scan(mu, []ad.Node{z}, []ad.Node{mu, phi, s}, false, func(h ad.Node, z, s []ad.Node) ad.Node {
			return ad.Add(ad.Add(s[0], ad.Mul(s[2], z[0])), ad.Mul(s[1], ad.Sub(h, s[0])))
		})
		h := ad.Slice(rows, []int{1}, []int{n + 1})
		lp := ad.SumAll(normal(y, g.Const(0), ad.Exp(ad.Mul(g.Const(.5), h))))
		return ad.Add(lp, ad.SumAll(normal(theta, g.Const(0), g.Const(1))))
	}
}

// garchDensity returns the density of returns with the variance that garch computes.
func garchDensity(n int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		y := g.Data("y", series(n, func(i float64) float64 { return math.Sin(i*i) / 2 }), n)
		e := ad.Exp(theta)
		rows := ad.Scan(scalarAt(e, 0), []ad.Node{y}, []ad.Node{scalarAt(theta, 1), scalarAt(e, 2), scalarAt(e, 3),
			scalarAt(e, 4)}, false,
			func(h ad.Node, y, s []ad.Node) ad.Node {
				return ad.Sqrt(ad.Add(ad.Add(s[1], ad.Mul(s[2], sq(ad.Sub(y[0], s[0])))), ad.Mul(s[3], sq(h))))
			})
		lp := ad.SumAll(normal(y, scalarAt(theta, 1), ad.Slice(rows, []int{0}, []int{n})))
		return ad.Add(lp, ad.SumAll(normal(theta, g.Const(0), g.Const(1))))
	}
}

// hmmDensity sums out two hidden states.
func hmmDensity(n int) func(g *ad.Graph, theta ad.Node) ad.Node {
	return func(g *ad.Graph, theta ad.Node) ad.Node {
		y := g.Data("y", series(n, func(i float64) float64 { return math.Sin(i * i) }), n)
		wide := []int{n, 2}
		emit := normal(ad.Broadcast(y, wide, []int{0}), ad.Broadcast(part(theta, 0, 2), wide, []int{1}), g.Const(1))
		move := ad.Reshape(part(theta, 2, 4), 2, 2)
		move = ad.Sub(move, ad.Broadcast(ad.LogSumExp(move, 1), []int{2, 2}, []int{0}))
		rows := ad.Scan(g.Full(0, 2), []ad.Node{emit}, []ad.Node{move}, false, func(c ad.Node, x, s []ad.Node) ad.Node {
			return ad.Add(x[0], ad.LogSumExp(ad.Add(ad.Broadcast(c, []int{2, 2}, []int{0}), s[0]), 0))
		})
		return ad.LogSumExp(ad.Slice(rows, []int{n, 0}, []int{n + 1, 2}), 0, 1)
	}
}

// BenchmarkScan times a density and its gradient over 1,000 steps and eight lanes, in nanoseconds per step.
func BenchmarkScan(b *testing.B) {
	const n = 1000
	for _, d := range []density{{"volatility", n + 3, volatility(n)}, {"garch", 5, garchDensity(n)},
		{"hidden states", 6, hmmDensity(n)}} {
		b.Run(d.name, func(b *testing.B) {
			g := ad.New()
			theta := g.Input("theta", d.dim)
			lp := d.logp(g, theta)
			p := program(b,
				lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "lp", Value: lp},
					{Name: "grad", Value: ad.Grad(lp, theta)[0]}}})
			x := load(b, p, 8)
			for b.Loop() {
				run(b, x, "f")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/step")
		})
	}
}
