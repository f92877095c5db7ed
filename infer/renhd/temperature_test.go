package renhd

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/infer"
	"ppl/infer/dynamics/dynamicstest"
	"ppl/infer/renhd/renhdtest"
	"ppl/infer/renhd/warmup"
)

// TestTooHotIsReported checks the temperature in the report. SGLD with a step of .5 in batches of 64 of 2,000 rows has
// (1 + ηV/2)/(1 − η/2) ≈ 3 times the variance (V = 31, η = .125), so its temperature must be too high. The thermostat,
// whose step is adapted to the noise, must have the temperature 1.
func TestTooHotIsReported(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	target, _, _ := dynamicstest.Means(renhdtest.Normals(2000))
	for name, s := range map[string]infer.Settings{
		"sgld":       {Replicas: 1, Dynamics: "sgld", Batch: 64, StepSize: 0.5, Steps: 10, ControlVariates: "off"},
		"nosehoover": {Replicas: 1, Batch: 64, Steps: 10},
	} {
		o, m := renhdtest.Options(6), new(memory)
		o.Warmup, o.Draws, o.Thin, o.Settings = 300, 200, 1, s
		report, err := Sample(context.Background(), target, o, m)
		if err != nil {
			t.Fatal(err)
		}
		if p := report.Positions; (p.Value > 1+warmup.Tolerance+3*p.Error) != (name == "sgld") {
			t.Errorf("%s: a temperature of %v ± %v", name, p.Value, p.Error)
		}
	}
}

// TestDivergenceIsNamed checks that a target with an improper direction is refused early, with the name of the
// coordinate, and that wide targets, normal or with Cauchy tails, are not, although walkers start very far from their
// mass.
func TestDivergenceIsNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	target := func(of func(x autodiff.Node) autodiff.Node) infer.Target {
		return dynamicstest.Density{D: 2, LogPrior: func(theta autodiff.Node) autodiff.Node {
			x, y := autodiff.Slice(theta, []int{0}, []int{1}), autodiff.Slice(theta, []int{1}, []int{2})
			return autodiff.SumAll(autodiff.Sub(of(y), autodiff.Mul(x, x)))
		}}
	}
	flat := target(func(y autodiff.Node) autodiff.Node { return autodiff.Mul(y.Graph().Const(0), y) })
	o := renhdtest.Options(2)
	o.Draws = 100
	var refusal infer.Refusal
	report, err := Sample(context.Background(), flat, o, new(memory))
	if !errors.As(err, &refusal) || !strings.Contains(err.Error(), "x[2] diverges to infinity") ||
		report.Gradients > 100_000 {
		t.Errorf("after %d gradients: %v", report.Gradients, err)
	}
	for name, target := range map[string]infer.Target{
		"normal": target(func(y autodiff.Node) autodiff.Node {
			z := autodiff.Mul(y.Graph().Const(1e-8), autodiff.Sub(y, y.Graph().Const(1e9)))
			return autodiff.Neg(autodiff.Mul(z, z))
		}),
		"cauchy": target(func(y autodiff.Node) autodiff.Node {
			return autodiff.Neg(autodiff.Log(autodiff.Add(y.Graph().Const(1), autodiff.Mul(y, y))))
		}),
	} {
		if _, err := Sample(context.Background(), target, o, new(memory)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
