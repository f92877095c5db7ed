// Package stdlib is the library of the language as tables: distributions, functions and transforms. Adding a
// distribution is adding a row to a table and reference values to its test. The row of the exponential distribution
// has, in short,
//
//	Name: "Exponential", Args: rate, Support: positive,
//	LogProb: log(rate) − rate·x, LogCCDF: −rate·x, Sample: a draw, Source: a citation
//
// A formula is written once, as graph arithmetic, and applies to whatever plates its arguments have; tests evaluate
// that same graph. Each formula has its source at its row.
package stdlib

import (
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/lang/types"
)

// Node is a value in a density's graph.
type Node = autodiff.Node

// Domain is what an argument must be.
type Domain struct {
	Kind   types.Kind // RealLine, Interval, IntRange, Simplex, …
	Lo, Hi float64    // of Interval and IntRange; infinite for none
}

// An Arg of a distribution or function.
type Arg struct {
	Name    string
	Rank    int // axes an instance of the argument has; the rest are plates
	Domain  Domain
	Default *float64 // nil: must be given
	Size    int      // how long the last axis must be; 0: any
	Columns bool     // the last axis, of columns, has a size of its own that no axis of a draw has to have
}

// A Form is one parametrisation of a distribution: Normal(mu, sd), Normal(mu, precision = …). The first form of a
// distribution is the positional one.
//
// LogProb gets x with shape plates + event and args with shape plates + their rank, and returns shape plates. An
// argument (or the x of a scalar distribution) that is the same for all plates may be passed without plate axes; it is
// then computed once. LogProb is normalised. Outside the support it gives -inf for scalar distributions (for vectors
// and matrices any finite number or -inf); parameters outside their domain also give -inf, with gradient 0; matrices
// that are not positive definite give NaN. Bounds returns the ends of the support for Interval and IntRange (shape
// plates, or scalars); an invalid Node is an infinite end.
type Form struct {
	Args    []Arg
	LogProb func(x Node, args []Node) Node
	Bounds  func(args []Node) (lo, hi Node) // nil: the Dist's fixed Lo, Hi
	// LogCDF and LogCCDF are log P(X ≤ x) and log P(X > x) of a scalar distribution, with shapes as in LogProb; both
	// are nil if there are none. Those of a distribution of integers may be sums: then they give an invalid Node unless
	// the support is finite or x is static.
	LogCDF, LogCCDF func(x Node, args []Node) Node
	both            bothOf // both in a row that has them together; then they are nil there
	summed          bool   // they are sums
	// zero is log P(X = 0) of a distribution of counts, by a formula that keeps its digits where the probability is
	// nearly 1, and costs less than both at 0; nil if there is none.
	zero func(args []Node) Node
	// tail is log P(X > k) at whole k where that is at most ½, of a distribution of infinitely many integers whose
	// cumulative functions are sums; nil if it is not needed.
	tail density
	// Quantile is the least x with P(X ≤ x) ≥ p of a scalar distribution with a LogCDF, NaN for p outside 0..1; from
	// the support's end to 1e147. Its gradient is right for distributions with a density. It is 0 for distributions of
	// integers, where P(X ≤ x) within 1e-12 of p counts as p. It is invalid if LogCDF is invalid for every x that is
	// not static.
	Quantile func(p Node, args []Node) Node
	// Marginal is the log density of those elements of a vector at which seen is 1, of shape plates + event, whatever x
	// is at the others. It is nil if there is no formula for it.
	Marginal func(x, seen Node, args []Node) Node
	// Sample draws one event: args are flattened per instance, out has the event's size. It is nil for an improper
	// distribution.
	Sample func(r *rand.Rand, args [][]float64, out []float64)
	// Mean is the expected value of an event, with arguments as for Sample; of VonMises its direction. It may be
	// infinite or NaN. It is nil if there is no formula for it.
	Mean func(args [][]float64, out []float64)
	// Share is P(X = k) of a distribution of categories 1, 2, …, and nil for others.
	Share func(args [][]float64, k int) float64
	// Given draws those elements of an event that are not known, given those that are, which out has. It is nil where
	// there is no such draw, or where what is known would not have the same distribution without the rest.
	Given func(r *rand.Rand, args [][]float64, known []bool, out []float64)
}

// A Dist is a row of the table of distributions.
type Dist struct {
	Name     string
	Doc      string // one sentence with the density
	Source   string // where the formula is from
	Event    int    // rank of one draw
	Support  types.Kind
	Lo, Hi   float64 // of Interval and IntRange
	Improper bool    // Flat
	// LocationScale: x = location + scale·z where z has the same distribution at location 0 and scale 1, so noncentered
	// applies. The location is argument Location of every form, the scale (or its variance or precision) the one after
	// it.
	LocationScale bool
	Location      int
	InTime        bool // the elements of a draw follow one another in time
	// Enumerate is the first value and the number of values of a finite discrete support, from the shapes or static
	// values of its args (for ends that differ between plates, of their union); ok is false when they are not static.
	// nil when the support is not finite.
	Enumerate func(args []Node) (first, n int, ok bool)
	Forms     []Form
}

// Discrete reports whether draws are integers.
func (d *Dist) Discrete() bool { return d.Support == types.IntRange }

// HasCDF reports whether a form has a distribution function.
func (d *Dist) HasCDF() bool {
	return slices.ContainsFunc(d.Forms, func(f Form) bool { return f.LogCDF != nil })
}

// Recentres reports whether a statement with the distribution may be noncentered.
func (d *Dist) Recentres() bool {
	return d.LocationScale || d.HasLine() || d.Name == "MvNormal" || d.Name == "GaussianRandomWalk"
}

// A Range is an interval that contains a value, and whether the value is an integer. The checker propagates ranges
// through expressions.
type Range struct {
	Lo, Hi float64
	Int    bool
}

// A Func is a row of the table of elementwise functions: all arguments and the result have one shape.
type Func struct {
	Name  string
	Doc   string
	Args  []string // names, for diagnostics
	Range func(args []Range) Range
	Build func(args []Node) Node
}

// A Reduction is a row of the table of reductions over axes: sum, prod, max, min, mean, sd, all, any, logsumexp, ….
type Reduction struct {
	Name  string
	Doc   string
	Empty float64 // over an empty set; NaN means an error
	Range func(x Range, n int) Range
	Build func(x Node, axes []int) Node
	// Within folds those elements where inside, of x's shape, is 1; it is NaN if there are none. nil if an
	// element that is Empty changes nothing.
	Within func(x, inside Node, axes []int) Node
}

// A Transform maps unconstrained coordinates to a support, event by event.
//
// Constrain gets u with shape plates + [Free(event)…] and returns x with shape plates + event and the log-Jacobian with
// shape plates; lo and hi (shape plates, or invalid for an infinite end) are the bounds of Interval and Ordered.
// Unconstrain is its inverse on numbers, one event at a time; an error says that x is outside the support.
type Transform struct {
	Kind        types.Kind
	Free        func(event []int) []int // shape of the unconstrained event
	Constrain   func(u Node, event []int, lo, hi Node) (x, logJac Node)
	Unconstrain func(x []float64, event []int, lo, hi float64) ([]float64, error)
}
