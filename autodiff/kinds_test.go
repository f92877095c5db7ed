package autodiff_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	G "gorgonia.org/gorgonia"

	. "ppl/autodiff"
	"ppl/autodiff/gorgonia"
)

func TestEveryKindHasAnExample(t *testing.T) {
	// no value on a host: see TestNoiseHasNoValueOnTheTapeMachine
	covered := map[Kind]bool{OpNoise: true, OpShuffle: true, OpAddressed: true,
		OpSingle: true, OpDouble: true} // see TestSinglePrecision
	for _, e := range examples {
		covered[e.kind] = true
	}
	for k := Kind(0); int(k) < Kinds; k++ {
		if !covered[k] {
			t.Errorf("no example of %v", k)
		}
		if k.String() == "" {
			t.Errorf("kind %d has no name", k)
		}
	}
}

// Values and gradients agree to a few ulp with Gorgonia's, whose tensor library sums in another order.
func TestEvalAgainstTapeMachine(t *testing.T) {
	for _, e := range examples {
		y, xs, values := e.instance()
		nodes := append(Grad(weighted(y), xs...), y)
		want, err := gorgonia.Eval(values, nodes...)
		if err != nil {
			t.Errorf("%s: %v", e.name(), err)
			continue
		}
		for i, got := range Eval(values, nodes...) {
			if len(got) != nodes[i].Size() || !near(got, want[i], 1e-14) {
				t.Errorf("%s, value %d: got %v, the tape machine has %v", e.name(), i, got, want[i])
			}
		}
	}
}

// Gorgonia's own Grad works through the ops' SymDiff, so that a density can be part of a larger program of Gorgonia. It
// returns an error for inputs on which the output does not depend.
func TestGradientByGorgonia(t *testing.T) {
	compared := 0
	for _, e := range examples {
		y, all, values := e.instance()
		total := weighted(y)
		own, xs := []Node(nil), []Node(nil)
		for k, d := range Grad(total, all...) {
			if v, constant := d.IsConst(); !constant || v != 0 {
				own, xs = append(own, d), append(xs, all[k])
			}
		}
		if len(xs) == 0 {
			continue
		}
		got, err := gradientByGorgonia(total, xs, values)
		if err != nil {
			t.Errorf("%s: %v", e.name(), err)
			continue
		}
		for i, want := range Eval(values, own...) {
			compared++
			if !near(got[i], want, 1e-13) {
				t.Errorf("%s, argument %d: %v by Gorgonia's Grad, want %v", e.name(), i, got[i], want)
			}
		}
	}
	if compared < len(examples) {
		t.Errorf("only %d gradients of %d examples", compared, len(examples))
	}
}

func gradientByGorgonia(total Node, xs []Node, values map[string][]float64) ([][]float64, error) {
	c, err := gorgonia.Convert(gorgonia.Output{Name: "total", Node: total})
	if err != nil {
		return nil, err
	}
	inputs := make(G.Nodes, len(xs))
	for i, x := range xs {
		inputs[i] = c.Inputs[x.Op().Name]
	}
	slopes, err := G.Grad(c.Outputs["total"], inputs...)
	if err != nil {
		return nil, err
	}
	if _, err = c.Run(values, nil); err != nil {
		return nil, err
	}
	out := make([][]float64, len(xs))
	for i, d := range slopes {
		out[i] = gorgonia.Floats(d.Value())
	}
	return out, nil
}

func TestNoiseHasNoValueOnTheTapeMachine(t *testing.T) {
	if _, err := gorgonia.Eval(nil, Exp(New().Normal(1, 2))); err == nil {
		t.Error("noise was evaluated")
	}
	g := New()
	values := map[string][]float64{"x": {1, 2}}
	if _, err := gorgonia.Eval(values, g.Shuffle(5, g.Const(1), g.Input("x", 2))); err == nil {
		t.Error("a shuffle was evaluated")
	}
}

// Gradients of a randomly weighted sum against central differences (gonum, five-point formula, error O(h⁴)).
func TestGradientAgainstDifferences(t *testing.T) {
	for _, e := range examples {
		y, xs, values := e.instance()
		checkGradient(t, e.name(), weighted(y), xs, values)
	}
}

// The gradient's own gradient, for every kind.
func TestSecondDerivative(t *testing.T) {
	for _, e := range examples {
		y, xs, values := e.instance()
		first := Grad(weighted(Mul(y, y)), xs...)
		total := y.Graph().Const(0)
		for _, d := range first {
			total = Add(total, weighted(d))
		}
		checkGradient(t, "gradient of "+e.name(), total, xs, values)
	}
}

// weighted returns a sum of the elements of y with different weights.
func weighted(y Node) Node {
	w := make([]float64, y.Size())
	for i := range w {
		w[i] = math.Sin(3*float64(i) + 1)
	}
	return SumAll(Mul(y, y.Graph().Data("w", w, y.Shape()...)))
}

func checkGradient(t *testing.T, name string, y Node, xs []Node, values map[string][]float64) {
	t.Helper()
	gradients := Eval(values, Grad(y, xs...)...)
	for i, x := range xs {
		want := differences(y, x, values)
		if !near(gradients[i], want, 3e-8) {
			t.Errorf("%s, argument %d: gradient %v, differences %v", name, i, gradients[i], want)
		}
	}
}

func differences(y, x Node, values map[string][]float64) []float64 {
	five := fd.Formula{Stencil: []fd.Point{{Loc: -2, Coeff: 1. / 12}, {Loc: -1, Coeff: -2. / 3},
		{Loc: 1, Coeff: 2. / 3},
		{Loc: 2, Coeff: -1. / 12}}, Derivative: 1, Step: 1e-4}
	held := values[x.Op().Name]
	defer func() { values[x.Op().Name] = held }()
	f := func(at []float64) float64 {
		values[x.Op().Name] = at
		return Eval(values, y)[0][0]
	}
	return fd.Gradient(nil, f, held, &fd.Settings{Formula: five})
}

// near compares within tol, relative to max(1, |want|); NaN and ±∞ equal themselves.
func near(got, want []float64, tol float64) bool {
	for i := range want {
		same := got[i] == want[i] || math.IsNaN(got[i]) && math.IsNaN(want[i])
		if !same && !(math.Abs(got[i]-want[i]) <= tol*max(1, math.Abs(want[i]))) {
			return false
		}
	}
	return len(got) == len(want)
}
