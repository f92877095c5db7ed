package stan

import "ppl/lang/source"

// Place is the span of the text that a node was parsed from.
type Place struct{ At source.Span }

// Span returns the node's place.
func (p Place) Span() source.Span { return p.At }

// A Program is a file. Its blocks are those of Stan; a block that is absent has no statements.
type Program struct {
	Source                *source.File
	Functions             []*Function
	Data, TransformedData []Stmt
	Parameters            []Stmt
	TransformedParameters []Stmt
	Model, Generated      []Stmt
	Comments              []Comment
	HasModel              bool
}

// A Comment is the text between two statements or behind one, without its marks.
type Comment struct {
	Place
	Text string
}

// An Ident is a name and where it was written.
type Ident struct {
	Place
	Name string
}

// A Function is one that the program defines. Body is nil for a declaration ahead of a definition.
type Function struct {
	Place
	Result Type
	Name   Ident
	Params []*Param
	Body   *Block
}

// A Param of a function; Data is set if its argument must not depend on parameters.
type Param struct {
	Place
	Name Ident
	Type Type
	Data bool
}

// A Stmt is one of the statement nodes below.
type Stmt interface {
	Span() source.Span
	stmt()
}

// A Decl declares one variable. Of several in one statement there is a Decl for each.
type Decl struct {
	Place
	Type  *SizedType
	Name  Ident
	Value Expr // nil if absent
}

// A SizedType is a type with its sizes and constraints. Elems are those of a tuple.
type SizedType struct {
	Place
	Word        string // as written: real, vector, simplex, cov_matrix
	ArrayDims   []Expr
	Dims        []Expr // of the vector or matrix
	Constraints []Constraint
	Elems       []*SizedType
}

// Constraint returns the expression of a constraint, nil if it is absent.
func (t *SizedType) Constraint(name string) Expr {
	for _, c := range t.Constraints {
		if c.Name.Name == name {
			return c.Value
		}
	}
	return nil
}

// A Constraint is lower, upper, offset or multiplier.
type Constraint struct {
	Name  Ident
	Value Expr
}

// An Assign is target op value; Op is "=", or "+=" and its like. For `target += e` the left side is a Name.
type Assign struct {
	Place
	Left  Expr
	Op    string
	Right Expr
}

// A Sample is x ~ f(args) T[lower, upper].
type Sample struct {
	Place
	Left         Expr
	Dist         Ident
	Args         []Expr
	Truncated    bool
	Lower, Upper Expr // nil if open
}

// A CallStmt calls a function for its effect.
type CallStmt struct {
	Place
	Call *Call
}

// A Message is print, reject or fatal_error.
type Message struct {
	Place
	Word string
	Args []Expr
}

// A Block is { statements }, also that of profile.
type Block struct {
	Place
	Stmts []Stmt
}

// An If has Else nil if there is none.
type If struct {
	Place
	Cond       Expr
	Then, Else Stmt
}

// A While repeats its body while the condition holds.
type While struct {
	Place
	Cond Expr
	Body Stmt
}

// A For runs over the range Lo:Hi, or over the elements of Lo if Hi is nil.
type For struct {
	Place
	Index  Ident
	Lo, Hi Expr
	Body   Stmt
}

// A Jump is break or continue.
type Jump struct {
	Place
	Word string
}

// A Return leaves a function; Value is nil in one without a result.
type Return struct {
	Place
	Value Expr
}

// An Empty statement is a lone semicolon.
type Empty struct{ Place }

func (*Decl) stmt()     {}
func (*Assign) stmt()   {}
func (*Sample) stmt()   {}
func (*CallStmt) stmt() {}
func (*Message) stmt()  {}
func (*Block) stmt()    {}
func (*If) stmt()       {}
func (*While) stmt()    {}
func (*For) stmt()      {}
func (*Jump) stmt()     {}
func (*Return) stmt()   {}
func (*Empty) stmt()    {}

// An Expr is one of the expression nodes below.
type Expr interface {
	Span() source.Span
	expr()
}

// A Number is a literal; IsInt if it has neither a point nor an exponent. Imaginary literals end in i.
type Number struct {
	Place
	Text      string
	Value     float64
	IsInt     bool
	Imaginary bool
}

// A Text is a literal between quotes, which only messages have.
type Text struct {
	Place
	Value string
}

// A Name is a use of a variable.
type Name struct {
	Place
	Name string
}

// A Unary is -x, +x, !x, or x' with Op "'".
type Unary struct {
	Place
	Op string
	X  Expr
}

// A Binary is x op y.
type Binary struct {
	Place
	Op   string
	X, Y Expr
}

// A Ternary is c ? a : b.
type Ternary struct {
	Place
	If, Then, Else Expr
}

// A Call is f(args); Bar is set if a bar follows its first argument.
type Call struct {
	Place
	Fun  Ident
	Args []Expr
	Bar  bool
}

// An Index is x[subs].
type Index struct {
	Place
	X    Expr
	Subs []Sub
}

// A Sub is one place in brackets: an expression (Lo alone), or a range, whose ends are nil if they are open.
type Sub struct {
	Place
	Range  bool
	Lo, Hi Expr
}

// A Field is x.1, an element of a tuple.
type Field struct {
	Place
	X Expr
	N int
}

// A List is {a, b} (an array), [a, b] (a row vector, or a matrix of row vectors) or (a, b) (a tuple), by Open.
type List struct {
	Place
	Open  string
	Items []Expr
}

// A Paren is (x).
type Paren struct {
	Place
	X Expr
}

func (*Number) expr()  {}
func (*Text) expr()    {}
func (*Name) expr()    {}
func (*Unary) expr()   {}
func (*Binary) expr()  {}
func (*Ternary) expr() {}
func (*Call) expr()    {}
func (*Index) expr()   {}
func (*Field) expr()   {}
func (*List) expr()    {}
func (*Paren) expr()   {}

// Bare returns an expression without the parentheses around it.
func Bare(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}
