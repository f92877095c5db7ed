// Package bench times what ppl makes of models against the same densities by hand, in C and in Go, and (peers) against other systems.
//
// A ratio is taken in one process: both sides run in turns of some milliseconds, and the median of their quotients counts, so that what
// else the machine does meets both.
package bench

import (
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/ir"
	"ppl/compiler/lower"
	"ppl/infer"
	"ppl/infer/adapt"
	"ppl/infer/dynamics"
)

// Lanes is the number of walkers that all sides move together.
const Lanes = 8

//go:embed models/*.ppl
var models embed.FS

// A Case is a model with data.
type Case struct {
	Name string
	Data map[string]any // as JSON has it
	hand [][]float64    // what the programs by hand take
}

// Cases are the models that are timed.
func Cases() []Case {
	return []Case{poisson(), mixture(), logistic(), eightSchools(), gaussianProcess(), volatility()}
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
	p, ds := compiler.Load(model, args)
	if p == nil {
		return nil, fmt.Errorf("%s: %v", c.Name, ds)
	}
	return p, nil
}

// Density is the program with the one entry that all sides have: lp and grad at theta.
func Density(t infer.Target) (*ir.Program, error) {
	g := autodiff.New()
	theta := g.Input("theta", t.Dim())
	prior, lik := t.Density(theta)
	lp := autodiff.Add(prior, lik)
	return lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "lp", Value: lp}, {Name: "grad", Value: autodiff.Grad(lp, theta)[0]}}}})
}

// Step is the program of a sampler on the target.
func Step(t infer.Target, r dynamics.Rule, path dynamics.Path, noise float64) (*ir.Program, error) {
	return lower.Program(dynamics.Program(r, dynamics.System{Target: t, Path: path, Noise: noise, Metric: adapt.Diagonal(t.Dim())}))
}
