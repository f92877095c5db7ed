package ode

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	ad "ppl/autodiff"
)

// One step of size h for a nonlinear system that depends on t, y′ = (y₂ − t y₁², cos t − y₁ y₂), has an error of
// O(h^(order+1)) and an error estimate of O(h^order). If h is halved, they fall by 2^(order+1) and 2^order. The
// reference solution has steps of a hundredth of h.
func TestOrders(t *testing.T) {
	rhs := vector(func(t Node, y, _ []Node) []Node {
		return []Node{ad.Sub(y[1], ad.Mul(t, ad.Mul(y[0], y[0]))), ad.Sub(ad.Cos(t), ad.Mul(y[0], y[1]))}
	})
	orders := map[string]float64{"rk45": 5, "bdf": 4}
	for _, m := range methods() {
		g := ad.New()
		at, y, h := g.Input("t"), g.Input("y", 2), g.Input("h")
		next, estimate := m.step(func(t, y Node) Node { return rhs(t, y, []Node{y}) }, at, y, h)
		step := func(t float64, y []float64, h float64) (to, e []float64) {
			v := ad.Eval(map[string][]float64{"t": {t}, "y": y, "h": {h}}, next, estimate)
			return v[0], v[1]
		}
		var errors, estimates []float64
		for _, h := range []float64{.06, .03} {
			once, e := step(.3, []float64{.8, -.4}, h)
			ref := []float64{.8, -.4}
			for k := range 100 {
				ref, _ = step(.3+h*float64(k)/100, ref, h/100)
			}
			errors = append(errors, math.Hypot(once[0]-ref[0], once[1]-ref[1]))
			estimates = append(estimates, math.Hypot(e[0], e[1]))
		}
		order, estimated := math.Log2(errors[0]/errors[1])-1, math.Log2(estimates[0]/estimates[1])
		if math.Abs(order-orders[m.name]) > .35 || math.Abs(estimated-m.order) > .35 {
			t.Errorf("%s: order %.2f, of the estimate %.2f (errors %v, estimates %v)", m.name, order, estimated,
				errors, estimates)
		}
	}
}

// An L-stable method damps a fast decay in one step: y′ = −λ(y − cos t) from a distant y0, with h λ = 1e7.
func TestStiffStepForgets(t *testing.T) {
	g := ad.New()
	f := func(t, y Node) Node { return scale(-1e8, ad.Sub(y, one(ad.Cos(t)))) }
	to, _ := rodas(f, g.Const(0), g.Input("y", 1), g.Const(.1))
	if got := ad.Eval(map[string][]float64{"y": {5}}, to)[0][0]; math.Abs(got-math.Cos(.1)) > 1e-5 {
		t.Errorf("y = %v", got)
	}
}

// Solutions and derivatives of x = W⁻¹b agree with gonum's LU: ∂(cᵀx)/∂b = W⁻ᵀc and ∂(cᵀx)/∂W = −(W⁻ᵀc)xᵀ. Rows are
// badly scaled and the diagonal starts with 0. The tolerance is a multiple of 1e-16 times the condition number of the
// matrix.
func TestLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	for n := 1; n <= 6; n++ {
		for range 20 {
			values := make([]float64, n*n)
			for i := range values {
				values[i] = r.NormFloat64() * math.Exp(6*r.NormFloat64())
			}
			if n > 1 {
				values[0] = 0
			}
			w, b, c := mat.NewDense(n, n, values), randomVector(r, n), randomVector(r, n)
			var x, z mat.VecDense
			if x.SolveVec(w, b) != nil || z.SolveVec(w.T(), c) != nil || mat.Cond(w, 2) > 1e10 {
				continue
			}
			g := ad.New()
			wn, bn := g.Input("w", n, n), g.Input("b", n)
			xn := linear(wn)(bn)
			d := ad.Grad(ad.SumAll(ad.Mul(xn, g.Data("c", c.RawVector().Data, n))), wn, bn)
			v := ad.Eval(map[string][]float64{"w": values, "b": b.RawVector().Data}, xn, d[0], d[1])
			var outer mat.Dense
			outer.Outer(-1, &z, &x)
			for k, want := range [][]float64{x.RawVector().Data, outer.RawMatrix().Data, z.RawVector().Data} {
				if e := distance(v[k], want); !(e < 1e-14*mat.Cond(w, 2)+1e-13) {
					t.Errorf("n = %d, value %d: off by %.2g, condition %.2g\n got %v\nwant %v", n, k, e, mat.Cond(w, 2),
						v[k], want)
				}
			}
		}
	}
}

func randomVector(r *rand.Rand, n int) *mat.VecDense {
	v := mat.NewVecDense(n, nil)
	for i := range n {
		v.SetVec(i, r.NormFloat64())
	}
	return v
}

// distance returns |got − want| / |want|.
func distance(got, want []float64) float64 {
	var d, norm float64
	for i := range want {
		d, norm = d+(got[i]-want[i])*(got[i]-want[i]), norm+want[i]*want[i]
	}
	return math.Sqrt(d / norm)
}
