// Package model defines the checked model. In it every name is resolved, functions are inlined, every axis is an index
// set, and every statement is a definition or a term of the joint density. Sizes are still symbols, because data are
// bound later. Package check builds the model, package analyze completes it, and package density turns it into a graph.
// The statement
//
//	y[n in N] ~ Normal(a[group[n]], 2 * s)
//
// is a Term with Plates [n] whose Args are
//
//	Subscript{X: Ref{a}, Subs: [Subscript{X: Ref{group}, Subs: [IndexVar{n}]}]}
//	Apply{"*", Num{2}, Ref{s}}
//
// and whose Value is Subscript{X: Ref{y}, Subs: [IndexVar{n}]}. `ppl build --emit=model` prints a model's arrays and
// terms.
package model

import (
	"slices"
	"strings"

	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A Layer is a layer of a network: the axes of its output, and its weights.
type Layer struct {
	Name    string
	Out     []*Set
	Weights []*Array
	Family  int // number of leading axes of the weights that select one network of a family
}

// A Model is the checked form of one source file.
type Model struct {
	Source  *source.File
	Arrays  []*Array // arrays of the file and of uses of templates, in order of first mention
	Terms   []*Term  // one for each name on the left of a ~ statement
	Infer   []InferCall
	Systems []*System
	Layers  []Layer   // layers of networks, in source order
	Randoms []*Random // random changes made by training, in the order in which they are checked
	Sizes   []*Size   // sizes that only data can give, in order of first mention
	Ragged  []*Ragged // numberings of the elements of ragged arrays; written by package flatten

	// The fields below are written by package analyze, each by the named function.
	// Orders: arrays that are drawn from each other; only data show whether an element is drawn from itself
	Orders [][]*Array
	// Recurrences: arrays drawn after inference that read each other along several axes, or as data order them
	Fields  [][]*Array
	Latents []LatentNote // Elimination: how each discrete latent is summed out
	// Rows: the candidates for the rows of minibatches: log ℓ is a sum of independent terms over each of these sets
	RowSets []*RowSet
	// Switching: parameters that a discrete unknown chooses among although nothing distinguishes its values
	Exchangeable []*Array
	Mirrors      [][]*Array // Signs: sets of parameters that may change sign together
	// JointlyNormal: the largest set of conditionally normal parameters first, then smaller ones
	Normal    []*Jointly
	Couplings []Coupling // Rows: why the elements of observations are not independent, if there is no row set
}

// Jointly is a set of parameters that are jointly normal given all others and the data, and the terms that read them.
type Jointly struct {
	Arrays []*Array
	Terms  []*Term
}

// A LatentNote describes how a discrete latent is summed out, with one table for each combination of Elements.
type LatentNote struct {
	Latent   *Array
	Pattern  string
	Table    string
	Elements []string
}

// Text describes in one line, for `ppl check`, how the latent is summed out.
func (n LatentNote) Text() string {
	s := "`" + n.Latent.Name + "` is summed out: " + n.Pattern + "; a table of " + n.Table
	if len(n.Elements) > 0 {
		s += " for each of " + strings.Join(n.Elements, " × ")
	}
	return s
}

// A Role is the role of an array in the model, derived from the statements about it.
type Role uint8

const (
	Data Role = iota
	Parameter
	Latent // a discrete parameter, which is summed out
	Definition
	Generated // drawn after inference
	Imputed   // data whose missing entries are parameters
)

func (r Role) String() string {
	return [...]string{"data", "parameter", "latent", "definition", "generated", "data with missing entries"}[r]
}

// An Array is a named array over index sets; a scalar has no axes.
type Array struct {
	Name   string
	At     source.Span
	Role   Role
	Type   Type
	Factor bool     // whether it is the constant 0 that carries the term of a factor statement
	Save   bool     // whether its draws are saved, as for parameters and `generate` statements
	Pieces []*Piece // pieces of an array that is not data: disjoint, together they cover a box

	Ragged  *Ragged // for an array that was ragged, the numbering of its elements; nil for others
	Lengths []int   // for ragged data written in the model, the number of elements of each group

	// Fields of data:
	Value   Expr     // value given in the model; nil if it comes from a file or the command line
	From    string   // "file" or "file#key"; empty if the model names no file
	Columns []Column // columns of the file that form a matrix; if empty, those that no other array uses
	// for each axis, the column of the file that contains the element of each row; if empty, they are found by name
	By        []Column
	IndexOf   *Set     // J for an array of type index(J); nil for others
	Order     []string // labels of the elements of J in order; empty if the model does not give them
	Declared  types.Elem
	Bounds    *Bounds    // set if the declaration has `in a..b`
	NeedInt   bool       // whether its values must be integers, because it is a subscript or a discrete observation
	Optional  bool       // whether only generate statements read it; without its data they are skipped
	Positive  string     // for bool(…), the text or number that means true; empty if none is given
	Selection *Selection // which rows are used; nil for all
	Permuted  *Permuted  // share of rows whose values are permuted; nil for none
	// whether entries may be missing (NaN); these are dropped if nothing else reads them, and otherwise become
	// parameters or latents
	Missing      bool
	MissingCode  Expr     // number that means a missing entry; nil if only NaN does
	MissingTexts []string // texts that mean a missing entry in a file, in addition to NA, NaN and empty fields

	// Written by package analyze, each by the named function:
	Chain      *Chain // Latents: set for a discrete latent whose neighbours occur together in terms
	Replicates *Array // Predictive: the observed array of which this array is a replica
	Completes  *Array // CompleteMissing: the data array whose observed values this array repeats
}

// A Selection states which rows of the arrays of one data statement are used.
type Selection struct {
	At       source.Span
	Complete bool    // use only rows in which every array of the statement has a value
	HeldOut  float64 // share of rows, between 0 and 1, that are held out for prediction; 0 for none
	Seed     uint64  // seed for choosing the held-out rows
	Others   bool    // use the held-out rows instead of the others
}

// Permuted states that the values of some rows of an array are permuted among these rows.
type Permuted struct {
	At    source.Span
	Share float64 // share of rows, between 0 and 1
	Seed  uint64  // seed for choosing the rows and their order
}

// HoldsOut reports whether some rows are held out for prediction.
func (s *Selection) HoldsOut() bool { return s != nil && s.HeldOut > 0 }

// A Column is a column of a table that the model names.
type Column struct {
	At   source.Span
	Name string
}

// Bounds are the bounds of a truncation or of data; a nil bound is infinite.
type Bounds struct{ Lo, Hi Expr }

// A Chain describes a latent of which terms read several elements along Axis, at constant distances from each other.
// Order is the largest distance between the first and the last element that a term reads. Joint lists the chains that
// must be summed out together, including this one, because their values occur together in terms.
type Chain struct {
	Axis, Order int
	Joint       []*Array
}

// A Piece defines the elements of an array that its slots cover, by a value or by a distribution.
type Piece struct {
	At     source.Span
	Slots  []Slot
	Plates []*Index // indices of Slots, in order
	Value  Expr     // for a definition, its value, with the axes of the array that have no slot
	Term   *Term    // for a draw, its term

	// Written by analyze.Recurrences if the value of the piece reads earlier elements of its array, directly or through
	// other arrays.
	Recurrence *Recurrence
	// Series is set for parameters that are not marked noncentered, and for definitions that read them. It is the
	// recurrence that the piece would be part of if the parameters were noncentered.
	Series *Recurrence
}

// In returns the recurrence of the piece in group g, or nil if it has none.
func (p *Piece) In(g *Group) *Recurrence {
	for _, r := range []*Recurrence{p.Recurrence, p.Series} {
		if r != nil && r.Group == g {
			return r
		}
	}
	return nil
}

// Scanned returns the recurrence that computes a parameter whose coordinates are relative to its location and scale, or
// nil if the location and scale read no earlier elements.
func (p *Piece) Scanned() *Recurrence {
	if p.Recurrence != nil {
		return p.Recurrence
	}
	return p.Series
}

// Covers reports whether a piece of an array runs over an entire axis.
func (p *Piece) Covers(a *Array, axis int) bool {
	i := p.Slots[axis].Index
	return i != nil && i.Set.Same(a.Type.Axes[axis])
}

// A Recurrence says along which axis of its array a piece reads earlier elements of its group.
type Recurrence struct {
	Axis  int
	Group *Group
}

// A Group is one array that reads its own earlier elements, or several that read each other's, in the order in which
// one step computes them. Every cycle of reads contains a read of an earlier element along the axes, or of a later one
// if Back is set.
type Group struct {
	Members     []Member
	Back        bool
	DataOrdered []*Subscript // reads that only data show to be of earlier elements, such as x[parent[n]]
}

// A Member is an array of a group, with the distance over which the group reads it.
type Member struct {
	Array *Array
	Axis  int
	Lag   int  // largest constant lag at which it is read
	Whole bool // whether some read may have any lag
}

// A Slot describes the elements along one axis that a piece covers: the set of an index, or one element.
type Slot struct {
	Index *Index
	At    Expr // the one element; nil if Index is set
}

// An Index is a bound index variable. Two indices are the same only if their pointers are equal.
type Index struct {
	Name string
	Set  *Set
	ID   int
}

// A Set is a contiguous range of integers. Lo and Hi are static scalars; in a ragged set they read outer indices.
type Set struct {
	Name   string // as the user writes it: N, 2..T
	Lo, Hi Expr
	Key    string   // sets with equal keys are equal
	Ragged []*Index // the outer indices that Lo and Hi read; empty unless the set is ragged
}

// Same reports whether two axes have the same set, so that they align.
func (s *Set) Same(t *Set) bool { return s == t || s.Key == t.Key }

// A Size is the symbol of an index set whose size is given only by data.
type Size struct {
	Name string
	At   source.Span
}

// A Type is what the compiler derives about a value without data: element type, axes, and an interval for its values.
type Type struct {
	Elem  types.Elem
	Axes  []*Set
	Range stdlib.Range
}

// A Term is one v ~ D statement for one name. It is a term of log ρ (the prior), a term of log ℓ (the likelihood), or a
// draw after inference.
type Term struct {
	At       source.Span
	Array    *Array
	Piece    *Piece
	Kind     TermKind
	Dist     *stdlib.Dist // nil if Density is set
	Form     *stdlib.Form
	Args     []Expr // in the order of Form.Args; their axes are those of one vector or matrix argument
	Density  Expr   // for v ~ Density(e), the expression e; nil if Dist is set
	Value    Expr   // v subscripted by the plates; its axes are the event axes
	Plates   []*Index
	Event    []*Set
	In       *Bounds
	Censored *Bounds
	// Modifiers of an observation; nil if not written:
	UpTo    Expr // the exact value is between Value and UpTo; if these are equal, Value is exact
	Rounded Expr // Value was rounded to a multiple of this; if this is 0, it was not rounded
	Weight  Expr // factor of the log density
	Ordered bool
	ZeroSum bool
	Offset  Expr // subtracted from the value first, for a Categorical whose values do not start at 1; nil for none

	NonCentered bool

	Given *Given // known elements of the draw, written by package newdata; nil if no element is known

	Reads []LatentRead // written by analyze.Latents
}

// Ranges returns the bounds given by `in` and `censored`, if there are any.
func (t *Term) Ranges() (all []*Bounds) {
	for _, b := range []*Bounds{t.In, t.Censored} {
		if b != nil {
			all = append(all, b)
		}
	}
	return all
}

// Ends returns the expressions that bound the value: those of a truncation, and the arguments of a distribution whose
// support depends on them.
func (t *Term) Ends() (all []Expr) {
	if t.In != nil {
		all = append(all, t.In.Lo, t.In.Hi)
	}
	if t.Form != nil && t.Form.Bounds != nil {
		all = append(all, t.Args...)
	}
	return all
}

// Recorded reports whether an observation is censored, rounded, weighted, or known to be in an interval (UpTo).
func (t *Term) Recorded() bool {
	return t.Censored != nil || t.UpTo != nil || t.Rounded != nil || t.Weight != nil
}

// Relative reports whether each element of a parameter may have a coordinate relative to the location and scale of its
// distribution.
func (t *Term) Relative() bool {
	return t.unmodifiedPrior() && t.Dist.LocationScale && t.Dist.Event == 0 && t.Dist.Support == types.RealLine
}

// OnLine reports whether the elements of a parameter whose support is bounded, or that sum to zero, may have
// coordinates relative to the location and scale of their distribution on the unconstrained line.
func (t *Term) OnLine() bool {
	if t.Kind != Prior || t.Dist == nil || t.Censored != nil || t.Ordered {
		return false
	}
	ofReals := t.Dist.LocationScale && t.Dist.Support == types.RealLine
	switch {
	case t.ZeroSum:
		return ofReals && t.In == nil
	case t.In != nil:
		return ofReals || t.Dist.HasCutLine()
	}
	return t.Dist.HasLine()
}

// Vector reports whether a parameter consists of vectors that may have coordinates relative to their mean and to a
// factor of their covariance. The coordinates of a random walk are its steps.
func (t *Term) Vector() bool {
	return t.unmodifiedPrior() && (t.Dist.Name == "MvNormal" && !t.LowRank() || t.Walk())
}

// Walk reports whether the distribution is a GaussianRandomWalk.
func (t *Term) Walk() bool { return t.Dist != nil && t.Dist.Name == "GaussianRandomWalk" }

// unmodifiedPrior reports whether the term is a prior without modifiers other than `noncentered`.
func (t *Term) unmodifiedPrior() bool {
	return t.Kind == Prior && t.Dist != nil && t.In == nil && t.Censored == nil && !t.Ordered && !t.ZeroSum
}

// LowRank reports whether a covariance is given as a factor plus variances. It then has no triangular factor.
func (t *Term) LowRank() bool {
	return t.Dist.Name == "MvNormal" && t.Form.Args[1].Name == "cov_factor"
}

// A Given holds the known elements of a draw: Values holds the values where Known is not 0. Both have the term's plates
// and event axes. The other elements are drawn given the known ones.
type Given struct{ Known, Values Expr }

// A TermKind says to which part of the model a term belongs.
type TermKind uint8

const (
	Prior TermKind = iota
	Likelihood
	LatentPrior
	Generate
)

// A LatentRead describes the elements of a latent that a term reads: the index of the term's plate Plates[k] is the
// subscript of axis k. Along a chain, the term reads the elements at distances Gaps (ascending) from this index, or
// from element At if Plates[k] is nil. If data choose the element along axis k, Gather[k] is the subscript and
// Plates[k] is nil.
type LatentRead struct {
	Latent *Array
	Plates []*Index
	At     Expr
	Gaps   []int
	Gather []Expr
}

// An InferCall is one call in the infer statement.
type InferCall struct {
	At   source.Span
	Name string
	Args []InferArg
}

// Batch returns the minibatch size that the infer statement requests, as text. It is empty if the statement requests
// none or `auto`.
func (m *Model) Batch() string {
	for _, call := range m.Infer {
		for _, arg := range call.Args {
			if arg.Name == "batch" && arg.Value != "auto" {
				return arg.Value
			}
		}
	}
	return ""
}

// An InferArg is one name = value argument of an InferCall; Value is its text.
type InferArg struct {
	At    source.Span
	Name  string
	Value string
}

// SameSets reports whether two lists of axes are equal, axis by axis.
func SameSets(a, b []*Set) bool { return slices.EqualFunc(a, b, (*Set).Same) }
