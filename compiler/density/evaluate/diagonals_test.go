package evaluate_test

import (
	"math"
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// fieldHead and fieldTail are the statements before and after a field whose elements read the elements above and to the
// left.
const (
	fieldHead = "data y[I, J] = [[1, 2, 3, 1], [2, 1, 0, 2], [0, 1, 2, 3]]\na, b ~ Normal(0, 0.3)\ns ~ HalfNormal(1)\n"
	fieldTail = "y[i in I, j in J] ~ Normal(x[i, j], 0.5)\n"
)

// TestDiagonals checks that the form that E18 advises for such a field, diagonals instead of noncentered, is the same
// model: at the same elements the densities differ by the scales of the change of variables, and the derivatives with
// respect to the coefficients agree.
func TestDiagonals(t *testing.T) {
	t.Parallel()
	centred := compilertest.Load(t, fieldHead+"x[1, 1] ~ Normal(0, s)\nx[1, j in 2..J] ~ Normal(b * x[1, j-1], s)\n"+
		"x[i in 2..I, 1] ~ Normal(a * x[i-1, 1], s)\n"+
		"x[i in 2..I, j in 2..J] ~ Normal(a * x[i-1, j] + b * x[i, j-1], s)\n"+fieldTail)
	diagonals := compilertest.Load(t, fieldHead+"z[I, J] ~ Normal(0, 1)\nd[1, i in I] = i == 1 ? s * z[1, 1] : 0\n"+
		"d[t in 2..I+J-1, i in I] = t - i >= 0 && t - i < J ? (i > 1 ? a * d[t-1, i-1] : 0) + "+
		"(t > i ? b * d[t-1, i] : 0) + s * z[i, t-i+1] : 0\nx[i in I, j in J] = d[i+j-1, i]\n"+fieldTail)
	z := []float64{1, .5, -.2, .3, .1, .9, -1, .4, .2, -.6, .8, 1.1}
	total := func(a, b, s float64) (byDiagonals, byElements float64) {
		x := fieldOf(z, a, b, s)
		at := func(name string, values []float64) map[string]*content.Array {
			one := func(v float64) *content.Array { return &content.Array{Values: numbers.Of(v)} }
			return map[string]*content.Array{"a": one(a), "b": one(b), "s": one(s),
				name: {Shape: []int{3, 4}, Values: numbers.Of(values...)}}
		}
		d, err := diagonals.LogProb(at("z", z))
		if err != nil {
			t.Fatal(err)
		}
		c, err := centred.LogProb(at("x", x))
		if err != nil {
			t.Fatal(err)
		}
		return d.Prior + d.Likelihood, c.Prior + c.Likelihood + float64(len(z))*math.Log(s)
	}
	for _, at := range [][3]float64{{.2, -.1, .7}, {-.4, .5, 1.3}, {0, .9, .2}} {
		got, want := total(at[0], at[1], at[2])
		if !compilertest.Near(got, want, 1e-12) {
			t.Errorf("log density %v by diagonals, %v by elements", got, want)
		}
		const h = 1e-5
		up, upWant := total(at[0]+h, at[1]+h, at[2])
		if !compilertest.Near((up-got)/h, (upWant-want)/h, 1e-6) {
			t.Errorf("slope %v by diagonals, %v by elements", (up-got)/h, (upWant-want)/h)
		}
	}
}

// fieldOf returns the elements of a field, row by row, for the deviations z.
func fieldOf(z []float64, a, b, s float64) []float64 {
	x := make([]float64, len(z))
	for k := range x {
		x[k] = s * z[k]
		if k >= 4 {
			x[k] += a * x[k-4]
		}
		if k%4 > 0 {
			x[k] += b * x[k-1]
		}
	}
	return x
}

// TestFieldsAreRefused checks that the error for a field whose values would be computed advises diagonals.
func TestFieldsAreRefused(t *testing.T) {
	t.Parallel()
	for _, field := range []string{
		"x[i in I, j in J] ~ Normal((i > 1 ? a * x[i-1, j] : 0) + (j > 1 ? b * x[i, j-1] : 0), s) noncentered\n",
		"x[i in I, j in J] = (i > 1 ? a * x[i-1, j] : 0) + (j > 1 ? b * x[i, j-1] : 0) + s\n",
	} {
		if got := compilertest.Messages(t, fieldHead+field+fieldTail); !strings.Contains(got, "… d[t-1, i-1] …") {
			t.Errorf("refused with %q", got)
		}
	}
}
