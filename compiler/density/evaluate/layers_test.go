package evaluate_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// A matrix is a list of rows.
type matrix [][]float64

func (w matrix) times(x []float64) []float64 {
	out := make([]float64, len(w))
	for i, row := range w {
		for j, v := range row {
			out[i] += v * x[j]
		}
	}
	return out
}

func each(f func(v ...float64) float64, xs ...[]float64) []float64 {
	out := make([]float64, len(xs[0]))
	for i := range out {
		var v []float64
		for _, x := range xs {
			v = append(v, x[i])
		}
		out[i] = f(v...)
	}
	return out
}

func plus(xs ...[]float64) []float64 {
	return each(func(v ...float64) (s float64) {
		for _, x := range v {
			s += x
		}
		return s
	}, xs...)
}

// layerFormulas has layers with their textbook formulas and the weights of PyTorch's layers of the same name (the bias
// of the recurrent product is 0 in rnn and lstm). Inputs are 4 steps of 3 numbers; outputs are flattened.
var layerFormulas = []struct {
	name, body string
	weights    map[string][]int
	out        func(w map[string]matrix, x matrix) []float64
}{
	{"dense", "first(x) -> dense(2) -> relu", map[string][]int{"dense1.w": {2, 3}, "dense1.b": {2}},
		func(w map[string]matrix, x matrix) []float64 {
			return each(func(v ...float64) float64 { return max(v[0], 0) },
				plus(w["dense1.w"].times(x[0]), w["dense1.b"][0]))
		}},
	{"two of a kind", "last(x) -> dense(2) -> silu -> dense(4) -> gelu",
		map[string][]int{"dense1.w": {2, 3}, "dense1.b": {2}, "dense2.w": {4, 2}, "dense2.b": {4}},
		func(w map[string]matrix, x matrix) []float64 {
			h := each(func(v ...float64) float64 { return v[0] / (1 + math.Exp(-v[0])) },
				plus(w["dense1.w"].times(x[3]), w["dense1.b"][0]))
			return each(func(v ...float64) float64 { return v[0] * math.Erfc(-v[0]/math.Sqrt2) / 2 },
				plus(w["dense2.w"].times(h), w["dense2.b"][0]))
		}},
	{"flatten", "x -> flatten -> dense(2) -> tanh", map[string][]int{"dense1.w": {2, 12}, "dense1.b": {2}},
		func(w map[string]matrix, x matrix) []float64 {
			var flat []float64
			for _, row := range x {
				flat = append(flat, row...)
			}
			return each(func(v ...float64) float64 { return math.Tanh(v[0]) },
				plus(w["dense1.w"].times(flat), w["dense1.b"][0]))
		}},
	{"layer_norm", "x -> flatten -> layer_norm", map[string][]int{"layer_norm1.w": {12}, "layer_norm1.b": {12}},
		func(w map[string]matrix, x matrix) []float64 {
			var flat []float64
			for _, row := range x {
				flat = append(flat, row...)
			}
			mean, square := 0.0, 0.0
			for _, v := range flat {
				mean += v / 12
				square += v * v / 12
			}
			return each(func(v ...float64) float64 { return (v[0]-mean)/math.Sqrt(square-mean*mean+1e-5)*v[1] + v[2] },
				flat, w["layer_norm1.w"][0], w["layer_norm1.b"][0])
		}},
	{"embed", "[1, 2, 1] -> embed(2, 3) -> flatten -> dense(2)",
		map[string][]int{"embed1.w": {2, 3}, "dense1.w": {2, 9}, "dense1.b": {2}},
		func(w map[string]matrix, _ matrix) []float64 {
			e := w["embed1.w"]
			flat := append(append(append([]float64{}, e[0]...), e[1]...), e[0]...)
			return plus(w["dense1.w"].times(flat), w["dense1.b"][0])
		}},
	{"rnn", "x -> rnn(2) -> flatten", map[string][]int{"rnn1.wx": {2, 3}, "rnn1.wh": {2, 2}, "rnn1.b": {2}},
		func(w map[string]matrix, x matrix) (out []float64) {
			h := []float64{0, 0}
			for _, row := range x {
				h = each(func(v ...float64) float64 { return math.Tanh(v[0]) },
					plus(w["rnn1.wx"].times(row), w["rnn1.wh"].times(h), w["rnn1.b"][0]))
				out = append(out, h...)
			}
			return out
		}},
	{"lstm", "x -> lstm(2) -> flatten", map[string][]int{"lstm1.wx": {8, 3}, "lstm1.wh": {8, 2}, "lstm1.b": {8}},
		func(w map[string]matrix, x matrix) (out []float64) {
			h, c := []float64{0, 0}, []float64{0, 0}
			for _, row := range x {
				g := plus(w["lstm1.wx"].times(row), w["lstm1.wh"].times(h), w["lstm1.b"][0])
				c = each(func(v ...float64) float64 {
					return compilertest.Logistic(v[1])*v[3] + compilertest.Logistic(v[0])*math.Tanh(v[2])
				}, g[:2], g[2:4], g[4:6], c)
				h = each(func(v ...float64) float64 { return compilertest.Logistic(v[0]) * math.Tanh(v[1]) }, g[6:], c)
				out = append(out, h...)
			}
			return out
		}},
	{"gru", "x -> gru(2) -> last", map[string][]int{"gru1.wx": {6, 3}, "gru1.wh": {6, 2}, "gru1.bx": {6},
		"gru1.bh": {6}},
		func(w map[string]matrix, x matrix) []float64 {
			h := []float64{0, 0}
			for _, row := range x {
				u, v := plus(w["gru1.wx"].times(row), w["gru1.bx"][0]), plus(w["gru1.wh"].times(h), w["gru1.bh"][0])
				r, z := each(sumLogistic, u[:2], v[:2]), each(sumLogistic, u[2:4], v[2:4])
				n := each(func(v ...float64) float64 { return math.Tanh(v[0] + v[1]*v[2]) }, u[4:], r, v[4:])
				h = each(func(v ...float64) float64 { return (1-v[0])*v[1] + v[0]*v[2] }, z, n, h)
			}
			return h
		}},
}

func sumLogistic(v ...float64) float64 { return compilertest.Logistic(v[0] + v[1]) }

// TestLayers compares log ℓ of rows with the formulas, its gradient with differences of the formulas, and minibatches
// with the complete density.
func TestLayers(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	x := make([]matrix, 5)
	var y []float64
	for i := range x {
		for range 4 {
			x[i] = append(x[i], []float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()})
		}
		y = append(y, r.NormFloat64())
	}
	for _, c := range layerFormulas {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(9, 10))
			p := compilertest.Load(t, fmt.Sprintf("data x[N, T, D] = %v, y[N] = %v\nf(x[T, D]) = %s\n"+
				"v[i in N] = f(x[i])\ny[i in N] ~ Normal(sum([k in 1..%d: v[i, k] * k]), 1)\n",
				compilertest.Listed(x), compilertest.Listed(y),
				c.body, len(c.out(zeros(c.weights), x[0]))))
			at := map[string][]float64{}
			for name, shape := range c.weights {
				for range product(shape) {
					at[name] = append(at[name], r.NormFloat64())
				}
			}
			loglik := func() (sum float64) {
				for i := range x {
					mean := 0.0
					for k, v := range c.out(shaped(c.weights, at), x[i]) {
						mean += float64(k+1) * v
					}
					sum -= (y[i]-mean)*(y[i]-mean)/2 + math.Log(2*math.Pi)/2
				}
				return sum
			}
			checkAt(t, p, c.weights, at, loglik)
			if err := compilertest.SplitAgrees(p, r); err != nil {
				t.Error(err)
			}
		})
	}
}

// checkAt compares log ℓ and its gradient at given weights, whose priors are N(0, 1) or N(1, 1).
func checkAt(t *testing.T, p *compiler.Program, shapes map[string][]int, at map[string][]float64,
	loglik func() float64) {
	t.Helper()
	given := map[string]*content.Array{}
	for name, values := range at {
		given["f."+name] = &content.Array{Values: numbers.Of(values...), Shape: shapes[name]}
	}
	got, err := p.LogProb(given)
	if err != nil {
		t.Fatal(err)
	}
	want := loglik()
	if !compilertest.Within(got.Likelihood, want, 1e-11*(1+math.Abs(want))) {
		t.Errorf("log ℓ is %v, want %v", got.Likelihood, want)
	}
	for name, values := range at {
		for k := range values {
			v, h := values[k], 1e-5
			values[k] = v + h
			up := loglik()
			values[k] = v - h
			slope := (up-loglik())/(2*h) - v
			if values[k] = v; name == "layer_norm1.w" {
				slope++
			}
			if g := got.Gradient["f."+name][k]; !compilertest.Within(g, slope, 1e-6*(1+math.Abs(want))) {
				t.Errorf("∂/∂%s[%d] is %v, want %v", name, k, g, slope)
			}
		}
	}
}

func zeros(shapes map[string][]int) map[string]matrix {
	at := map[string][]float64{}
	for name, shape := range shapes {
		at[name] = make([]float64, product(shape))
	}
	return shaped(shapes, at)
}

// shaped returns values as matrices; a vector becomes one row.
func shaped(shapes map[string][]int, at map[string][]float64) map[string]matrix {
	out := map[string]matrix{}
	for name, shape := range shapes {
		n := shape[len(shape)-1]
		for k := 0; k < len(at[name]); k += n {
			out[name] = append(out[name], at[name][k:k+n])
		}
	}
	return out
}

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}
