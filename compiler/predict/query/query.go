// Package query parses what users ask about the draws of a model.
//
// A query is an expression of the language, or a form around expressions that is defined only for draws:
//
//	exp(b_arm)                summary of its draws
//	P(tau > 3)                the probability of a condition
//	mean(y_new | tau < 3)     mean, sd or median over the draws in which a condition holds
//	exp(b_arm) | tau < 3      summary of these draws
//	rank u                    the probabilities that each element is the largest, and the smallest
//	d = u[1] - u[2]           a definition that later queries may use
//
// The bar is not an operator of the language, so this package splits the text into its parts, and each part is parsed
// as in a model.
package query

import (
	"strings"

	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// A Form is the kind of summary of its expression that a query requests.
type Form uint8

const (
	Summary     Form = iota // of the draws
	Probability             // P(condition)
	Mean
	SD
	Median
	Rank
	Definition // a statement; X is the defined name, or nil for a function
)

// A Query is one line of user input.
type Query struct {
	Source *source.File
	Form   Form
	X      ast.Expr // the expression asked about
	Given  ast.Expr // the condition after |; nil for none
	Define *ast.Define
	parts  []part
}

// A part is a part of a query's text that is parsed separately.
type part struct {
	file *source.File
	at   int // offset of its first byte in the query
}

// forms maps names that look like calls to their forms. All except P need a condition; without one they are ordinary
// function calls.
func forms() map[string]Form {
	return map[string]Form{"P": Probability, "mean": Mean, "sd": SD, "median": Median}
}

// Parse parses a query. If the model defines a function with the name of a form, the name means that function.
func Parse(text string, isFunction func(name string) bool) (*Query, []diag.Diagnostic) {
	q := &Query{Source: source.New("query", text)}
	cut := cutText(text)
	switch {
	case cut.equals >= 0:
		return q, q.definition()
	case cut.word == "rank" && cut.wordEnd < len(text) && text[cut.wordEnd] == ' ':
		q.Form = Rank
		return q, q.conditioned(cut.wordEnd, len(text), cut.bar)
	case cut.argument && !isFunction(cut.word):
		inner := cutText(text[cut.wordEnd+1 : cut.close])
		form, known := forms()[cut.word]
		if known && (form == Probability || inner.bar >= 0) {
			q.Form = form
			return q, q.conditioned(cut.wordEnd+1, cut.close, offset(inner.bar, cut.wordEnd+1))
		}
	}
	return q, q.conditioned(0, len(text), cut.bar)
}

func offset(at, by int) int {
	if at < 0 {
		return at
	}
	return at + by
}

// conditioned parses text[from:to], which is split at bar if bar ≥ 0.
func (q *Query) conditioned(from, to, bar int) (ds []diag.Diagnostic) {
	end := to
	if bar >= 0 {
		end = bar
		q.Given, ds = q.expr(bar+1, to)
	}
	x, more := q.expr(from, end)
	q.X = x
	return diag.Sorted(append(more, ds...))
}

func (q *Query) expr(from, to int) (ast.Expr, []diag.Diagnostic) {
	p := part{source.New(q.Source.Name, q.Source.Text[from:to]), from}
	q.parts = append(q.parts, p)
	x, ds := parse.Expr(p.file)
	return x, q.Relocate(ds)
}

// definition parses the query as a statement.
func (q *Query) definition() []diag.Diagnostic {
	q.Form = Definition
	f, ds := parse.File(q.Source)
	if diag.HasErrors(ds) {
		return ds
	}
	define, ok := f.Stmts[0].(*ast.Define)
	if !ok || len(f.Stmts) > 1 || len(define.Heads) != 1 || define.Generate {
		var l diag.List
		l.Errorf(diag.Syntax, f.Stmts[0].Span(), "a query is an expression, or one definition").
			Help("write `name = expression`; a model is changed in its file, or in `ppl repl MODEL`")
		return l.All()
	}
	q.Define = define
	if h := define.Heads[0]; !h.HasParams && !h.Prime && len(h.Path) == 1 {
		q.X = &ast.Name{Place: ast.Place{At: h.Path[0].Span()}, Name: h.Path[0].Name}
	}
	return nil
}

// Name returns the name if the query is just a name, or "".
func (q *Query) Name() string {
	if n, ok := q.X.(*ast.Name); ok {
		return n.Name
	}
	return ""
}

// Relocate converts positions in parts of a query to positions in the query.
func (q *Query) Relocate(ds []diag.Diagnostic) []diag.Diagnostic {
	for i := range ds {
		q.move(&ds[i].Span)
		for k := range ds[i].Related {
			q.move(&ds[i].Related[k].Span)
		}
	}
	return ds
}

func (q *Query) move(at *source.Span) {
	for _, p := range q.parts {
		if at.File == p.file {
			*at = source.Span{File: q.Source, Start: at.Start + p.at, End: at.End + p.at}
			return
		}
	}
}

// A cutting is the structure of a query's text outside brackets and strings; positions are −1 if absent.
type cutting struct {
	equals, bar int    // positions of = and |
	word        string // the first word
	wordEnd     int
	argument    bool // the text consists of word( … ) only
	close       int  // position of the closing bracket
}

func cutText(text string) cutting {
	lead := len(text) - len(strings.TrimLeft(text, " \t\n"))
	rest := strings.TrimLeft(text[lead:], letters)
	c := cutting{equals: -1, bar: -1, wordEnd: len(text) - len(rest)}
	c.word = text[lead:c.wordEnd]
	depth, closed := 0, -1
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b == '"':
			i = stringEnd(text, i)
		case b == '#':
			i += strings.IndexByte(text[i:]+"\n", '\n')
		case strings.IndexByte("([{", b) >= 0:
			depth++
		case strings.IndexByte(")]}", b) >= 0:
			depth--
			if depth == 0 && closed < 0 {
				closed = i
			}
		case depth == 0 && strings.HasPrefix(text[i:], "||"), depth == 0 && comparison(text[i:]):
			i++
		case depth == 0 && b == '|' && c.bar < 0:
			c.bar = i
		case depth == 0 && b == '=' && c.equals < 0:
			c.equals = i
		}
	}
	c.close = closed
	c.argument = c.word != "" && strings.HasPrefix(rest, "(") && closed >= 0 && strings.TrimSpace(text[closed+1:]) == ""
	return c
}

const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789"

func comparison(s string) bool {
	return len(s) > 1 && s[1] == '=' && strings.IndexByte("=<>!", s[0]) >= 0
}

// stringEnd returns the position of the quote that closes the one at i, or of the last byte.
func stringEnd(text string, i int) int {
	for k := i + 1; k < len(text); k++ {
		switch text[k] {
		case '\\':
			k++
		case '"':
			return k
		}
	}
	return len(text) - 1
}
