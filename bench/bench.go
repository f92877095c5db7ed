// Package bench compares the speed of compiled models with the same densities written by hand, in C and in Go, and
// (peers) with other systems.
//
// A ratio is taken in one process: both sides run alternately for some milliseconds each, and the median of their
// quotients counts, so that other load on the machine affects both sides.
package bench

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/compiler/backend/render"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// Lanes is the number of walkers that all sides move together.
const Lanes = 8

//go:embed models/*.ppl models/*/*.ppl
var models embed.FS

// A Case is a model with data.
type Case struct {
	Name   string
	Data   map[string]any // as JSON has it; nil if the model has it
	hand   [][]float64    // what the programs by hand take
	inside map[string]any // what other systems take instead of Data
	sizes  map[string]int // sizes that must be given
}

// Cases returns the models that are timed.
func Cases() []Case {
	return []Case{poisson(100), mixture(), logistic(), eightSchools(), gaussianProcess(), volatility()}
}

// Load compiles the model with its data, through a temporary directory as a user's files would be.
func (c Case) Load() (*compiler.Program, error) {
	dir, err := os.MkdirTemp("", "ppl-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	text, err := models.ReadFile("models/" + c.Name + ".ppl")
	if err != nil {
		return nil, err
	}
	model, data := filepath.Join(dir, "model.ppl"), filepath.Join(dir, "data.json")
	numbers, err := json.Marshal(c.Data)
	if err != nil {
		return nil, err
	}
	for name, content := range map[string][]byte{model: text, data: numbers} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			return nil, err
		}
	}
	var args []compiler.DataArg
	if len(c.Data) > 0 {
		args = append(args, compiler.DataArg{Path: data})
	}
	p, ds := compiler.Load(compiler.Request{Path: model, Data: args})
	if p == nil {
		return nil, fmt.Errorf("%s: %v", c.Name, ds)
	}
	return p, nil
}

// Density returns the program with the one entry that all sides have: lp and grad at theta.
func Density(t infer.Target) (*ir.Program, error) {
	g := autodiff.New()
	theta := g.Input("theta", t.Dim())
	prior, lik := t.Density(theta)
	lp := autodiff.Add(prior, lik)
	return lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "lp", Value: lp}, {Name: "grad", Value: autodiff.Grad(lp, theta)[0]}}}})
}

// Step returns the program of RENHD on the target, with noise in its gradients.
func Step(t infer.Target) (*ir.Program, error) {
	s := dynamics.System{Target: t, Path: dynamics.Energy, Noise: 0.25, Metric: adapt.Diagonal(t.Dim())}
	return lower.Program(dynamics.Program(dynamics.NoseHoover{Mass: 10}, s))
}

// Text returns the C of Step for the native device.
func Text(t infer.Target) (string, error) {
	p, err := Step(t)
	if err != nil {
		return "", err
	}
	return render.C(p), nil
}

// Rung sets what a lane of Step has for a rung of a ladder, the first at temperature 1.
func Rung(x device.Executable, lane, dim int) {
	dynamics.SetMetric(x, lane, adapt.Diagonal(dim))
	for name, v := range map[string]float64{dynamics.StepSize: StepSize, dynamics.Friction: Friction,
		dynamics.Thermostat: Friction,
		dynamics.Beta:       math.Pow(1.5, -float64(lane))} {
		x.SetLane(name, lane, []float64{v})
	}
}

// StepSize is in the target's coordinates; Friction is times the step.
const (
	StepSize = 0.01
	Friction = 0.1
)

// PeerData returns what other systems take: the model's data, or what the model has inside.
func (c Case) PeerData() map[string]any {
	out := maps.Clone(c.Data)
	if out == nil {
		out = maps.Clone(c.inside)
	}
	for name, v := range c.sizes {
		out[name] = v
	}
	return out
}
