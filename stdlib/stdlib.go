// Package stdlib is the library of the language as tables: distributions, functions and transforms. A new distribution
// is a row in a table, with reference values in its test. The row of the exponential distribution is, in short,
//
//	Name: "Exponential", Args: rate, Support: positive,
//	LogProb: log(rate) − rate·x, LogCCDF: −rate·x, Sample: a draw, Source: a citation
//
// A formula is written once, as graph arithmetic, for arguments with any plates: leading axes, over which a statement
// of a model is repeated. Tests evaluate the same graph. The row names the source of its formulas.
package stdlib

import (
	"math/rand/v2"
	"slices"

	"ppl/autodiff"
	"ppl/lang/types"
)

// Node is a value in a computation graph.
type Node = autodiff.Node

// Domain is the set of values that an argument may have.
type Domain struct {
	Kind   types.Kind // RealLine, Interval, IntRange, Simplex, …
	Lo, Hi float64    // ends of Interval and IntRange; may be infinite
}

// An Arg is an argument of a distribution.
type Arg struct {
	Name    string
	Rank    int // number of axes of one argument; axes before them are plates
	Domain  Domain
	Default *float64 // nil if the argument is required
	Size    int      // required length of the last axis; 0 for any length
	Columns bool     // the last axis has its own size, which is not a size of the draw
}

// A Form is one parametrisation of a distribution: Normal(mu, sd), Normal(mu, precision = …). Only the first form of a
// distribution has positional arguments.
//
// LogProb takes x of shape plates + event and arguments of shape plates + their rank, and returns a node of shape
// plates. An argument (or the x of a scalar distribution) that is the same for all plates may lack plate axes; it is
// then computed once. LogProb is normalised. Outside the support it is -inf for scalar distributions, and -inf or any
// finite number for vectors and matrices. If a parameter is outside its domain, it is -inf with gradient 0. Matrices
// that are not positive definite give NaN. Bounds returns the ends of the support for Interval and IntRange, of shape
// plates or scalars. An invalid Node is an infinite end.
type Form struct {
	Args    []Arg
	LogProb func(x Node, args []Node) Node
	Bounds  func(args []Node) (lo, hi Node) // nil: the ends are Lo and Hi of Dist
	// LogCDF and LogCCDF return log P(X ≤ x) and log P(X > x) of a scalar distribution, with shapes as in LogProb; both
	// are nil if there are none. For integers they may be sums (see summed): the result is then an invalid Node unless
	// the support is finite or x is static.
	LogCDF, LogCCDF func(x Node, args []Node) Node
	both            bothOf // computes both; if set in a row, the row's LogCDF and LogCCDF are nil
	summed          bool   // reports whether LogCDF and LogCCDF are sums
	// zero returns log P(X = 0) of a distribution of counts, by a formula that keeps its digits if the probability is
	// nearly 1 and costs less than both at 0. It is nil if there is none.
	zero func(args []Node) Node
	// tail returns log P(X > k) at integers k at which that probability is at most ½. It is for distributions of
	// infinitely many integers whose cumulative functions are sums; nil if it is not needed.
	tail density
	// Quantile returns the least x with P(X ≤ x) ≥ p of a scalar distribution with a LogCDF. It is NaN for p outside
	// 0..1, and at most 1e147. Its gradient is correct for distributions with a density and 0 for distributions of
	// integers, for which P(X ≤ x) within 1e-12 of p counts as p. It is an invalid Node if LogCDF is invalid for
	// non-static x.
	Quantile func(p Node, args []Node) Node
	// Marginal returns the log density of the elements of a vector at which seen, of shape plates + event, is 1. It
	// ignores the other elements of x. It is nil if there is no formula for it.
	Marginal func(x, seen Node, args []Node) Node
	// Sample draws one event into out, which has the event's size. args are those of one instance, flattened. It is nil
	// for an improper distribution.
	Sample func(r *rand.Rand, args [][]float64, out []float64)
	// Mean writes the expected value of an event to out; args are as in Sample. For VonMises it is the mean direction.
	// It may be infinite or NaN. It is nil if there is no formula for it.
	Mean func(args [][]float64, out []float64)
	// Share returns P(X = k) of a distribution of categories 1, 2, …. It is nil for other distributions.
	Share func(args [][]float64, k int) float64
	// Given draws the elements of an event that are not known, given the known ones, which out contains. It is nil if
	// there is no such algorithm, or if the known elements alone would have a different distribution than within the
	// full event.
	Given func(r *rand.Rand, args [][]float64, known []bool, out []float64)
}

// A Dist is a row of the table of distributions.
type Dist struct {
	Name     string
	Doc      string // one sentence that includes the density
	Source   string // citation for the formulas
	Event    int    // number of axes of one draw
	Support  types.Kind
	Lo, Hi   float64 // ends of Interval and IntRange
	Improper bool    // true for Flat
	// LocationScale reports whether x = location + scale·z, where z has the same distribution at location 0 and scale
	// 1. The noncentered form is then available. The location is argument number Location of every form, and the scale
	// (or its variance or precision) is the next argument.
	LocationScale bool
	Location      int
	InTime        bool // reports whether the elements of a draw follow each other in time
	// Enumerate returns the first value and the number of values of a finite discrete support, computed from shapes or
	// static values of args. If the ends differ between plates, it returns the union. ok is false if they are not
	// static. Enumerate is nil if the support is not finite.
	Enumerate func(args []Node) (first, n int, ok bool)
	Forms     []Form
}

// Discrete reports whether draws are integers.
func (d *Dist) Discrete() bool { return d.Support == types.IntRange }

// HasCDF reports whether some form has a cumulative distribution function.
func (d *Dist) HasCDF() bool {
	return slices.ContainsFunc(d.Forms, func(f Form) bool { return f.LogCDF != nil })
}

// Recentres reports whether a statement with this distribution can be noncentered.
func (d *Dist) Recentres() bool {
	return d.LocationScale || d.HasLine() || d.Name == "MvNormal" || d.Name == "GaussianRandomWalk"
}

// A Range is an interval that contains a value, and Int reports whether the value is an integer. The checker propagates
// ranges through expressions.
type Range struct {
	Lo, Hi float64
	Int    bool
}

// A Func is a row of the table of elementwise functions. All arguments and the result have the same shape.
type Func struct {
	Name  string
	Doc   string
	Args  []string // names for diagnostics
	Range func(args []Range) Range
	Build func(args []Node) Node
}

// A Reduction is a row of the table of reductions over axes: sum, prod, max, min, mean, sd, all, any, logsumexp, ….
type Reduction struct {
	Name  string
	Doc   string
	Empty float64 // result over no elements; NaN means that this is an error
	Range func(x Range, n int) Range
	Build func(x Node, axes []int) Node
	// Within reduces only the elements at which inside, of x's shape, is 1. The result is NaN if there are none. Within
	// is nil if an element equal to Empty does not change the result.
	Within func(x, inside Node, axes []int) Node
}

// A Transform maps unconstrained coordinates to a support, separately for each event.
//
// Constrain takes u of shape plates + [Free(event)…] and returns x of shape plates + event and the log-Jacobian of
// shape plates. lo and hi are the ends of Interval and Ordered, of shape plates; an invalid Node is an infinite end.
// Unconstrain is its inverse, on the numbers of one event. It returns an error if x is outside the support.
type Transform struct {
	Kind        types.Kind
	Free        func(event []int) []int // shape of the unconstrained event
	Constrain   func(u Node, event []int, lo, hi Node) (x, logJac Node)
	Unconstrain func(x []float64, event []int, lo, hi float64) ([]float64, error)
}
