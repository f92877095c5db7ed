// Package model is the checked model: every name resolved, functions inlined, every axis an index set, every statement
// a definition or a term of the joint density. Sizes are still symbols, since data come later. Package check makes it,
// package analyze completes it, and a density is made of it. The statement
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
	"strings"

	"ppl/lang/source"
	"ppl/lang/types"
	"ppl/stdlib"
)

// A Model is a checked file.
type Model struct {
	Source  *source.File
	Arrays  []*Array // every array of the file scope, in order of first mention
	Terms   []*Term  // every ~ statement, in order
	Infer   []InferCall
	Systems []*System
	Layers  []Layer   // the layers of networks, in the order of the text
	Randoms []*Random // what training changes at random, in the order in which it is checked
	Sizes   []*Size   // index sets that only data can give a size to, in order of first mention
	Ragged  []*Ragged // how the elements of ragged arrays are numbered; written by package flatten

	// Written by package analyze:
	Orders  [][]*Array   // by Orders: drawn from each other; data show whether some element is drawn from itself
	Fields  [][]*Array   // by Recurrences: drawn after inference from each other, in layers
	Latents []LatentNote // by Elimination: how each discrete latent is summed out
	RowSets []*RowSet    // by Rows: over which log ℓ is a sum, one for each choice of plates; none: full batch only
	// by Switching: what discrete unknowns choose from, where nothing distinguishes their values
	Exchangeable []*Array
	Mirrors      [][]*Array // by Signs: parameters that may change sign together
	Normal       []*Jointly // by JointlyNormal: what is normal given the rest, then parts of it
	Couplings    []Coupling // by Rows: what couples the elements of observations if there is no row set
}

// Jointly are parameters that are normal together, given all others and the data, and the terms that speak of them.
type Jointly struct {
	Arrays []*Array
	Terms  []*Term
}

// A LatentNote describes how a discrete latent is summed out: for each of Elements' combinations, a table.
type LatentNote struct {
	Latent   *Array
	Pattern  string
	Table    string
	Elements []string
}

// Text describes it in one line.
func (n LatentNote) Text() string {
	s := "`" + n.Latent.Name + "` is summed out: " + n.Pattern + "; a table of " + n.Table
	if len(n.Elements) > 0 {
		s += " for each of " + strings.Join(n.Elements, " × ")
	}
	return s
}

// A Role is what an array is in the model, as it follows from the equations.
type Role uint8

const (
	Data Role = iota
	Parameter
	Latent // a discrete parameter: summed out
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
	Factor bool     // it is 0, and its term is a factor statement
	Save   bool     // generate is before it, or it is a parameter
	Pieces []*Piece // what definitions, parameters, latents and generated arrays consist of: disjoint, together a box

	Ragged  *Ragged // of what was a ragged array: the numbers of its elements; nil otherwise
	Lengths []int   // of ragged data that are written in the model: how many elements each group has

	// Of data:
	Value     Expr     // given in the model; nil if it comes from a file or the command line
	From      string   // "file" or "file#key"; empty if none
	Columns   []Column // of the file that make a matrix; none: those that no other array takes
	By        []Column // of the file: which element of each axis a row belongs to; none: found by names
	IndexOf   *Set     // index(J); nil otherwise
	Order     []string // the elements of J in their order; none if the model does not say
	Declared  types.Elem
	Bounds    *Bounds    // set where `in a..b` is written
	NeedInt   bool       // subscripts or a discrete distribution read it as integers
	Optional  bool       // only generate statements read it, which are left out where it is not given
	Positive  string     // of bool(…): the text or number that is true; empty if none is named
	Selection *Selection // which rows are taken; nil: all
	Permuted  *Permuted  // some rows have the values of each other; nil: none
	// entries may be missing (NaN): dropped where nothing else reads them, else parameters or latents
	Missing      bool
	MissingCode  Expr     // the number that means a missing entry; nil for NaN alone
	MissingTexts []string // what means a missing entry in a file, besides NA, NaN and empty fields

	// Written by package analyze:
	Chain      *Chain // by Latents: of a discrete latent whose neighbours occur together in terms
	Replicates *Array // by Predictive: the observed array that this one is drawn for
	Completes  *Array // by CompleteMissing: the data whose values this one has where they are not missing
}

// A Selection says which rows of the arrays of one data statement are taken.
type Selection struct {
	At       source.Span
	Complete bool    // those alone in which each of its arrays has a value
	HeldOut  float64 // the share of rows, between 0 and 1, that are kept to be predicted; 0: none
	Seed     uint64  // by which they are chosen
	Others   bool    // the rows held out are taken instead of the others
}

// A Permuted share of the rows of an array, between 0 and 1, have their values in another order.
type Permuted struct {
	At    source.Span
	Share float64
	Seed  uint64 // by which rows and order are chosen
}

// HoldsOut reports whether rows are kept to be predicted.
func (s *Selection) HoldsOut() bool { return s != nil && s.HeldOut > 0 }

// A Column of a table, as the model names it.
type Column struct {
	At   source.Span
	Name string
}

// Bounds of a truncation or of data; nil ends are infinite.
type Bounds struct{ Lo, Hi Expr }

// A Chain is a latent along one of its axes, where terms read elements that are a constant apart. Order is how many
// places back the farthest of a term's elements lies. Joint are the chains that are summed out together, itself among
// them: their values occur together in terms.
type Chain struct {
	Axis, Order int
	Joint       []*Array
}

// A Piece defines part of an array, by a value or by a distribution.
type Piece struct {
	At     source.Span
	Slots  []Slot
	Plates []*Index // the indices of Slots, in order
	Value  Expr     // of a definition: axes are those of the array beyond Slots
	Term   *Term    // set for a draw

	// Written by analyze.Recurrences, when the piece's value reads the past of its array, or of one that reads it.
	Recurrence *Recurrence
	// Of a parameter that is not marked noncentered, and of what is computed of it: the recurrence that the piece would
	// be part of if it were.
	Series *Recurrence
}

// In returns the piece's part of a recurrence; nil if it has none.
func (p *Piece) In(g *Group) *Recurrence {
	for _, r := range []*Recurrence{p.Recurrence, p.Series} {
		if r != nil && r.Group == g {
			return r
		}
	}
	return nil
}

// Scanned returns the recurrence that a parameter is computed by from coordinates relative to its own past; nil if it
// reads none.
func (p *Piece) Scanned() *Recurrence {
	if p.Recurrence != nil {
		return p.Recurrence
	}
	return p.Series
}

// Covers reports whether a piece of an array runs over the whole of an axis.
func (p *Piece) Covers(a *Array, axis int) bool {
	i := p.Slots[axis].Index
	return i != nil && i.Set.Same(a.Type.Axes[axis])
}

// A Recurrence says along which axis of its array a piece reads the past of its group.
type Recurrence struct {
	Axis  int
	Group *Group
}

// A Group is one array that reads its own past, or several that read each other's, in the order in which one step
// computes them. Every cycle of reads goes strictly back along the axes; or, where Back is set, strictly ahead.
type Group struct {
	Members     []Member
	Back        bool
	DataOrdered []*Subscript // reads that only data show to lie in the past, such as x[parent[n]]
}

// A Member of a group: how far back it is read.
type Member struct {
	Array *Array
	Axis  int
	Lag   int  // the farthest constant lag
	Whole bool // some read may go back any distance
}

// A Slot says which part of one axis a piece covers: all of an index's set, or one element.
type Slot struct {
	Index *Index
	At    Expr // one element; nil when Index is set
}

// An Index is a bound index variable, unique by pointer.
type Index struct {
	Name string
	Set  *Set
	ID   int
}

// A Set is a contiguous range of integers. Lo and Hi are static scalars; they may read outer indices (ragged).
type Set struct {
	Name   string // as the user writes it: N, 2..T
	Lo, Hi Expr
	Key    string // equal keys are equal sets
	Ragged []*Index
}

// Same reports whether two axes align.
func (s *Set) Same(t *Set) bool { return s == t || s.Key == t.Key }

// A Size is the symbol of an index set whose size only data give.
type Size struct {
	Name string
	At   source.Span
}

// A Type is what is known of a value before data: element type, axes, and an interval it lies in.
type Type struct {
	Elem  types.Elem
	Axes  []*Set
	Range stdlib.Range
}

// A Term is one v ~ D statement for one name: a term of log ρ, of log ℓ, or a draw after inference.
type Term struct {
	At       source.Span
	Array    *Array
	Piece    *Piece
	Kind     TermKind
	Dist     *stdlib.Dist // nil for Density
	Form     *stdlib.Form
	Args     []Expr // in the order of Form.Args; axes are the event axes of each
	Density  Expr   // set for v ~ Density(e): the expression e
	Value    Expr   // v at the plates; axes are the event
	Plates   []*Index
	Event    []*Set
	In       *Bounds
	Censored *Bounds
	// Of an observation; nil if nothing is written:
	UpTo    Expr // it is only known to lie between the value and this; where they are equal, it is known
	Rounded Expr // it was rounded to a multiple of this; where this is 0, it was not
	Weight  Expr // its log density is multiplied by this
	Ordered bool
	ZeroSum bool
	Offset  Expr // subtracted from the value first: Categorical over an axis that does not start at 1; nil for none

	NonCentered bool

	Given *Given // written by package newdata; nil: nothing is known of what is drawn

	Reads []LatentRead // written by analyze.Latents
}

// Ranges returns the ends that modifiers give the term.
func (t *Term) Ranges() (all []*Bounds) {
	for _, b := range []*Bounds{t.In, t.Censored} {
		if b != nil {
			all = append(all, b)
		}
	}
	return all
}

// Ends returns the expressions that the ends of the values depend on: those of a truncation, and the arguments of a
// distribution whose support they give.
func (t *Term) Ends() (all []Expr) {
	if t.In != nil {
		all = append(all, t.In.Lo, t.In.Hi)
	}
	if t.Form != nil && t.Form.Bounds != nil {
		all = append(all, t.Args...)
	}
	return all
}

// Recorded reports whether modifiers change what an observation says.
func (t *Term) Recorded() bool {
	return t.Censored != nil || t.UpTo != nil || t.Rounded != nil || t.Weight != nil
}

// Relative reports whether a parameter's elements may have coordinates relative to location and scale, each its own.
func (t *Term) Relative() bool {
	return t.unmodifiedPrior() && t.Dist.LocationScale && t.Dist.Event == 0 && t.Dist.Support == types.RealLine
}

// OnLine reports whether a parameter's elements may have coordinates relative to their distribution on the
// unconstrained line, as they have a support or a sum.
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

// Vector reports whether a parameter's elements are vectors that may have coordinates relative to their mean and the
// factor of their covariance, which of a random walk are its steps.
func (t *Term) Vector() bool {
	return t.unmodifiedPrior() && (t.Dist.Name == "MvNormal" && !t.LowRank() || t.Walk())
}

// Walk reports whether vectors are random walks.
func (t *Term) Walk() bool { return t.Dist != nil && t.Dist.Name == "GaussianRandomWalk" }

// unmodifiedPrior reports whether a parameter has a distribution without a modifier, `noncentered` aside.
func (t *Term) unmodifiedPrior() bool {
	return t.Kind == Prior && t.Dist != nil && t.In == nil && t.Censored == nil && !t.Ordered && !t.ZeroSum
}

// LowRank reports whether vectors have a covariance of a factor and variances, of which there is no triangular factor.
func (t *Term) LowRank() bool {
	return t.Dist.Name == "MvNormal" && t.Form.Args[1].Name == "cov_factor"
}

// A Given says of a draw which elements are known (where Known is not 0) and their Values, at the term's plates and
// over its event: the others are drawn given these.
type Given struct{ Known, Values Expr }

// A TermKind says where a term belongs.
type TermKind uint8

const (
	Prior TermKind = iota
	Likelihood
	LatentPrior
	Generate
)

// A LatentRead says at which plates a term reads a latent: Plates[k] of the term runs along axis k of the latent. Along
// a chain, the elements lie at Gaps (ascending) from the plate's index if there is no index, from the element At.
// Where data choose the element along axis k, Gather[k] is the expression that does, and Plates[k] is nil.
type LatentRead struct {
	Latent *Array
	Plates []*Index
	At     Expr
	Gaps   []int
	Gather []Expr
}

// An InferCall is one call of the infer statement.
type InferCall struct {
	At   source.Span
	Name string
	Args []InferArg
}

// Batch returns the size of minibatches that the infer statement asks for, as text; empty if it asks for none.
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

// An InferArg is name = value, the value as text.
type InferArg struct {
	At    source.Span
	Name  string
	Value string
}
