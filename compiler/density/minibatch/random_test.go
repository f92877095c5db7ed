package minibatch_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/lower"
	"ppl/compiler/compilertest"
	"ppl/runtime/device"
	"ppl/runtime/host"
	"ppl/runtime/native"
	"ppl/runtime/noise"
)

// withDropout is a model whose mean is the sum of w[d]·x[i, d] after dropout, far below y.
const withDropout = `data x[N, D] = [[0.5, 1, -2], [1, -1, 0.5], [0.25, 0.75, 3], [2, 1, 1]], y[N] = [50, 50, 50, 50]
w[D] ~ Normal(0, 1)
f(v[D]) = [d in D: w[d] * v[d]] -> dropout(0.3) -> sum
y[i in N] ~ Normal(f(x[i]), 1)
`

// A dropper evaluates batches of the rows 3, 0, 2.
type dropper struct {
	exe device.Executable
	dim int
}

var batchOfThree = []float64{3, 0, 2}

const dropSeed = 11

func newDropper(t *testing.T, p *compiler.Program, d device.Device, threads int) dropper {
	t.Helper()
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	rows := g.Data("rows", batchOfThree, len(batchOfThree))
	_, _, terms := compiler.OwnScale{Program: p}.SplitTraining(theta, rows, g.Input("lane"), g.Input("step"))
	program, err := lower.Program([]lower.Entry{{Name: "terms", Assign: []lower.Assign{{Name: "terms", Value: terms},
		{Name: "gradient", Value: autodiff.Grad(autodiff.SumAll(terms), theta)[0]}}}})
	if err != nil {
		t.Fatal(err)
	}
	exe, err := d.Load(program, device.Options{Lanes: 2, Seed: dropSeed, Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = exe.Close() })
	return dropper{exe, p.Dim()}
}

// checkGradient compares the gradient of the sum of the terms on lane 1 with finite differences with step `width`; the
// tolerance is of the same size.
func (d dropper) checkGradient(t *testing.T, at []float64, step, width float64) {
	t.Helper()
	_, gradient := d.at(t, at, 1, step)
	for k := range at {
		var ends [2]float64
		for side, by := range []float64{width, -width} {
			moved := slices.Clone(at)
			moved[k] += by
			terms, _ := d.at(t, moved, 1, step)
			ends[side] = terms[0] + terms[1] + terms[2]
		}
		slope := (ends[0] - ends[1]) / (2 * width)
		if math.Abs(slope-gradient[k]) > width*(1+math.Abs(slope)) {
			t.Errorf("the derivative by weight %d is %v, finite differences say %v", k+1, gradient[k], slope)
		}
	}
}

// at returns the terms and the gradient of their sum.
func (d dropper) at(t *testing.T, theta []float64, lane, step float64) (terms, gradient []float64) {
	t.Helper()
	d.exe.SetLane("theta", 1, theta)
	d.exe.SetLane("lane", 1, []float64{lane})
	d.exe.SetLane("step", 1, []float64{step})
	if _, err := d.exe.Run([]device.Call{{Entry: "terms", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	terms, gradient = make([]float64, len(batchOfThree)), make([]float64, d.dim)
	d.exe.GetLane("terms", 1, terms)
	d.exe.GetLane("gradient", 1, gradient)
	return terms, gradient
}

// meansOf returns the means of rows, computed from their terms.
func meansOf(terms []float64) (mus []float64) {
	for _, v := range terms {
		mus = append(mus, 50-math.Sqrt(-2*v-math.Log(2*math.Pi)))
	}
	return mus
}

var (
	xOfBatch = [][]float64{{2, 1, 1}, {0.5, 1, -2}, {0.25, 0.75, 3}}
	weights  = []float64{1.5, -0.7, 0.4}
)

// left returns the mean of a row after dropout, computed from the definition and package noise.
func left(row int, lane, step float64) (mu float64) {
	for d, w := range weights {
		if noise.Addressed(dropSeed, 0, lane, step, float64(row*len(weights)+d)) >= 0.3 {
			mu += w * xOfBatch[row][d] / 0.7
		}
	}
	return mu
}

// TestDropout checks that each step drops the elements that the noise at their addresses determines, that the mean over
// many steps is the value in the density, within its standard error, and that the gradient equals finite differences
// for the same noise.
func TestDropout(t *testing.T) {
	p := compilertest.Load(t, withDropout)
	d := newDropper(t, p, host.Device{}, 1)
	const steps = 4000
	sums := make([]float64, len(batchOfThree))
	for step := range steps {
		terms, _ := d.at(t, weights, 3, float64(step))
		for i, mu := range meansOf(terms) {
			if want := left(i, 3, float64(step)); math.Abs(mu-want) > 1e-9 {
				t.Fatalf("step %d, row %d: %v, want %v", step, i, mu, want)
			}
			sums[i] += mu / steps
		}
	}
	distance := func(factor float64) (worst float64) { // in standard errors
		for i, x := range xOfBatch {
			mean, variance := 0.0, 0.0
			for k, w := range weights {
				mean += w * x[k]
				variance += w * x[k] * w * x[k] * 0.3 / 0.7
			}
			worst = max(worst, math.Abs(sums[i]*factor-mean)/math.Sqrt(variance/steps))
		}
		return worst
	}
	if z := distance(1); z > 4 {
		t.Errorf("the mean over the steps is %.1f standard errors from the value", z)
	}
	if z := distance(0.7); z < 4 { // planted fault: remaining elements are not divided by 1 − p
		t.Errorf("without the division the mean is %.1f standard errors away only", z)
	}
	d.checkGradient(t, weights, 7, 1e-5)
}

// TestDropoutBytes checks that the numbers do not depend on threads or device, that with p = 0 they equal those of a
// model without dropout, and that the density does so for all p.
func TestDropoutBytes(t *testing.T) {
	p := compilertest.Load(t, withDropout)
	compiled, err := native.New()
	if err != nil {
		t.Skip(err)
	}
	one := newDropper(t, p, host.Device{}, 1)
	want := fmt.Sprint(one.at(t, weights, 5, 9))
	for name, d := range map[string]dropper{"host, 2 threads": newDropper(t, p, host.Device{}, 2),
		"native": newDropper(t, p, compiled, 1), "native, 2 threads": newDropper(t, p, compiled, 2)} {
		if got := fmt.Sprint(d.at(t, weights, 5, 9)); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if fmt.Sprint(one.at(t, weights, 6, 9)) == want || fmt.Sprint(one.at(t, weights, 5, 10)) == want {
		t.Error("another lane or step drops the same elements")
	}
	never := compilertest.Load(t, strings.ReplaceAll(withDropout, "0.3", "0"))
	without := compilertest.Load(t, strings.ReplaceAll(withDropout, "dropout(0.3) -> ", ""))
	if a, b := newDropper(t, never, host.Device{}, 1), newDropper(t, without, host.Device{}, 1); fmt.Sprint(a.at(t,
		weights, 5, 9)) != fmt.Sprint(b.at(t, weights, 5, 9)) {
		t.Error("with p = 0 something is dropped")
	}
	a, aGradient := compilertest.Likelihood(p, weights)
	b, bGradient := compilertest.Likelihood(without, weights)
	if !slices.Equal(a, b) || !slices.Equal(aGradient, bGradient) {
		t.Error("the density drops elements")
	}
}

// TestDropoutSites checks that two dropouts drop different elements, and that a value that is read twice is dropped
// once.
func TestDropoutSites(t *testing.T) {
	const text = `data x[N, D] = [[1, 1, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]], y[N] = [50, 50, 50, 50]
w[D] ~ Normal(0, 1)
left(v[D]) = %s
f(v[D]) = left([d in D: w[d] * v[d]])
y[i in N] ~ Normal(f(x[i]), 1)
`
	spread := func(body string) (most float64) {
		d := newDropper(t, compilertest.Load(t, fmt.Sprintf(text, body)), host.Device{}, 1)
		for step := range 20 {
			terms, _ := d.at(t, weights, 0, float64(step))
			for _, mu := range meansOf(terms) {
				most = max(most, math.Abs(mu))
			}
		}
		return most
	}
	if got := spread("{ u = v -> dropout(0.5)\n return sum(u - u * 1) }"); got > 1e-9 {
		t.Errorf("a value that is read twice is dropped apart: %v", got)
	}
	if got := spread("sum(dropout(v, 0.5) - dropout(v, 0.5))"); got < 0.1 {
		t.Errorf("two dropouts drop the same elements")
	}
}
