package plan

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"ppl/compiler/density/evaluate"
	"ppl/compiler/predict/simulate"
	"ppl/stdlib/ode"
)

// The number of step attempts of a solver is `max_steps` of `infer ode(…)`. Otherwise it is derived from solutions at
// starting points: three times their median, plus a constant. A solution that needs more is NaN, which a sampler counts
// as a divergence.
const (
	pilots      = 9
	budgetTimes = 3
	budgetMore  = 16
)

// budget sets the number of step attempts for each solution that the model needs.
func (p *Plan) budget(e *evaluate.Evaluator) {
	e.EachSolve(func(s evaluate.Solve) {
		n := p.attempts(s)
		if n > 0 {
			p.layout.Limits[s.Of] = n
		}
		p.compareSolution(e, s, n)
	})
}

// attempts returns the budget of one solution, or 0 if no starting point has a solution.
func (p *Plan) attempts(s evaluate.Solve) int {
	if n, err := strconv.Atoi(s.Of.System.Options["max_steps"]); err == nil {
		return n
	}
	var taken []int
	pilot, start := ode.NewPilot(s.Problem, s.Options), simulate.Starts(p.layout)
	for k := range pilots {
		theta := start(rand.New(rand.NewPCG(0x0de, uint64(k))))
		if n, ok := pilot.Steps(map[string][]float64{"theta": theta}); ok {
			taken = append(taken, n)
		}
	}
	if len(taken) == 0 {
		return 0
	}
	slices.Sort(taken)
	return budgetTimes*taken[len(taken)/2] + budgetMore
}
