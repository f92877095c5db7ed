// Package bench compares the speed of compiled models with that of the same densities written by hand, in C and in Go,
// and (bench/peers) with other systems.
//
// Both sides run alternately in one process, for some milliseconds each. The result is the median of the ratios of
// their times, so that other load on the machine affects both sides.
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

// Lanes is the number of walkers that each side moves together.
const Lanes = 8

//go:embed models/*.ppl models/*/*.ppl
var models embed.FS

// A Case is a model with data.
type Case struct {
	Name   string
	Data   map[string]any // data in the form of JSON; nil if the model contains them
	hand   [][]float64    // arguments of the hand-written densities
	inside map[string]any // data for other systems, if Data is nil
	sizes  map[string]int // array sizes that other systems need
}

// Cases returns the models to time.
func Cases() []Case {
	return []Case{poisson(100), mixture(), logistic(), eightSchools(), gaussianProcess(), volatility()}
}

// Load compiles the model with its data. It writes both to a temporary directory, as a user would.
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

// Density returns a program with one entry, which computes lp and grad at theta. All sides have this entry.
func Density(t infer.Target) (*ir.Program, error) {
	g := autodiff.New()
	theta := g.Input("theta", t.Dim())
	prior, lik := t.Density(theta)
	lp := autodiff.Add(prior, lik)
	return lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "lp", Value: lp}, {Name: "grad", Value: autodiff.Grad(lp, theta)[0]}}}})
}

// Step returns the program of one RENHD step on the target, with noise in its gradients.
func Step(t infer.Target) (*ir.Program, error) {
	s := dynamics.System{Target: t, Path: dynamics.Energy, Noise: 0.25, Metric: adapt.Diagonal(t.Dim())}
	return lower.Program(dynamics.Program(dynamics.NoseHoover{Mass: 10}, s))
}

// Text returns the C code of Step for the native device.
func Text(t infer.Target) (string, error) {
	p, err := Step(t)
	if err != nil {
		return "", err
	}
	return render.C(p), nil
}

// Rung sets the parameters of one lane of Step. Each lane is a rung of a temperature ladder; lane 0 has temperature 1.
func Rung(x device.Executable, lane, dim int) {
	dynamics.SetMetric(x, lane, adapt.Diagonal(dim))
	for name, v := range map[string]float64{dynamics.StepSize: StepSize, dynamics.Friction: Friction,
		dynamics.Thermostat: Friction,
		dynamics.Beta:       math.Pow(1.5, -float64(lane))} {
		x.SetLane(name, lane, []float64{v})
	}
}

// StepSize is in the target's coordinates. Friction is per step.
const (
	StepSize = 0.01
	Friction = 0.1
)

// PeerData returns the data for other systems.
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
