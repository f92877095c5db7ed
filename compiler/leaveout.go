package compiler

import (
	"ppl/autodiff"
	"ppl/compiler/plan"
	"ppl/lang/types"
)

// A LeftOut is the target of a program without one row of its data, whose log density is recorded instead: what exact
// leave-one-out cross-validation samples. It has no Split, since its rows are not those of the program.
//
//	y[i in N] ~ Normal(mu, 1)     Of: y, Row: 2     log ℓ without y[3]; Values end with log p(y[3] | mu)
type LeftOut struct {
	program *Program
	of      string // the observed array, as LogDensities names it
	row     int    // row-major
}

// LeaveOut leaves out a row, counted from 0, of an observation of LogDensities.
func (p *Program) LeaveOut(of string, row int) LeftOut { return LeftOut{p, of, row} }

// Dim is that of the program.
func (l LeftOut) Dim() int { return l.program.Dim() }

// ProperPrior is that of the program.
func (l LeftOut) ProperPrior() bool { return l.program.ProperPrior() }

// Start is that of the program.
func (l LeftOut) Start(seed uint64, walker int) []float64 { return l.program.Start(seed, walker) }

// Saved is what the program saves, then the log density of the row.
func (l LeftOut) Saved() []types.Variable {
	return append(l.program.Saved()[:len(l.program.Saved()):len(l.program.Saved())],
		types.Variable{Name: "log density of the row"})
}

// Density adds log ρ and log ℓ without the row.
func (l LeftOut) Density(theta autodiff.Node) (logPrior, logLik autodiff.Node) {
	logPrior, _ = l.program.Density(theta)
	logLik = theta.Graph().Const(0)
	for _, d := range l.program.Pointwise(theta).Rows {
		rows := flat(d)
		if d.Variable.Name == l.of {
			rows = without(rows, l.row)
		}
		logLik = autodiff.Add(logLik, autodiff.SumAll(rows))
	}
	return logPrior, logLik
}

// Values adds what the program saves, then the log density of the row.
func (l LeftOut) Values(theta autodiff.Node) autodiff.Node {
	parts := []autodiff.Node{l.program.Values(theta)}
	for _, d := range l.program.Pointwise(theta).Rows {
		if d.Variable.Name == l.of {
			parts = append(parts, autodiff.Slice(flat(d), []int{l.row}, []int{l.row + 1}))
		}
	}
	return autodiff.Concat(0, parts...)
}

func flat(d plan.LogDensity) autodiff.Node { return autodiff.Reshape(d.Node, d.Node.Size()) }

// without are the elements of a vector but for one.
func without(x autodiff.Node, at int) autodiff.Node {
	n := x.Size()
	return autodiff.Concat(0, autodiff.Slice(x, []int{0}, []int{at}), autodiff.Slice(x, []int{at + 1}, []int{n}))
}
