// Package ast is the syntax tree of a .ppl file, as LANGUAGE section 2 has it. Nodes keep the spans of their tokens
// and enough of the layout (parentheses, pipes, comments) for the formatter to print the file back. Facts found by the
// checker live beside the tree, keyed by node, never in it.
package ast

import "ppl/lang/source"

// A Node has a place in the source.
type Node interface{ Span() source.Span }

// Place is embedded by every node.
type Place struct{ At source.Span }

// Span is the node's place.
func (p Place) Span() source.Span { return p.At }

// A File is a sequence of statements. Comments holds every comment in order; a comment belongs to the statement on
// whose line it ends, else to the statement that follows it.
type File struct {
	Source   *source.File
	Stmts    []Stmt
	Comments []Comment
	Lost     Lost
}

// Lost is what the statements of a file that could not be parsed leave in doubt: the names on their left sides, and all
// names in them.
type Lost struct{ Heads, Names map[string]bool }

// A Comment runs from # to the end of the line; Text includes the #.
type Comment struct {
	Place
	Text string
}

// Ident is a name with its place.
type Ident struct {
	Place
	Name string
}

// ---- statements ----

// A Stmt is one of *Import, *Data, *Infer, *Draw, *Define.
type Stmt interface {
	Node
	stmt()
}

// Import brings in a file's functions and templates.
type Import struct {
	Place
	Path *String
}

// Data declares observed arrays: data decl, decl from "file".
type Data struct {
	Place
	Decls []*Decl
	From  *String // nil if absent
}

// A Decl is one declared array.
type Decl struct {
	Place
	Name        Ident
	Sets        []*Set
	Type        *Ident // after the colon; nil if absent
	TypeArg     Expr   // index(J): J; nil if absent
	Bounds      *Range // in a..b; nil if absent
	Missing     bool
	MissingCode Expr // missing -1; nil if absent
	Value       Expr // = literal; nil if absent
}

// Infer names samplers and options by calls.
type Infer struct {
	Place
	Calls []Expr // *Call or *Name
}

// Draw is head, head ~ law.
type Draw struct {
	Place
	Generate bool
	Heads    []*Head
	Law      *Law   // exactly one of Law and Block is set
	Block    *Block // a template's body
}

// Define is head, head = body.
type Define struct {
	Place
	Generate bool
	Heads    []*Head
	Value    Expr   // exactly one of Value and Block is set
	Block    *Block // a function's body
}

// A Head is the left side of ~ or =: name, dotted name, prime, slots, parameters.
type Head struct {
	Place
	Path      []Ident // mu, or classify.weights
	Prime     bool    // u'
	Slots     []*Slot // in [ ]; nil if there are none
	Params    []*Param
	HasParams bool // ( ) was written, perhaps empty
}

// Name is the head's dotted name as text.
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
	Index *Ident // nil for a bare set
	Set   *Set
}

// A Set is an index set: an expression, or a range lo..hi.
type Set struct {
	Place
	Lo Expr
	Hi Expr // nil unless a range
}

// A Range is lo..hi after in or censored.
type Range struct {
	Place
	Lo, Hi Expr
}

// A Param of a function or template: name, name[N, D], name = default; or (Expr) the time of an initial condition.
type Param struct {
	Place
	Name    *Ident
	Sets    []*Set
	Default Expr
	Expr    Expr // a number, when there is no name
}

// A Law is a distribution with its modifiers.
type Law struct {
	Place
	Dist        Expr   // *Call or *Name or *Member
	In          *Range // truncation; nil if absent
	Censored    *Range // nil if absent
	Ordered     bool
	ZeroSum     bool
	NonCentered bool
}

// A Block is { statements return e }.
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

// ---- expressions ----

// An Expr is one of the expression nodes below.
type Expr interface {
	Node
	expr()
}

// Number is a literal; IsInt when it has neither point nor exponent. Text is as written.
type Number struct {
	Place
	Text  string
	Value float64
	IsInt bool
}

// String is a literal; Value is unescaped, Text as written.
type String struct {
	Place
	Text  string
	Value string
}

// Name is a use of a name. The whole axis "_" in a subscript is a Name too.
type Name struct {
	Place
	Name string
}

// Unary is -x or !x.
type Unary struct {
	Place
	Op string
	X  Expr
}

// Binary is x op y for || && == != < <= > >= + - * / @ % ^.
type Binary struct {
	Place
	Op   string
	OpAt source.Span
	X, Y Expr
}

// Cond is c ? a : b.
type Cond struct {
	Place
	If, Then, Else Expr
}

// Pipe is x -> f or x -> f(args).
type Pipe struct {
	Place
	X  Expr
	To Expr // *Name, *Member or *Call
}

// Call is f(args).
type Call struct {
	Place
	Fun  Expr
	Args []*Arg
}

// An Arg is positional, or named when Name is set.
type Arg struct {
	Place
	Name  *Ident
	Value Expr
}

// Index is x[sub, sub].
type Index struct {
	Place
	X    Expr
	Subs []*Set
}

// Member is x.name.
type Member struct {
	Place
	X    Expr
	Name Ident
}

// List is [a, b, c].
type List struct {
	Place
	Items []Expr
}

// Comprehension is [i in N, j in M: e]. f(i in N: e) is a Call whose one Arg is a Comprehension with Bare set.
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

// Paren is (x).
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
