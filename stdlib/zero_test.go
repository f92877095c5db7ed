package stdlib

import (
	"math"
	"testing"

	ad "ppl/autodiff"
)

// The formulas for P(X = 0) agree in value and gradient with the integrals of the cumulative functions, which are used
// for values that are not constant.
func TestShortFormulasAtZero(t *testing.T) {
	forms := 0
	for _, d := range Dists() {
		for _, f := range d.Forms {
			if f.zero == nil {
				continue
			}
			forms++
			g := ad.New()
			args, at := make([]Node, len(f.Args)), map[string][]float64{"x": {0}}
			for k, a := range f.Args {
				args[k], at[a.Name] = g.Input(a.Name), []float64{[]float64{0.7, 0.4, 0.2}[k]}
				if a.Name == "n" {
					at[a.Name] = []float64{5}
				}
			}
			for tail, cdf := range []density{f.LogCDF, f.LogCCDF} {
				var out []Node
				for _, y := range []Node{cdf(g.Const(0), args), cdf(g.Input("x"), args)} {
					out = append(append(out, y), ad.Grad(y, args...)...)
				}
				v, n := ad.Eval(at, out...), len(out)/2
				for i := range n {
					if got, want := v[i][0], v[n+i][0]; !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) &&
						!(i > 0 && f.Args[i-1].Name == "n") {
						t.Errorf("%s%v, tail %d, part %d: %g, by the integral %g", d.Name, names(f.Args), tail, i,
							got, want)
					}
				}
			}
		}
	}
	if forms < 9 {
		t.Errorf("%d forms have a short formula", forms)
	}
}

func names(args []Arg) (out []string) {
	for _, a := range args {
		out = append(out, a.Name)
	}
	return out
}
