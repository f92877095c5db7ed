package plan

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ppl/autodiff"
	"ppl/compiler/density/evaluate"
	"ppl/compiler/predict/simulate"
	"ppl/lang/diag"
	"ppl/stdlib/ode"
)

// An adaptive solver evaluates a right-hand side only at some times. It can miss a pulse that is short compared with
// its steps, and its error estimate is then too small. Each solution is therefore computed a second time at a starting
// point, with many forced stops and a smaller tolerance, and compared.
const (
	mostStops      = 2000
	finerTolerance = 100
	// unseen is the smallest difference that is reported, as a share of the largest absolute value of the state. The
	// global error of a smooth problem is some hundred times the tolerance of 1e-6.
	unseen = 0.01
	// finerSize is the number of states times stops that takes about a second.
	finerSize = 50000
)

// compareSolution warns if a solution depends on the step size of the solver.
func (p *Plan) compareSolution(e *evaluate.Evaluator, s evaluate.Solve, attempts int) {
	states := s.Problem.Y0.Size()
	stops := min(mostStops, finerSize/max(1, states))
	if stops < 100 || len(s.Problem.Times) == 0 || attempts == 0 {
		return
	}
	coarse, fine := s.Options, s.Options
	coarse.MaxSteps = attempts
	fine.RTol, fine.ATol = fine.RTol/finerTolerance, fine.ATol/finerTolerance
	fine.MaxSteps = 4*attempts + 2*stops
	theta := simulate.Starts(p.layout)(rand.New(rand.NewPCG(0x0de, 0)))
	values := autodiff.Eval(map[string][]float64{"theta": theta}, ode.Solve(s.Problem, coarse),
		ode.Solve(withStops(s.Problem, stops), fine))
	off, at := difference(values[0], values[1], states)
	if !(off > math.Max(unseen, finerTolerance*s.Options.RTol)) {
		return
	}
	st := s.Of.System.States[0]
	e.Diags.Warnf(diag.SolverSteps, st.At, "the solution of %s changes by %s if the solver takes smaller steps, at a "+
		"starting point and time %.4g", s.Of.System.Names(), percent(off), s.Problem.Times[at]).
		Help("if long steps miss a short pulse, write it with comparisons, such as `t > 5 && t < 6 ? 1 : 0`, at " +
			"which the solver stops, or as an event, `at t = 5: u += 1`; otherwise make `rtol` of `infer ode(…)` " +
			"smaller")
}

// withStops returns the problem with n equal intervals between forced stops.
func withStops(p ode.Problem, n int) ode.Problem {
	last := p.Times[len(p.Times)-1]
	p.Breaks = append([]float64(nil), p.Breaks...)
	for k := 1; k < n; k++ {
		p.Breaks = append(p.Breaks, p.T0+(last-p.T0)*float64(k)/float64(n))
	}
	return p
}

// difference returns the largest difference of two solutions, as a share of the largest absolute value of the state,
// and its time index. It returns 0 if a value is not finite.
func difference(a, b []float64, states int) (share float64, at int) {
	for s := range states {
		scale := 0.0
		for i := s; i < len(b); i += states {
			if math.IsNaN(a[i]-b[i]) || math.IsInf(a[i]-b[i], 0) {
				return 0, 0
			}
			scale = math.Max(scale, math.Abs(b[i]))
		}
		for i := s; i < len(b); i += states {
			if off := math.Abs(a[i]-b[i]) / math.Max(scale, ode.Tolerance); off > share {
				share, at = off, i/states
			}
		}
	}
	return share, at
}

func percent(share float64) string {
	if share > 10 {
		return fmt.Sprintf("a factor of %.2g", share)
	}
	return fmt.Sprintf("%.2g %%", 100*share)
}
