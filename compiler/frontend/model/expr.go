package model

import (
	"slices"

	"ppl/lang/source"
	"ppl/stdlib"
)

// An Expr is a typed expression. Its value is determined by the indices it reads, so it may be evaluated once wherever
// it stands. Children are its direct subexpressions: a new kind that has none must say so.
type Expr interface {
	Info() *Fact
	Children() []Expr
}

// Fact is what is known of every expression. Static: it depends on data (and indices) only.
type Fact struct {
	At     source.Span
	Type   Type
	Static bool
}

// Info makes an embedded Fact an Expr's.
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

// SizeOf is the size of an index set that data give.
type SizeOf struct {
	Fact
	Size *Size
}

// Label is the number of an element of a set, given by its name: "UCSF".
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

// Ref is a whole array.
type Ref struct {
	Fact
	Array *Array
}

// Apply is an elementwise operator or function; axes of the arguments are among those of the result.
type Apply struct {
	Fact
	Name  string
	Args  []Expr
	Build func(args []stdlib.Node) stdlib.Node
}

// Lazy reports whether the second argument's subscripts may be out of range where the first decides: && and ||.
func (x *Apply) Lazy() bool { return x.Name == "&&" || x.Name == "||" }

// Cond is c ? a : b, lazy for subscripts.
type Cond struct {
	Fact
	If, Then, Else Expr
}

// Subscript is x[sub, …]; axes without a sub stay.
type Subscript struct {
	Fact
	X    Expr
	Subs []Sub
	Gap  *int // written by analyze.Latents: of a chain read at a constant distance from an index, the distance

	Inside *Inside // of a ragged array: where the element exists; nil if it does by its form
}

// Inside is the condition under which an element of a ragged array exists: Place is in the range of its Group.
type Inside struct {
	Of                  *Ragged
	Group, Place, Holds Expr
}

// A Sub is a whole axis, a range, or an index expression (which may have axes of its own: a gather).
type Sub struct {
	At    Expr // nil for the whole axis or a range
	Range *Set // nil for the whole axis or an index
}

// Reduce folds an expression over indices, or over all its axes when Over is empty.
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

// MatMul is x @ y: the sum over the last axis of x and the first of y.
type MatMul struct {
	Fact
	X, Y Expr
}

// Fill is fill(value, N, …): a constant array.
type Fill struct {
	Fact
	Value Expr
}

// Random is X, which an optimiser of a network changes at random in each minibatch: How says what it does, as the
// language calls it, and By how much. By depends on data only; Number is its place among those of the model, from 0.
type Random struct {
	Fact
	How    string
	X, By  Expr
	Moves  int // along how many of the first axes of X it moves elements
	Number int
	Called source.Span // where How stands
}

// Vector is a function of whole vectors or matrices: softmax, cumsum, …, with the axes of X, and eigenvalues, …, which
// may drop the last ones.
type Vector struct {
	Fact
	Name  string
	X     Expr
	Build func(x stdlib.Node) stdlib.Node
}

// LogProb is logpdf(D(args), x), cdf, logcdf, quantile(D(args), p): elementwise for distributions of numbers with
// numbers for arguments, else the density of one number, vector or matrix.
type LogProb struct {
	Fact
	Name string // logpdf, logcdf, cdf, quantile
	Dist *stdlib.Dist
	Form *stdlib.Form
	Args []Expr
	X    Expr
}

// OfVectors reports whether what is drawn or an argument is a vector or a matrix, so that one value has one density.
func (x *LogProb) OfVectors() bool {
	return x.Dist.Event > 0 || slices.ContainsFunc(x.Form.Args, func(a stdlib.Arg) bool { return a.Rank > 0 })
}

// Probability is probability(cond): the exact posterior probability, given the parameters, of a condition on one
// latent, which the condition reads once, at Subs; Axes are those of the subscripts.
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
