package stdlib

import (
	"fmt"
	"math"
	"strings"
	"testing"

	ad "ppl/autodiff"
)

// A distCase holds reference values of one form at one setting of its arguments: "adding a distribution is adding a row
// and its test values".
type distCase struct {
	form string // "Normal(mu, sd)"
	args [][]float64
	at   []point
	cdf  []tails
	// mean and cov are of the elements of vectors and matrices; without them the sampler is not compared.
	mean, cov []float64
	// valuesOnly excludes the case from tests that integrate or draw, because much of the mass is below the least
	// positive number, or the density has details that are too fine for a quadrature rule over the whole support.
	valuesOnly bool
}

type point struct {
	x       []float64
	logProb float64
}

type tails struct{ x, logCDF, logCCDF float64 }

func formKey(d *Dist, f *Form) string {
	names := make([]string, len(f.Args))
	for i, a := range f.Args {
		names[i] = a.Name
	}
	return d.Name + "(" + strings.Join(names, ", ") + ")"
}

// find returns the distribution and the form of a case's key.
func find(t *testing.T, key string) (*Dist, *Form) {
	for _, d := range Dists() {
		for i := range d.Forms {
			if formKey(d, &d.Forms[i]) == key {
				return d, &d.Forms[i]
			}
		}
	}
	t.Fatalf("no form %s in the table", key)
	return nil, nil
}

func (c distCase) name() string { return fmt.Sprint(c.form, c.args) }

// eachCase runs a subtest for every case.
func eachCase(t *testing.T, run func(t *testing.T, c distCase, d *Dist, f *Form)) {
	for _, c := range distCases {
		t.Run(c.name(), func(t *testing.T) {
			d, f := find(t, c.form)
			run(t, c, d, f)
		})
	}
}

// shapeOf returns the shape of n numbers as a scalar, a vector or a square matrix.
func shapeOf(n, rank int) []int {
	switch rank {
	case 0:
		return nil
	case 1:
		return []int{n}
	}
	d := int(math.Round(math.Sqrt(float64(n))))
	return []int{d, d}
}

// repeat returns n copies of v, one after the other.
func repeat(v []float64, n int) []float64 {
	var out []float64
	for range n {
		out = append(out, v...)
	}
	return out
}

// plated builds the case's arguments, repeated along a plate of n elements if whole is true, and otherwise without
// plates.
func (c distCase) plated(g *ad.Graph, f *Form, n int, whole bool) []Node {
	args := make([]Node, len(c.args))
	for i, v := range c.args {
		shape := shapeOf(len(v), f.Args[i].Rank)
		if whole {
			v, shape = repeat(v, n), join([]int{n}, shape...)
		}
		args[i] = g.Data(f.Args[i].Name, v, shape...)
	}
	return args
}

// logProbs evaluates the density at xs, which form one plate.
func (c distCase) logProbs(d *Dist, f *Form, xs [][]float64, whole bool) []float64 {
	g := ad.New()
	x := g.Data("x", flatten(xs), join([]int{len(xs)}, shapeOf(len(xs[0]), d.Event)...)...)
	return ad.Eval(nil, f.LogProb(x, c.plated(g, f, len(xs), whole)))[0]
}

func flatten(xs [][]float64) []float64 {
	var out []float64
	for _, x := range xs {
		out = append(out, x...)
	}
	return out
}

func singles(xs []float64) [][]float64 {
	out := make([][]float64, len(xs))
	for i, x := range xs {
		out[i] = []float64{x}
	}
	return out
}

// near compares with a relative and an absolute tolerance; infinities must be equal.
func near(got, want, rel, abs float64) bool {
	return got == want || math.Abs(got-want) <= abs+rel*math.Abs(want)
}

// ends returns the ends of the support, from the row.
func (c distCase) ends(d *Dist, f *Form) (lo, hi float64) {
	g := ad.New()
	l, h := ends(d, f, g.Const(0), c.plated(g, f, 1, false))
	return number(l, -inf), number(h, inf)
}

func number(n Node, otherwise float64) float64 {
	if !n.Valid() {
		return otherwise
	}
	return ad.Eval(nil, n)[0][0]
}
