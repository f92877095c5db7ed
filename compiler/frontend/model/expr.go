package model

import (
	"slices"

	"ppl/lang/source"
	"ppl/stdlib"
)

// An Expr is a typed expression. Its value depends only on the indices that it reads, so the compiler may evaluate it
// once and reuse the result. Children returns the direct subexpressions; every kind of expression has to implement it.
type Expr interface {
	Info() *Fact
	Children() []Expr
}

// Fact holds the properties common to all expressions. Static is true if the value depends on data and indices only.
type Fact struct {
	At     source.Span
	Type   Type
	Static bool
}

// Info returns the Fact that an expression embeds.
func (f *Fact) Info() *Fact { return f }

// Num is a literal.
type Num struct {
	Fact
	Value float64
}

// IndexVar is an index used as a value.
type IndexVar struct {
	Fact
	Index *Index
}

// SizeOf is the size of an index set whose size is given by data.
type SizeOf struct {
	Fact
	Size *Size
}

// Label is the position of an element in a set, given by the label of the element, such as "UCSF".
type Label struct {
	Fact
	Set  *Set
	Text string
}

// SetSize is the number of elements of a set.
type SetSize struct {
	Fact
	Set *Set
}

// Ref reads an entire array.
type Ref struct {
	Fact
	Array *Array
}

// Apply is an elementwise operator or function. The axes of its arguments are a subset of the axes of the result.
type Apply struct {
	Fact
	Name  string
	Args  []Expr
	Build func(args []stdlib.Node) stdlib.Node
}

// Lazy reports whether the operator is && or ||: if the first argument decides the result, subscripts in the second may
// be out of range.
func (x *Apply) Lazy() bool { return x.Name == "&&" || x.Name == "||" }

// Cond is c ? a : b. Subscripts in the branch that is not chosen may be out of range.
type Cond struct {
	Fact
	If, Then, Else Expr
}

// Subscript is x[sub, …]; the result keeps the axes of x without a subscript.
type Subscript struct {
	Fact
	X    Expr
	Subs []Sub
	// for a read of a chain at a constant distance from an index, this distance, set by analyze.Latents; nil for others
	Gap *int

	Inside *Inside // for a ragged array, the condition under which the element exists; nil if it always exists
}

// Inside is the condition under which an element of a ragged array exists: Place is in the range of its Group. Holds is
// this condition as an expression.
type Inside struct {
	Of                  *Ragged
	Group, Place, Holds Expr
}

// A Sub is one subscript: an entire axis, a range, or an index expression, which may have axes itself (a gather).
type Sub struct {
	At    Expr // nil for an entire axis or a range
	Range *Set // nil for an entire axis or an index
}

// Reduce is a reduction, such as a sum, of an expression over indices, or over all axes of the expression if Over is
// empty.
type Reduce struct {
	Fact
	Row  *stdlib.Reduction
	X    Expr
	Over []*Index
}

// Build is a comprehension: [i in N, j in M: body].
type Build struct {
	Fact
	Over []*Index
	Body Expr
}

// List is [a, b, …]; the items have the same axes.
type List struct {
	Fact
	Items []Expr
}

// Concat joins arrays along their first axis.
type Concat struct {
	Fact
	Items []Expr
}

// MatMul is x @ y: the sum over the last axis of x and the first axis of y.
type MatMul struct {
	Fact
	X, Y Expr
}

// Fill is fill(value, N, …): a constant array.
type Fill struct {
	Fact
	Value Expr
}

// Random is X with a random change that an optimiser of a network makes in each minibatch, such as dropout. How is the
// name of the function in the language, and By its numeric argument, which depends only on data. Number is the position
// of the expression in Model.Randoms.
type Random struct {
	Fact
	How    string
	X, By  Expr
	Moves  int // number of leading axes of X along which it moves elements
	Number int
	Called source.Span // source of the name How
}

// Vector is a function of entire vectors or matrices. The result of softmax, cumsum, … has the axes of X; the result of
// eigenvalues, … may lack the last ones.
type Vector struct {
	Fact
	Name  string
	X     Expr
	Build func(x stdlib.Node) stdlib.Node
}

// LogProb is logpdf(D(args), x), cdf, logcdf or quantile(D(args), p). It is elementwise if the distribution and its
// arguments are scalar; otherwise it is the density of one number, vector or matrix.
type LogProb struct {
	Fact
	Name string // logpdf, logcdf, cdf, quantile
	Dist *stdlib.Dist
	Form *stdlib.Form
	Args []Expr
	X    Expr
}

// OfVectors reports whether the drawn value or an argument is a vector or a matrix. Then the expression is not
// elementwise.
func (x *LogProb) OfVectors() bool {
	return x.Dist.Event > 0 || slices.ContainsFunc(x.Form.Args, func(a stdlib.Arg) bool { return a.Rank > 0 })
}

// Probability is probability(cond): the exact posterior probability of a condition on one latent, given the parameters.
// If is the condition, and Read its only read of the latent, which has subscripts Subs and axes Axes.
type Probability struct {
	Fact
	Latent *Array
	Subs   []Sub
	Axes   []*Set
	Read   Expr
	If     Expr
}

// Mode is mode(z): the jointly most probable values of the latents, given the parameters.
type Mode struct {
	Fact
	Latent *Array
}
