package stdlib

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	ad "ppl/autodiff"
)

var reductionOracles = map[string]func([]float64) float64{
	"sum": floats.Sum, "prod": floats.Prod, "max": floats.Max, "min": floats.Min,
	"mean": func(x []float64) float64 { return stat.Mean(x, nil) }, "sd": func(x []float64) float64 {
		return stat.StdDev(x, nil)
	},
	"var": func(x []float64) float64 { return stat.Variance(x, nil) }, "logsumexp": floats.LogSumExp,
	"median": func(x []float64) float64 {
		x = slices.Sorted(slices.Values(x))
		return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
	},
	"all": func(x []float64) float64 { return number01(!slices.Contains(x, 0)) },
	"any": func(x []float64) float64 {
		return number01(slices.ContainsFunc(x, func(v float64) bool { return v != 0 }))
	},
}

// TestReductions compares reductions with gonum within 1e-13 along each set of axes of a [2, 3, 5] array that contains
// zeros and negative numbers.
func TestReductions(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	values := normals(r, 30)
	values[4], values[17] = 0, 0
	for name, red := range Reductions() {
		oracle, ok := reductionOracles[name]
		if !ok || red.Doc == "" {
			t.Errorf("%s has no oracle or no sentence", name)
			continue
		}
		for _, axes := range [][]int{{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}, {0, 1, 2}} {
			g := ad.New()
			y := red.Build(g.Data("x", values, 2, 3, 5), axes)
			groups := grouped(values, []int{2, 3, 5}, axes)
			got := ad.Eval(nil, y)[0]
			if y.Rank() != 3-len(axes) || len(got) != len(groups) {
				t.Fatalf("%s over %v has shape %v", name, axes, y.Shape())
			}
			for i, group := range groups {
				if !near(got[i], oracle(group), 1e-13, 1e-13) {
					t.Errorf("%s over %v: %g, want %g", name, axes, got[i], oracle(group))
				}
				check(t, name, red.Range(Range{Lo: -5, Hi: 5}, len(group)), got[i])
			}
		}
	}
}

// grouped collects the elements that are reduced to each element of the result.
func grouped(values []float64, shape, axes []int) [][]float64 {
	groups := make([][]float64, len(values)/product1(pickSizes(shape, axes)))
	for i, v := range values {
		at, rest := 0, i
		index := make([]int, len(shape))
		for k := len(shape) - 1; k >= 0; k-- {
			index[k], rest = rest%shape[k], rest/shape[k]
		}
		for k := range shape {
			if !slices.Contains(axes, k) {
				at = at*shape[k] + index[k]
			}
		}
		groups[at] = append(groups[at], v)
	}
	return groups
}

func pickSizes(shape, axes []int) []int {
	var out []int
	for _, a := range axes {
		out = append(out, shape[a])
	}
	return out
}

// TestEmpty checks the results over an empty set: 0, 1, −inf, inf, error (NaN), error, true, false, −inf.
func TestEmpty(t *testing.T) {
	want := map[string]float64{"sum": 0, "prod": 1, "max": -inf, "min": inf, "all": 1, "any": 0, "logsumexp": -inf}
	for name, red := range Reductions() {
		w, ok := want[name]
		if ok && red.Empty != w || !ok && !math.IsNaN(red.Empty) {
			t.Errorf("%s of nothing is %g", name, red.Empty)
		}
	}
}

// TestProductGradient checks ∂/∂x_i ∏x = ∏_{j≠i} x_j, also with zeros and negative elements.
func TestProductGradient(t *testing.T) {
	for _, x := range [][]float64{{2, -3, 5}, {2, 0, 5, -1}, {0, 0, 3}, {7}} {
		g := ad.New()
		v := g.Input("x", len(x))
		y := Reductions()["prod"].Build(v, []int{0})
		grad := ad.Eval(map[string][]float64{"x": x}, ad.Grad(y, v)[0])[0]
		for i := range x {
			want := floats.Prod(append(append([]float64{}, x[:i]...), x[i+1:]...))
			if grad[i] != want {
				t.Errorf("∏%v: derivative %d is %g, want %g", x, i+1, grad[i], want)
			}
		}
	}
}

func TestScans(t *testing.T) {
	x := []float64{1, -2, 0.5, 700, 3, 3}
	want := map[string]func(row []float64) []float64{
		"cumsum": func(row []float64) []float64 { return floats.CumSum(make([]float64, len(row)), row) },
		"softmax": func(row []float64) []float64 {
			out, z := slices.Clone(row), floats.LogSumExp(row)
			for i := range out {
				out[i] = math.Exp(out[i] - z)
			}
			return out
		},
		"log_softmax": func(row []float64) []float64 {
			out := slices.Clone(row)
			floats.AddConst(-floats.LogSumExp(row), out)
			return out
		},
		"sort": func(row []float64) []float64 { return slices.Sorted(slices.Values(row)) },
		"rank": func(row []float64) []float64 {
			at := make([]int, len(row))
			out, order := slices.Clone(row), slices.Clone(row)
			floats.Argsort(order, at)
			for k, i := range at {
				out[i] = float64(k + 1)
			}
			return out
		},
	}
	for name, s := range Scans() {
		g := ad.New()
		got := ad.Eval(nil, s.Build(g.Data("x", x, 2, 3), 1))[0]
		for i, row := range [][]float64{x[:3], x[3:]} {
			if w := want[name](row); !floats.EqualApprox(got[3*i:3*i+3], w, 1e-12) {
				t.Errorf("%s%v = %v, want %v", name, row, got[3*i:3*i+3], w)
			}
		}
	}
}

// Order statistics of parameters equal those of their values, along any axis, and their gradients are those of the
// element with that rank.
func TestSortingOfParameters(t *testing.T) {
	const n, m = 3, 5
	r := rand.New(rand.NewPCG(3, 4))
	x := normals(r, n*m)
	x[3], x[8] = x[7], x[2]
	for axis, length := range []int{n, m} {
		g := ad.New()
		v, known := g.Input("x", n, m), g.Data("x", x, n, m)
		middle := func(y Node, k int) Node { return median(y, []int{k}) }
		for _, f := range []func(Node, int) Node{sorted, placesOf, middle} {
			got := ad.Eval(map[string][]float64{"x": x}, f(v, axis), f(known, axis))
			if !slices.Equal(got[0], got[1]) {
				t.Errorf("along axis %d: %v of parameters, %v of data", axis, got[0], got[1])
			}
		}
		weight := g.Data("w", normals(r, n*m), n, m)
		at := ad.Eval(map[string][]float64{"x": x}, ad.Grad(ad.SumAll(ad.Mul(sorted(v, axis), weight)), v)[0],
			placesOf(v, axis), weight)
		for i := range x {
			where := i - i%m + int(at[1][i]) - 1
			if axis == 0 {
				where = i%m + m*(int(at[1][i])-1)
			}
			if at[1][i] < 1 || at[1][i] > float64(length) || at[0][i] != at[2][where] {
				t.Errorf("axis %d, element %d: gradient %g, want %g", axis, i, at[0][i], at[2][where])
			}
		}
	}
}

// If an element is NaN, the sorted array is NaN.
func TestSortingNaN(t *testing.T) {
	x := []float64{2, math.NaN(), 1}
	g := ad.New()
	for _, y := range []Node{sorted(g.Input("x", 3), 0), sorted(g.Data("x", x, 3), 0)} {
		for _, v := range ad.Eval(map[string][]float64{"x": x}, y)[0] {
			if !math.IsNaN(v) {
				t.Errorf("%g in an array with NaN", v)
			}
		}
	}
}
