// Package ast is the syntax tree of a .ppl file. For
//
//	y[i in N] ~ Normal(mu[i], sigma)
//
// package parse returns
//
//	Draw{Heads: y[Slot{Index: i, Set: N}], Dist: Distribution{Base: Call{Normal, mu[i], sigma}}}
//
// Nodes keep their spans and enough of the layout (parentheses, pipes, comments) for the formatter to print the file
// again. The tree is not modified after parsing: the checker stores its results in maps keyed by node.
package ast

import "ppl/lang/source"

// A Node has a position in the source.
type Node interface{ Span() source.Span }

// Place is the span of source text from which a node was parsed. Every node embeds it.
type Place struct{ At source.Span }

// Span returns the node's span.
func (p Place) Span() source.Span { return p.At }

// A File is a sequence of statements. Comments has every comment in order. A comment belongs to the statement on whose
// line it ends, or else to the next statement.
type File struct {
	Source   *source.File
	Stmts    []Stmt
	Comments []Comment
	Dropped  Dropped
}

// Dropped has the names in statements that could not be parsed: Heads those on left sides, Names all. The checker does
// not report them as undefined, since the dropped statement may define them.
type Dropped struct{ Heads, Names map[string]bool }

// A Comment runs from # to the end of the line; Text includes the #.
type Comment struct {
	Place
	Text string
}

// An Ident is a name and its position.
type Ident struct {
	Place
	Name string
}

// Statements.

// A Stmt is one of *Import, *Data, *Infer, *Draw, *Define, *Factor, *Event.
type Stmt interface {
	Node
	stmt()
}

// An Import makes the functions and templates of another file available.
type Import struct {
	Place
	Path *String
}

// A Data declares observed arrays: data decl, decl from "file".
type Data struct {
	Place
	Decls   []*Decl
	From    *String   // nil if absent
	By      []*String // after From: columns that identify the element of each axis to which a row belongs
	Columns []*String // after From: columns of the file that form a matrix

	Missing  []Expr  // after From: texts and numbers that mean missing values in the file
	Complete bool    // rows with missing values are omitted
	HeldOut  *Number // fraction of rows that are held out and predicted; nil if absent
	Seed     *Number // seed for the choice of these rows; nil if absent
}

// A Decl is one declared array.
type Decl struct {
	Place
	Name         Ident
	Sets         []*Set
	Type         *Ident    // after the colon; nil if absent
	TypeArg      *Set      // J in index(J); nil if absent
	Order        []*String // the elements of J in order; empty if absent
	Bounds       *Range    // in a..b; nil if absent
	Permute      *Number   // fraction of rows whose values are permuted; nil if absent
	Seed         *Number   // seed for the choice and order of these rows; nil if absent
	Missing      bool
	MissingCode  Expr      // missing -1; nil if absent
	MissingTexts []*String // missing ".", "NULL"; empty if absent
	Value        Expr      // = literal; nil if absent
}

// An Infer chooses a sampler and its settings: infer renhd(temperatures = 8).
type Infer struct {
	Place
	Calls []Expr // *Call or *Name
}

// A Draw is head, head ~ distribution, or the definition of a template.
type Draw struct {
	Place
	Generate bool
	Heads    []*Head
	Dist     *Distribution // exactly one of Dist and Block is set
	Block    *Block        // body of a template
}

// A Define is head, head = body.
type Define struct {
	Place
	Generate bool
	Heads    []*Head
	Value    Expr   // exactly one of Value and Block is set
	Block    *Block // body of a function
}

// A Factor adds a term to the log density: factor e, or factor[i in N]: e for each i.
type Factor struct {
	Place
	Slots []*Slot // nil if absent
	Value Expr
}

// An Event changes a state of a differential equation at a time: at[d in D] t = when[d]: u[g[d]] += amount[d].
type Event struct {
	Place
	Slots  []*Slot // nil if absent
	Time   Ident   // name of the time in the amount
	When   Expr
	Target Expr // *Name, *Index, or an expression that the checker rejects
	Amount Expr
}

// A Head is the left side of ~ or =: a name, possibly dotted or with a prime, then slots or parameters.
type Head struct {
	Place
	Path      []Ident // mu, or classify.weights
	Prime     bool    // u'
	Slots     []*Slot // in [ ]; nil if absent
	Params    []*Param
	HasParams bool // ( ) was written, possibly empty
}

// Name returns the head's dotted name as text.
func (h *Head) Name() string {
	s := h.Path[0].Name
	for _, p := range h.Path[1:] {
		s += "." + p.Name
	}
	return s
}

// A Slot is one axis of a head: i in S, or S alone.
type Slot struct {
	Place
	Index *Ident // nil if only the set is given
	Set   *Set
}

// A Set is an index set: an expression, or a range lo..hi.
type Set struct {
	Place
	Lo Expr
	Hi Expr // nil if not a range
}

// A Range is lo..hi, as in bounds or after censored.
type Range struct {
	Place
	Lo, Hi Expr
}

// A Param is a parameter of a function or template: name, name[N, D], or name = default. For the time of an initial
// condition, as in u(0) = 1, Expr is set instead of a name.
type Param struct {
	Place
	Name    *Ident
	Sets    []*Set
	Default Expr
	Expr    Expr // a number, if there is no name
}

// A Distribution is a distribution with its modifiers: Normal(0, 1) in 0..inf ordered.
type Distribution struct {
	Place
	Base        Expr   // *Call or *Name or *Member
	In          *Range // truncation; nil if absent
	Censored    *Range // nil if absent
	Weight      Expr   // factor of the log density; nil if absent
	UpTo        Expr   // upper end, if the value is only known to lie between the observed value and it; nil if absent
	Rounded     Expr   // unit to which values are rounded; nil if absent
	Ordered     bool
	ZeroSum     bool
	NonCentered bool
}

// A Block is { statements return e }, the body of a function or template.
type Block struct {
	Place
	Stmts  []Stmt
	Return Expr
}

func (*Import) stmt() {}
func (*Data) stmt()   {}
func (*Infer) stmt()  {}
func (*Draw) stmt()   {}
func (*Define) stmt() {}
func (*Factor) stmt() {}
func (*Event) stmt()  {}

// Expressions.

// An Expr is one of the expression nodes below.
type Expr interface {
	Node
	expr()
}

// A Number is a literal. IsInt is set if it has neither point nor exponent. Text is the literal as written.
type Number struct {
	Place
	Text  string
	Value float64
	IsInt bool
}

// A String is a literal. Value is unescaped; Text is the literal as written.
type String struct {
	Place
	Text  string
	Value string
}

// A Name is a use of a name. "_", which means an entire axis in a subscript, is also a Name.
type Name struct {
	Place
	Name string
}

// A Unary is -x or !x.
type Unary struct {
	Place
	Op string
	X  Expr
}

// A Binary is x op y for || && == != < <= > >= + - * / @ % ^.
type Binary struct {
	Place
	Op   string
	OpAt source.Span
	X, Y Expr
}

// A Cond is c ? a : b.
type Cond struct {
	Place
	If, Then, Else Expr
}

// A Pipe is x -> f or x -> f(args).
type Pipe struct {
	Place
	X  Expr
	To Expr // *Name, *Member or *Call
}

// A Call is f(args).
type Call struct {
	Place
	Fun  Expr
	Args []*Arg
}

// An Arg is positional, or named if Name is set.
type Arg struct {
	Place
	Name  *Ident
	Value Expr
}

// An Index is x[sub, sub].
type Index struct {
	Place
	X    Expr
	Subs []*Set
}

// A Member is x.name.
type Member struct {
	Place
	X    Expr
	Name Ident
}

// A List is [a, b, c].
type List struct {
	Place
	Items []Expr
}

// A Comprehension is [i in N, j in M: e]. f(i in N: e) is a Call whose only Arg is a Comprehension with Bare set.
type Comprehension struct {
	Place
	Binders []*Binder
	Body    Expr
	Bare    bool // written without brackets, as the argument of a call
}

// A Binder is i in S.
type Binder struct {
	Place
	Index Ident
	Set   *Set
}

// A Paren is (x). It is kept so that the formatter prints the user's parentheses.
type Paren struct {
	Place
	X Expr
}

func (*Number) expr()        {}
func (*String) expr()        {}
func (*Name) expr()          {}
func (*Unary) expr()         {}
func (*Binary) expr()        {}
func (*Cond) expr()          {}
func (*Pipe) expr()          {}
func (*Call) expr()          {}
func (*Index) expr()         {}
func (*Member) expr()        {}
func (*List) expr()          {}
func (*Comprehension) expr() {}
func (*Paren) expr()         {}
