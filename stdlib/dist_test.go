package stdlib

import (
	"fmt"
	"math"
	"strings"
	"testing"

	ad "ppl/autodiff"
	"ppl/lang/types"
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
	// valuesOnly: much of the mass lies below the least positive number.
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

// find is the form of a case.
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

// square root shape: n numbers of an array of the given rank (vectors, square matrices).
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

// repeat is n copies of v, end to end.
func repeat(v []float64, n int) []float64 {
	var out []float64
	for range n {
		out = append(out, v...)
	}
	return out
}

// plated builds the case's arguments, repeated along a plate of n elements or, when whole is false, without plates.
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

// logProbs evaluates the density at xs laid along one plate.
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

func TestEveryFormHasValues(t *testing.T) {
	have := map[string]bool{}
	for _, c := range distCases {
		have[c.form] = len(c.at) > 0
	}
	for _, d := range Dists() {
		if d.Doc == "" || d.Source == "" {
			t.Errorf("%s: no sentence or no source", d.Name)
		}
		for i := range d.Forms {
			if key := formKey(d, &d.Forms[i]); !have[key] {
				t.Errorf("%s has no reference values", key)
			}
		}
	}
}

// TestLogProb compares with the reference values within 2e-12 of max(1, |value|), with arguments that have the plates
// and with arguments that lack them; the shape must be that of the plates, and without any a scalar.
func TestLogProb(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		xs := make([][]float64, len(c.at))
		for i, p := range c.at {
			xs[i] = p.x
		}
		for _, whole := range []bool{false, true} {
			for i, got := range c.logProbs(d, f, xs, whole) {
				if !near(got, c.at[i].logProb, 2e-12, 2e-12) {
					t.Errorf("log p(%v) = %.17g, reference %.17g (arguments with plates: %t)", xs[i], got, c.at[i].logProb, whole)
				}
			}
		}
		g := ad.New()
		x := g.Data("x", xs[0], shapeOf(len(xs[0]), d.Event)...)
		lp := f.LogProb(x, c.plated(g, f, 1, false))
		if got := ad.Eval(nil, lp)[0][0]; lp.Rank() != 0 || !near(got, c.at[0].logProb, 2e-12, 2e-12) {
			t.Errorf("without plates: shape %v, %g", lp.Shape(), got)
		}
	})
}

// TestOutside: values outside the support of a scalar law have log density −∞, and so have parameters outside their
// domain and not-a-numbers.
func TestOutside(t *testing.T) {
	eachCase(t, func(t *testing.T, c distCase, d *Dist, f *Form) {
		if bounded(d) {
			lo, hi := c.ends(d, f)
			for _, x := range []float64{lo - 1, hi + 1} {
				if got := c.logProbs(d, f, singles([]float64{x}), true)[0]; !math.IsInf(x, 0) && !math.IsInf(got, -1) {
					t.Errorf("log p(%g) = %g outside %g..%g", x, got, lo, hi)
				}
			}
		}
		for i, a := range f.Args {
			for _, v := range outsideOf(a.Domain) {
				bad := c
				bad.args = append([][]float64{}, c.args...)
				bad.args[i] = repeat([]float64{v}, len(c.args[i]))
				if got := bad.logProbs(d, f, [][]float64{c.at[0].x}, true)[0]; !math.IsInf(got, -1) {
					t.Errorf("%s = %g gives %g", a.Name, v, got)
				}
			}
		}
	})
}

func outsideOf(d Domain) []float64 {
	if d.Kind != types.Interval && d.Kind != types.IntRange {
		return nil
	}
	out := []float64{math.NaN()}
	if d.Lo == tiny {
		out = append(out, 0, -0.5)
	} else if !math.IsInf(d.Lo, 0) {
		out = append(out, d.Lo-1, d.Lo-0.5)
	}
	if !math.IsInf(d.Hi, 0) {
		out = append(out, d.Hi+0.5)
	}
	return out
}

// ends are the numbers that bound the support, from the row.
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

// checkGradient is for argument i, or for x when i < 0. A move that leaves the domain is not compared.
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
		if math.IsNaN(got) || !(math.IsNaN(want) || math.IsInf(want, 0)) && math.Abs(got-want) > 1e-5*(1+math.Abs(want))+1e-14*math.Abs(value)/h {
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

// moved moves element k, and its mirror image in a matrix: covariances stay symmetric, lower factors are read below the
// diagonal only.
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
