package stdlib

import (
	"math"
	"math/rand/v2"
	"testing"

	ad "ppl/autodiff"
	"ppl/lang/types"
)

// TestGradient compares the gradient in x and in every real argument with central differences: within 1e-5 of
// the derivative, and the rounding of the value over the step.
func TestGradient(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		for _, p := range c.at {
			if math.IsInf(p.logProb, 0) || math.Abs(p.logProb) > 1e5 {
				continue
			}
			for i := range c.args {
				if f.Args[i].Domain.Kind != types.IntRange {
					c.checkGradient(t, d, f, p, i)
				}
			}
			if !d.Discrete() && d.Event == 0 {
				c.checkGradient(t, d, f, p, -1)
			}
		}
	})
}

// checkGradient checks the gradient in argument i, or in x if i < 0. It skips steps that leave the domain.
func (c distCase) checkGradient(t *testing.T, d *Dist, f *Form, p point, i int) {
	t.Helper()
	g := ad.New()
	args, x := c.plated(g, f, 1, false), g.Data("x", p.x, shapeOf(len(p.x), d.Event)...)
	at := p.x
	if i < 0 {
		x = g.Input("v", x.Shape()...)
	} else {
		at = c.args[i]
		args[i] = g.Input("v", args[i].Shape()...)
	}
	v := g.Input("v", shapeOf(len(at), max(rankOf(f, i), 0))...)
	lp := f.LogProb(x, args)
	both := func(at []float64) (float64, []float64) {
		r := ad.Eval(map[string][]float64{"v": at}, lp, ad.Grad(lp, v)[0])
		return r[0][0], r[1]
	}
	value, grad := both(at)
	for k := range at {
		h := 1e-6 * math.Max(math.Abs(at[k]), 1e-4)
		up, _ := both(moved(at, k, h, rankOf(f, i)))
		down, _ := both(moved(at, k, -h, rankOf(f, i)))
		want, got := (up-down)/(2*h), moveGrad(grad, k, rankOf(f, i))
		if math.IsNaN(got) || !(math.IsNaN(want) || math.IsInf(want, 0)) &&
			math.Abs(got-want) > 1e-5*(1+math.Abs(want))+1e-14*math.Abs(value)/h {
			t.Errorf("x = %v: d log p / d %s[%d] = %.10g, difference quotient %.10g", p.x, nameOf(f, i), k+1, got, want)
		}
	}
}

func rankOf(f *Form, i int) int {
	if i < 0 {
		return 0
	}
	return f.Args[i].Rank
}

func nameOf(f *Form, i int) string {
	if i < 0 {
		return "x"
	}
	return f.Args[i].Name
}

// moved adds h to element k, and to its mirror image in a matrix: covariances stay symmetric, and only the lower
// triangle of factors is read.
func moved(v []float64, k int, h float64, rank int) []float64 {
	out := append([]float64{}, v...)
	out[k] += h
	if m := mirror(len(v), k, rank); m != k {
		out[m] += h
	}
	return out
}

func moveGrad(grad []float64, k, rank int) float64 {
	if m := mirror(len(grad), k, rank); m != k {
		return grad[k] + grad[m]
	}
	return grad[k]
}

func mirror(n, k, rank int) int {
	if rank < 2 {
		return k
	}
	d := shapeOf(n, 2)[0]
	return k%d*d + k/d
}

// TestVectorGradient compares the gradient on unconstrained coordinates with central differences within 1e-6.
func TestVectorGradient(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if d.Event == 0 || d.Discrete() {
			return
		}
		g := ad.New()
		v := g.Input("u", c.freeShape(d)...)
		lp := c.pulled(d, f, v, 1)
		at := normals(r, v.Size())
		eval := func(u []float64) [][]float64 {
			return ad.Eval(map[string][]float64{"u": u}, lp, ad.Grad(lp, v)[0])
		}
		grad := eval(at)[1]
		for k := range at {
			want := (eval(moved(at, k, 1e-5, 0))[0][0] - eval(moved(at, k, -1e-5, 0))[0][0]) / 2e-5
			if math.Abs(grad[k]-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("at %v: derivative %d is %.9g, difference quotient %.9g", at, k+1, grad[k], want)
			}
		}
	})
}
