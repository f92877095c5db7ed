package ode

import (
	"fmt"
	"math"

	ad "ppl/autodiff"
)

// maxPilotAttempts is the number of attempts after which Steps stops.
const maxPilotAttempts = 2_000

// A Pilot solves a problem outside the graph to count the steps that it needs.
type Pilot struct {
	*solver
	start *ad.Routine // computes the initial carry and inputs; nil if all output times are T0
	step  *ad.Routine
}

// NewPilot prepares a Pilot. It ignores MaxSteps.
func NewPilot(p Problem, o Options) *Pilot {
	pilot := &Pilot{solver: newSolver(p, o)}
	if len(pilot.times) == 0 {
		return pilot
	}
	start, g, inputs := pilot.solver.start(), ad.New(), pilot.inputs()
	within := make([]Node, len(inputs))
	for k, x := range inputs {
		within[k] = g.Input(fmt.Sprint("input", k), x.Shape()...)
	}
	pilot.start = ad.NewRoutine(append([]Node{start}, inputs...)...)
	pilot.step = ad.NewRoutine(pilot.attempt(g.Input("carry", start.Size()), within))
	return pilot
}

// Steps returns the number of attempts that the solution needs at the given values of the graph's inputs. ok is false
// if the solution does not reach the last time, for example because it diverges before and steps become too short to
// advance t.
func (p *Pilot) Steps(inputs map[string][]float64) (n int, ok bool) {
	if len(p.times) == 0 {
		return 0, true
	}
	values := p.start.Eval(inputs)
	env := map[string][]float64{"carry": values[0]}
	for k, v := range values[1:] {
		env[fmt.Sprint("input", k)] = v
	}
	for n = range maxPilotAttempts {
		t, h, reached := env["carry"][0], math.Exp2(grain*env["carry"][1]), env["carry"][2]
		if reached == float64(len(p.times)) || !(t+h > t) {
			return n, reached == float64(len(p.times))
		}
		env["carry"] = p.step.Eval(env)[0]
	}
	return maxPilotAttempts, false
}
