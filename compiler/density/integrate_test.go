package density_test

import (
	"math"
	"testing"

	"ppl/compiler/compilertest"
)

// TestIntegrals compares integrals and their derivatives with respect to a parameter with closed forms.
func TestIntegrals(t *testing.T) {
	t.Parallel()
	erf := func(a, b float64) float64 { return math.Sqrt(math.Pi) / 2 * (math.Erf(b) - math.Erf(a)) }
	for _, c := range []struct {
		name, function, integral string
		want, slope              func(a float64) float64
	}{
		{"between numbers", "f(x) = exp(-a * x)", "integrate(f, 1, 3)",
			func(a float64) float64 { return (math.Exp(-a) - math.Exp(-3*a)) / a },
			func(a float64) float64 {
				return -(math.Exp(-a)-math.Exp(-3*a))/(a*a) + (3*math.Exp(-3*a)-math.Exp(-a))/a
			}},
		{"an end that is a parameter", "f(x) = exp(-x^2)", "integrate(f, 0.5, a)",
			func(a float64) float64 { return erf(0.5, a) }, func(a float64) float64 { return math.Exp(-a * a) }},
		{"the other way", "f(x) = exp(-x^2)", "integrate(f, a, 0.5)",
			func(a float64) float64 { return erf(a, 0.5) }, func(a float64) float64 { return -math.Exp(-a * a) }},
		{"up to infinity", "f(x) = exp(-x / 1000)", "integrate(f, a, inf)",
			func(a float64) float64 { return 1000 * math.Exp(-a/1000) },
			func(a float64) float64 { return -math.Exp(-a / 1000) }},
		{"from infinity", "f(x) = exp(1000 * x)", "integrate(f, -inf, -a)",
			func(a float64) float64 { return math.Exp(-1000*a) / 1000 },
			func(a float64) float64 { return -math.Exp(-1000 * a) }},
		{"the whole line", "f(x) = 1 / (1 + (x / a)^2)", "integrate(f, -inf, inf)",
			func(a float64) float64 { return math.Pi * a }, func(a float64) float64 { return math.Pi }},
		{"arguments after the ends", "f(x, n, b) = b * x^n", "integrate(f, 0, 2, 3, a)",
			func(a float64) float64 { return 4 * a }, func(a float64) float64 { return 4 }},
		{"waves", "f(x) = sin(a * x)^2", "integrate(f, 0, 10)",
			func(a float64) float64 { return 5 - math.Sin(20*a)/(4*a) },
			func(a float64) float64 { return math.Sin(20*a)/(4*a*a) - 5*math.Cos(20*a)/a }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, "data y = 0\na ~ Flat\n"+c.function+"\ny ~ Density("+c.integral+")\n")
			for _, a := range []float64{0.3, 1.1, 2} {
				_, got, slope := compilertest.Density(p, []float64{a})
				want, tangent := c.want(a), c.slope(a)
				if !compilertest.Within(got, want, 1e-9*(math.Abs(want)+1e-3)) {
					t.Errorf("at %v: %v, in closed form %v", a, got, want)
				}
				if !compilertest.Within(slope[0], tangent, 1e-8*(math.Abs(tangent)+1e-3)) {
					t.Errorf("at %v: derivative %v, in closed form %v", a, slope[0], tangent)
				}
			}
		})
	}
}
