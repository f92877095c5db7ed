package compiler

import (
	"ppl/autodiff"
	"ppl/compiler/plan"
	"ppl/lang/types"
)

// A LeftOut is the target for a program without some rows of its data; it records their log density. It is used for
// exact leave-one-out cross-validation. It has no Split, because its rows differ from those of the program.
//
//	y[i in N] ~ Normal(mu, 1)     of: y, rows: 2     log ℓ without y[3]; Values end with log p(y[3] | mu)
type LeftOut struct {
	program *Program
	of      string // name of the observed array, as in LogDensities
	rows    []int  // row-major positions
}

// LeaveOut returns the target without the given rows, counted from 0, of an observation listed by LogDensities.
func (p *Program) LeaveOut(of string, rows ...int) LeftOut { return LeftOut{p, of, rows} }

// Dim returns the number of coordinates of the program.
func (l LeftOut) Dim() int { return l.program.Dim() }

// ProperPrior reports whether the prior of the program is proper.
func (l LeftOut) ProperPrior() bool { return l.program.ProperPrior() }

// Start draws a starting point of the program.
func (l LeftOut) Start(seed uint64, walker int) []float64 { return l.program.Start(seed, walker) }

// Saved returns the variables of the program, followed by the log density of the omitted rows.
func (l LeftOut) Saved() []types.Variable {
	return append(l.program.Saved()[:len(l.program.Saved()):len(l.program.Saved())],
		types.Variable{Name: "log density of the rows"})
}

// Density returns log ρ, and log ℓ without the rows.
func (l LeftOut) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, _ = l.program.Density(theta)
	logLik = theta.Graph().Const(0)
	for _, d := range l.program.Pointwise(theta).Rows {
		rows := flat(d)
		if d.Variable.Name == l.of {
			rows = without(rows, l.rows)
		}
		logLik = autodiff.Add(logLik, autodiff.SumAll(rows))
	}
	return logPrior, logLik
}

// Values returns the values of the program, followed by the log density of the omitted rows.
func (l LeftOut) Values(theta autodiff.Node) autodiff.Node {
	parts := []autodiff.Node{l.program.Values(theta)}
	for _, d := range l.program.Pointwise(theta).Rows {
		if d.Variable.Name == l.of {
			parts = append(parts, autodiff.Reshape(autodiff.SumAll(elements(flat(d), l.rows)), 1))
		}
	}
	return autodiff.Concat(0, parts...)
}

func flat(d plan.LogDensity) autodiff.Node { return autodiff.Reshape(d.Node, d.Node.Size()) }

// without returns the elements of a vector except those at some positions.
func without(x autodiff.Node, out []int) autodiff.Node {
	gone := make([]bool, x.Size())
	for _, i := range out {
		gone[i] = true
	}
	var kept []int
	for i, is := range gone {
		if !is {
			kept = append(kept, i)
		}
	}
	return elements(x, kept)
}

// elements returns the elements of a vector at some positions.
func elements(x autodiff.Node, at []int) autodiff.Node {
	numbers := make([]float64, len(at))
	for k, i := range at {
		numbers[k] = float64(i)
	}
	return autodiff.Gather(x, x.Graph().Data("rows", numbers, len(numbers)))
}
