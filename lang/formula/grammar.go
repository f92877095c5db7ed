package formula

import (
	"errors"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// The grammar of formulas. Operators from the loosest to the tightest: `,`, `~`, `|`, comparisons, `+ -`, `* /`, `:`,
// `^`.

type formulaTree struct {
	Parts []*tildeTree `parser:"@@ (',' @@)*"`
}

type tildeTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Left   *barTree `parser:"@@"`
	Right  *barTree `parser:"('~' @@)?"`
}

type barTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Head   *compareTree `parser:"@@"`
	Tail   []*barTail   `parser:"@@*"`
}

type barTail struct {
	Op    string       `parser:"@('|' | '||')"`
	Right *compareTree `parser:"@@"`
}

type compareTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Left   *sumTree `parser:"@@"`
	Op     string   `parser:"( @('<' | '>' | '<=' | '>=' | '==' | '!=')"`
	Right  *sumTree `parser:"@@ )?"`
}

type sumTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Sign   string       `parser:"@('-' | '+')?"`
	Head   *productTree `parser:"@@"`
	Tail   []*sumTail   `parser:"@@*"`
}

type sumTail struct {
	Op    string       `parser:"@('+' | '-')"`
	Right *productTree `parser:"@@"`
}

type productTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Head   *crossTree     `parser:"@@"`
	Tail   []*productTail `parser:"@@*"`
}

type productTail struct {
	Op    string     `parser:"@('*' | '/')"`
	Right *crossTree `parser:"@@"`
}

type crossTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Parts  []*powerTree `parser:"@@ (':' @@)*"`
}

type powerTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Base   *atomTree `parser:"@@"`
	Power  *atomTree `parser:"('^' @@)?"`
}

type atomTree struct {
	Pos    lexer.Position
	EndPos lexer.Position
	Number *string    `parser:"  @Number"`
	Text   *string    `parser:"| @Text"`
	Call   *callTree  `parser:"| @@"`
	Name   *string    `parser:"| @(Name | Quoted)"`
	Minus  *powerTree `parser:"| '-' @@"`
	Inner  *barTree   `parser:"| '(' @@ ')'"`
}

type callTree struct {
	Name string     `parser:"@Name '('"`
	Args []*argTree `parser:"(@@ (',' @@)*)? ')'"`
}

type argTree struct {
	Label string     `parser:"(@Name '=')?"`
	Value *tildeTree `parser:"@@"`
}

var grammar = sync.OnceValue(func() *participle.Parser[formulaTree] {
	return participle.MustBuild[formulaTree](participle.UseLookahead(2), participle.Elide("Space"),
		participle.Lexer(lexer.MustSimple([]lexer.SimpleRule{
			{Name: "Space", Pattern: `\s+`},
			{Name: "Number", Pattern: `(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?`},
			{Name: "Name", Pattern: `[\p{L}.][\p{L}\d._]*`},
			{Name: "Quoted", Pattern: "`[^`]+`"},
			{Name: "Text", Pattern: `"[^"]*"|'[^']*'`},
			{Name: "Op", Pattern: `\|\||<=|>=|==|!=|[-+*/:^|~(),=<>]`},
		})))
})

// Kinds of nodes that are not operators.
const (
	opName   = "name"
	opNumber = "number"
	opText   = "text"
	opCall   = "call"
)

// A node is a part of a formula: an operator such as + : | with its operands (one for a minus sign), or one of the
// kinds above.
type node struct {
	op     string
	text   string  // a name, a text, or the function of a call
	number float64 // value of a number
	args   []*node
	labels []string // argument names of a call; "" for an unnamed argument
	at     int
	end    int
}

// parseFormula parses one formula, or several separated by commas.
func parseFormula(text string) (parts []*node, err error) {
	tree, err := grammar().ParseString("", text)
	if err != nil {
		return nil, syntaxError(text, err)
	}
	for _, part := range tree.Parts {
		parts = append(parts, part.node())
	}
	return parts, nil
}

// syntaxError returns an error at the position where the parser stopped.
func syntaxError(text string, err error) *Error {
	e := &Error{Formula: text, Message: "the formula cannot be parsed: " + err.Error()}
	var at participle.Error
	if !errors.As(err, &at) {
		return e
	}
	e.At = at.Position().Offset
	if e.At >= len(text) {
		e.At, e.Message = 0, "the formula ends too early: "+text
		e.Help = "close the last bracket, or write a term after the last operator"
		return e
	}
	e.End = e.At + 1
	e.Message = "the formula cannot be parsed from here on"
	if r, _ := utf8.DecodeRuneInString(text[e.At:]); unicode.IsLetter(r) {
		e.Help = "write an operator between two names, and a name with spaces in backquotes, as in y ~ `rain mm`"
	}
	before := strings.TrimSpace(text[:e.At])
	switch {
	case text[e.At] != '~':
	case before == "" || strings.ContainsAny(before[len(before)-1:], ",("):
		e.Message, e.Help = "the outcome before `~` is missing", "write it as in y ~ x"
	default:
		e.Message, e.Help = "a formula has one `~`", "write a comma between formulas, as in y ~ x, sigma ~ z"
	}
	return e
}

// spanning sets the byte range of a node in the formula.
func (n *node) spanning(from, to lexer.Position) *node {
	n.at, n.end = from.Offset, to.Offset
	return n
}

func (t *tildeTree) node() *node {
	if t.Right == nil {
		return t.Left.node()
	}
	return (&node{op: "~", args: []*node{t.Left.node(), t.Right.node()}}).spanning(t.Pos, t.EndPos)
}

func (t *barTree) node() *node {
	n := t.Head.node()
	for _, tail := range t.Tail {
		n = (&node{op: tail.Op, args: []*node{n, tail.Right.node()}}).spanning(t.Pos, t.EndPos)
	}
	return n
}

func (t *compareTree) node() *node {
	if t.Op == "" {
		return t.Left.node()
	}
	return (&node{op: t.Op, args: []*node{t.Left.node(), t.Right.node()}}).spanning(t.Pos, t.EndPos)
}

func (t *sumTree) node() *node {
	n := t.Head.node()
	if t.Sign == "-" {
		n = (&node{op: "-", args: []*node{n}}).spanning(t.Pos, t.EndPos)
	}
	for _, tail := range t.Tail {
		n = (&node{op: tail.Op, args: []*node{n, tail.Right.node()}}).spanning(t.Pos, t.EndPos)
	}
	return n
}

func (t *productTree) node() *node {
	n := t.Head.node()
	for _, tail := range t.Tail {
		n = (&node{op: tail.Op, args: []*node{n, tail.Right.node()}}).spanning(t.Pos, t.EndPos)
	}
	return n
}

func (t *crossTree) node() *node {
	n := t.Parts[0].node()
	for _, part := range t.Parts[1:] {
		n = (&node{op: ":", args: []*node{n, part.node()}}).spanning(t.Pos, t.EndPos)
	}
	return n
}

func (t *powerTree) node() *node {
	n := t.Base.node()
	if t.Power != nil {
		n = (&node{op: "^", args: []*node{n, t.Power.node()}}).spanning(t.Pos, t.EndPos)
	}
	return n
}

func (t *atomTree) node() *node {
	n := &node{}
	switch {
	case t.Number != nil:
		n.op, n.text = opNumber, *t.Number
		n.number, _ = strconv.ParseFloat(*t.Number, 64)
	case t.Text != nil:
		n.op, n.text = opText, (*t.Text)[1:len(*t.Text)-1]
	case t.Call != nil:
		n.op, n.text = opCall, t.Call.Name
		for _, a := range t.Call.Args {
			n.args, n.labels = append(n.args, a.Value.node()), append(n.labels, a.Label)
		}
	case t.Name != nil:
		n.op, n.text = opName, strings.Trim(*t.Name, "`")
	case t.Minus != nil:
		n.op, n.args = "-", []*node{t.Minus.node()}
	default: // keep brackets, so that the sum in them stays one operand
		inner := t.Inner.node()
		return (&node{op: "(", args: []*node{inner}}).spanning(t.Pos, t.EndPos)
	}
	return n.spanning(t.Pos, t.EndPos)
}

// String returns a node in R's notation. Variables with the same text are the same variable.
func (n *node) String() string {
	switch n.op {
	case opName, opNumber:
		return n.text
	case opText:
		return strconv.Quote(n.text)
	case "(":
		return "(" + n.args[0].String() + ")"
	case opCall:
		parts := make([]string, len(n.args))
		for i, a := range n.args {
			parts[i] = a.String()
			if n.labels[i] != "" {
				parts[i] = n.labels[i] + " = " + parts[i]
			}
		}
		return n.text + "(" + strings.Join(parts, ", ") + ")"
	}
	if len(n.args) == 1 {
		return n.op + n.args[0].String()
	}
	if n.op == "^" || n.op == ":" {
		return n.args[0].String() + n.op + n.args[1].String()
	}
	return n.args[0].String() + " " + n.op + " " + n.args[1].String()
}

// inner returns a node without enclosing brackets.
func (n *node) inner() *node {
	for n.op == "(" {
		n = n.args[0]
	}
	return n
}

// is reports whether a node is the number v.
func (n *node) is(v float64) bool { return n.op == opNumber && n.number == v }
