package stan

import "ppl/lang/source"

// Place is the span of text from which a node was parsed.
type Place struct{ At source.Span }

// Span returns the node's span.
func (p Place) Span() source.Span { return p.At }

// A Program is a parsed file. A block that is absent has no statements.
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

// A Comment is a comment of the program, without its delimiters.
type Comment struct {
	Place
	Text string
}

// An Ident is a name and its position.
type Ident struct {
	Place
	Name string
}

// A Function is a function that the program defines. Body is nil for a forward declaration.
type Function struct {
	Place
	Result Type
	Name   Ident
	Params []*Param
	Body   *Block
}

// A Param is a parameter of a function. Data is set if its argument must not depend on model parameters.
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

// A Decl declares one variable. A statement that declares several variables has a Decl for each.
type Decl struct {
	Place
	Type  *SizedType
	Name  Ident
	Value Expr // nil if absent
}

// A SizedType is a type with its sizes and constraints. Elems are the element types of a tuple.
type SizedType struct {
	Place
	Word        string // word in the source: real, vector, simplex, cov_matrix
	ArrayDims   []Expr
	Dims        []Expr // sizes of the vector or matrix
	Constraints []Constraint
	Elems       []*SizedType
}

// Constraint returns the expression of a constraint, or nil if it is absent.
func (t *SizedType) Constraint(name string) Expr {
	for _, c := range t.Constraints {
		if c.Name.Name == name {
			return c.Value
		}
	}
	return nil
}

// A Constraint is lower, upper, offset or multiplier, with its value.
type Constraint struct {
	Name  Ident
	Value Expr
}

// An Assign is left op right. Op is "=" or a compound operator such as "+=". For `target += e` the left side is a Name.
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
	Lower, Upper Expr // nil if absent
}

// A CallStmt is a call whose value is not used.
type CallStmt struct {
	Place
	Call *Call
}

// A Message is a print, reject or fatal_error statement.
type Message struct {
	Place
	Word string
	Args []Expr
}

// A Block is { statements }. A profile block is a Block, too.
type Block struct {
	Place
	Stmts []Stmt
}

// An If is a conditional statement. Else is nil if absent.
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

// A For iterates over the range Lo:Hi, or over the elements of Lo if Hi is nil.
type For struct {
	Place
	Index  Ident
	Lo, Hi Expr
	Body   Stmt
}

// A Jump is a break or continue statement.
type Jump struct {
	Place
	Word string
}

// A Return returns from a function. Value is nil if the function has no result.
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

// A Number is a literal. IsInt is set if it has neither a point nor an exponent. Imaginary literals end in i.
type Number struct {
	Place
	Text      string
	Value     float64
	IsInt     bool
	Imaginary bool
}

// A Text is a string literal. Only messages have such literals.
type Text struct {
	Place
	Value string
}

// A Name is a use of a variable.
type Name struct {
	Place
	Name string
}

// A Unary is -x, +x, !x, or x' (Op is "'").
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

// A Call is f(args). Bar is set if a bar follows its first argument.
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

// A Sub is one subscript: an expression (only Lo is set), or a range, whose missing ends are nil.
type Sub struct {
	Place
	Range  bool
	Lo, Hi Expr
}

// A Field is x.N, an element of a tuple.
type Field struct {
	Place
	X Expr
	N int
}

// A List is an array {a, b}, a row vector or matrix [a, b], or a tuple (a, b). Open is its opening bracket.
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

// Bare returns an expression without enclosing parentheses.
func Bare(e Expr) Expr {
	for {
		p, ok := e.(*Paren)
		if !ok {
			return e
		}
		e = p.X
	}
}
