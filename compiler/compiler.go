// Package compiler is the front door: a model's source and its data become a density that samplers and the command line use.
package compiler

import (
	"math/rand/v2"

	"ppl/autodiff"
	"ppl/compiler/data"
	"ppl/compiler/model"
	"ppl/infer/draws"
	"ppl/lang/diag"
)

// A DataArg is one --data flag: NAME=PATH, or PATH alone (Name empty) for a file whose entries give arrays by name.
type DataArg struct{ Name, Path string }

// Check parses and checks a model without data. The model is nil when there are errors.
func Check(path string) (*model.Model, []diag.Diagnostic) { panic("todo") }

// Load checks a model, binds its data and resolves its sizes. The program is nil when there are errors.
func Load(path string, args []DataArg) (*Program, []diag.Diagnostic) { panic("todo") }

// A Program is a model with its data: an infer.Target and what the command line prints.
type Program struct{}

// Model is the checked model.
func (p *Program) Model() *model.Model { panic("todo") }

// Infer is what the model's infer statement says: the sampler's name (empty if none) and its settings as text.
func (p *Program) Infer() (sampler string, settings map[string]string) { panic("todo") }

// Dim is the number of unconstrained coordinates.
func (p *Program) Dim() int { panic("todo") }

// Density adds log ρ (with log-Jacobian) and log ℓ at theta to theta's graph.
func (p *Program) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) { panic("todo") }

// ProperPrior reports whether log ρ is known to integrate.
func (p *Program) ProperPrior() bool { panic("todo") }

// Start draws a point to begin at.
func (p *Program) Start(seed uint64, walker int) []float64 { panic("todo") }

// Saved lists what is kept of a draw.
func (p *Program) Saved() []draws.Variable { panic("todo") }

// Values adds all of Saved to theta's graph; elements that need random numbers (generate v ~ D) are 0 until Complete.
func (p *Program) Values(theta autodiff.Node) autodiff.Node { panic("todo") }

// Complete draws the elements of values (in the order of Saved) that need random numbers, in place.
func (p *Program) Complete(r *rand.Rand, values []float64) { panic("todo") }

// Observed is the data on the left of ~, with their axes, for the run directory.
func (p *Program) Observed() ([]draws.Variable, [][]float64) { panic("todo") }

// A LogProb is a density at given parameter values, on their own scale.
type LogProb struct {
	Prior, Likelihood, Jacobian float64
	Rows                        map[string][]float64 // log ℓ of each row, by observed name
	Gradient                    map[string][]float64 // of log ρ + log ℓ (no Jacobian) with respect to each parameter on its own scale
}

// LogProb evaluates the density at parameter values; an error names a parameter that is missing, unknown, of the wrong shape
// or outside its support.
func (p *Program) LogProb(at map[string]*data.Array) (*LogProb, error) { panic("todo") }
