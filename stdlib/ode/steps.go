package ode

import (
	"fmt"
	"math"

	ad "ppl/autodiff"
)

// patience is the number of attempts after which Steps gives up.
const patience = 2_000

// Steps is the number of attempts that the solution takes where the graph's inputs have the given values; ok is false if it does
// not get to the last time: where the solution does not exist so long, steps become too short to move the time.
func Steps(p Problem, o Options, inputs map[string][]float64) (n int, ok bool) {
	s := newSolver(p, o)
	if len(s.times) == 0 {
		return 0, true
	}
	values := ad.Eval(inputs, append([]Node{s.start()}, p.Shared...)...)
	g, env := ad.New(), map[string][]float64{"carry": values[0]}
	shared := make([]Node, len(p.Shared))
	for k, x := range p.Shared {
		name := fmt.Sprint("shared", k)
		shared[k], env[name] = g.Input(name, x.Shape()...), values[1+k]
	}
	next := s.attempt(g.Input("carry", len(values[0])), shared)
	for n = range patience {
		t, h, reached := env["carry"][0], math.Exp2(grain*env["carry"][1]), env["carry"][2]
		if reached == float64(len(s.times)) || !(t+h > t) {
			return n, reached == float64(len(s.times))
		}
		env["carry"] = ad.Eval(env, next)[0]
	}
	return patience, false
}
