package compiler_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// TestStartFrom checks that StartFrom inverts the transform from coordinates to parameter values. The values are
// computed by the graph of the density, which does not use the inverse transform.
func TestStartFrom(t *testing.T) {
	t.Parallel()
	const factor = "tau[1..2] ~ HalfNormal(1)\nOmega[1..2, 1..2] ~ LKJ(2)\nmu[1..2] ~ Normal(0, 1)\nJ = 3\n"
	for name, text := range map[string]string{
		"supports": "a ~ Normal(0, 1)\nb ~ HalfNormal(1)\nc ~ Beta(2, 2)\nd ~ Normal(0, 1) in 1..3\n" +
			"w[K] ~ Dirichlet(fill(1, K))\nK = 3\nm[k in 1..3] ~ Normal(0, 1) ordered\nu ~ Uniform(-1, 1)\n",
		"noncentred": "mu ~ Normal(0, 1)\ns ~ HalfNormal(1)\nx[i in 1..4] ~ Normal(mu, s) noncentered\n",
		"precision":  "s ~ HalfNormal(1)\nx[i in 1..4] ~ Normal(1, precision = s) noncentered\n",
		"a series": "s ~ HalfNormal(1)\nh[1] ~ Normal(0, s) noncentered\n" +
			"h[t in 2..5] ~ Normal(0.5 * h[t-1], s) noncentered\n",
		"covariance": "s ~ HalfNormal(1)\nC = [[s + 1, 0.5], [0.5, 1]]\n" +
			"x[j in 1..3, 1..2] ~ MvNormal([0, 1], C) noncentered\n",
		"correlated": factor + "b[j in J, 1..2] ~ MvNormal(mu, sd = tau, corr = Omega) noncentered\n",
		"vector precision": "s ~ HalfNormal(1)\nC = [[s + 1, 0.5], [0.5, 1]]\n" +
			"x[1..2] ~ MvNormal([0, 1], prec = C) noncentered\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, text+"y ~ Normal(0, 1)\ndata y = 1\n")
			want, starts := p.Start(5, 1), p.Starts(5)
			for _, walker := range []int{3, 1, 0, 1} { // in any order, and repeatedly
				if got := starts(walker); !slices.Equal(got, p.Start(5, walker)) {
					t.Fatalf("start %d of several is %v, alone %v", walker, got, p.Start(5, walker))
				}
			}
			at := valuesAt(p, want)
			got, err := p.StartFrom(9, 2, at)
			if err != nil {
				t.Fatal(err)
			}
			for i, x := range want {
				if math.Abs(got[i]-x) > 1e-9*(1+math.Abs(x)) {
					t.Fatalf("coordinates are %v, want %v", got, want)
				}
			}
			for _, a := range at { // planted fault: other values must give another point
				moved := slices.Clone(a.Values.Doubles())
				moved[0] += 1e-6 * (1 + math.Abs(moved[0]))
				a.Values = numbers.Of(moved...)
				if other, err := p.StartFrom(9, 2, at); err == nil && same(other, want) {
					t.Errorf("other values of %s have the same point", a.Name)
				}
				return
			}
		})
	}
}

func same(xs, ys []float64) bool {
	for i := range xs {
		if math.Abs(xs[i]-ys[i]) > 1e-9*(1+math.Abs(ys[i])) {
			return false
		}
	}
	return true
}

// valuesAt returns the values of the parameters at a point.
func valuesAt(p *compiler.Program, theta []float64) map[string]*content.Array {
	all := autodiff.Eval(nil, p.Values(autodiff.New().Data("theta", theta, len(theta))))[0]
	at := map[string]*content.Array{}
	for _, v := range p.Saved() {
		at[v.Name] = &content.Array{Name: v.Name, Shape: v.Shape, Values: numbers.Of(slices.Clone(all[:v.Size()])...)}
		all = all[v.Size():]
	}
	return at
}

// TestStartFromSome checks that parameters without given values are drawn, and that given values determine the
// coordinates relative to the drawn ones.
func TestStartFromSome(t *testing.T) {
	t.Parallel()
	p := compilertest.Load(t, "mu ~ Normal(0, 1)\ns ~ HalfNormal(1)\nx[i in 1..4] ~ Normal(mu, s) noncentered\n"+
		"data y[N] = [1, 2, 3, 4]\ny[i in N] ~ Normal(x[i], 1)\n")
	want := []float64{1, -2, 3, 7}
	points := map[float64]bool{}
	for walker := range 3 {
		x := &content.Array{Shape: []int{4}, Values: numbers.Of(want...)}
		theta, err := p.StartFrom(1, walker, map[string]*content.Array{"x": x})
		if err != nil {
			t.Fatal(err)
		}
		at := valuesAt(p, theta)
		points[at["mu"].Values.At(0)] = true
		for i, x := range at["x"].Values.All() {
			if math.Abs(x-want[i]) > 1e-9 {
				t.Errorf("x begins at %v, want %v", at["x"].Values, want)
			}
		}
	}
	if len(points) != 3 {
		t.Errorf("mu begins at %v", points)
	}
	for name, c := range map[string]struct {
		value content.Array
		want  string
	}{
		"z":  {content.Array{Values: numbers.Of(1)}, "the model has no parameter `z`"},
		"s":  {content.Array{Values: numbers.Of(-1)}, "parameter `s`"},
		"mu": {content.Array{Values: numbers.Of(math.NaN())}, "parameter `mu` must be finite"},
		"x":  {content.Array{Shape: []int{3}, Values: numbers.Of(1, 2, 3)}, "parameter `x` has shape [4]"},
	} {
		if _, err := p.StartFrom(1, 0, map[string]*content.Array{name: &c.value}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}
