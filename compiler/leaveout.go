package compiler

import (
	"ppl/autodiff"
	"ppl/compiler/plan"
	"ppl/lang/types"
)

// A LeftOut is the target of a program without some rows of its data, whose log density is recorded instead: what exact
// leave-one-out cross-validation samples. It has no Split, since its rows are not those of the program.
//
//	y[i in N] ~ Normal(mu, 1)     of: y, rows: 2     log ℓ without y[3]; Values end with log p(y[3] | mu)
type LeftOut struct {
	program *Program
	of      string // the observed array, as LogDensities names it
	rows    []int  // row-major
}

// LeaveOut leaves out rows, counted from 0, of an observation of LogDensities.
func (p *Program) LeaveOut(of string, rows ...int) LeftOut { return LeftOut{p, of, rows} }

// Dim is that of the program.
func (l LeftOut) Dim() int { return l.program.Dim() }

// ProperPrior is that of the program.
func (l LeftOut) ProperPrior() bool { return l.program.ProperPrior() }

// Start is that of the program.
func (l LeftOut) Start(seed uint64, walker int) []float64 { return l.program.Start(seed, walker) }

// Saved returns what the program saves, then the log density of the rows.
func (l LeftOut) Saved() []types.Variable {
	return append(l.program.Saved()[:len(l.program.Saved()):len(l.program.Saved())],
		types.Variable{Name: "log density of the rows"})
}

// Density adds log ρ and log ℓ without the rows.
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

// Values adds what the program saves, then the log density of the rows.
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

// without returns the elements of a vector but for some.
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

// elements returns some elements of a vector.
func elements(x autodiff.Node, at []int) autodiff.Node {
	numbers := make([]float64, len(at))
	for k, i := range at {
		numbers[k] = float64(i)
	}
	return autodiff.Gather(x, x.Graph().Data("rows", numbers, len(numbers)))
}
