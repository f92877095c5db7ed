package parse

import (
	"errors"
	"fmt"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// A mistake is where participle stopped in a statement.
type mistake struct {
	tokens []token
	at     int    // index of the token found; len(tokens) at the statement's end
	want   string // what was expected, in the user's words
}

func (m mistake) found() token {
	if m.at < len(m.tokens) {
		return m.tokens[m.at]
	}
	return lexer.EOFToken(lexer.Position{Offset: end(m.tokens[len(m.tokens)-1])})
}

// mistake reports why participle refused a statement.
func (p *parser) mistake(tokens []token, err error) {
	m := locate(tokens, err)
	for _, known := range []func(*parser, mistake) bool{
		needlessWord, drawnData, openBracket, keywordAsName, strayReturn, unexpected,
	} {
		if known(p, m) {
			return
		}
	}
}

func locate(tokens []token, err error) mistake {
	var stop participle.Error
	if !errors.As(err, &stop) {
		panic("internal error: " + err.Error())
	}
	m := mistake{tokens: tokens, at: len(tokens)}
	for i, t := range tokens {
		if t.Pos.Offset >= stop.Position().Offset {
			m.at = i
			break
		}
	}
	m.want = wanted(stop.Message(), m.at)
	return m
}

// wanted translates what participle expected, which it prints as the rest of a grammar rule.
func wanted(message string, at int) string {
	_, rule, found := strings.Cut(message, "(expected ")
	if !found {
		if at == 0 {
			return "a statement"
		}
		return "the end of the statement"
	}
	rule = strings.TrimLeft(rule, "(")
	for _, row := range expectations {
		if strings.HasPrefix(rule, row[0]) {
			return row[1]
		}
	}
	panic("internal error: no words for the grammar's " + rule)
}

// expectations says in the user's words what a rest of a grammar rule begins with.
var expectations = [...][2]string{
	{`"~"`, "`~` or `=`"},
	{`"]"`, "`,` or `]`"},
	{`")"`, "`)`"},
	{`"="`, "`=`"},
	{`":"`, "`:`"},
	{`".."`, "`..`"},
	{`"in"`, "`in`"},
	{`<body>`, "an expression or a block"},
	{`<string>`, "a file name in quotes"},
	{`<name>`, "a name"},
	{`Ident`, "a name"},
	{`Data`, "a name"},
	{`Decl`, "a name"},
	{`Head`, "a name"},
	{`Random`, "a distribution"},
	{`Callee`, "a name or a call"},
	{`Span`, "a range"},
	{`Slot`, "an index or a set"},
	{`Set`, "a set or a subscript"},
	{`Param`, "a parameter"},
	{`Binder`, "an index"},
	{`Args`, "an expression"},
	{`Arg`, "an expression"},
	{`Expr`, "an expression"},
	{`Choice`, "an expression"},
	{`Binary`, "an expression"},
	{`Unary`, "an expression"},
	{`Signed`, "an expression"},
	{`Primary`, "an expression"},
}

// ---- mistakes with a code of their own ----

// needlessWord is E01: another language's keyword before a statement.
func needlessWord(p *parser, m mistake) bool {
	first := m.tokens[0]
	why, help := slip(first.Value)
	if why == "" || m.at == 0 || len(m.tokens) == 1 || m.tokens[1].Type == punct && (help == "" || m.at > 1) {
		return false
	}
	e := p.diags.Errorf("E01", spanOf(p.src, first), "unexpected `%s`: %s", first.Value, why)
	if help == "" {
		help = "write `" + p.line(m.tokens[1:]) + "`"
	}
	e.Help("%s", help)
	return true
}

// slip says why a word of another language is not needed; help is empty where the statement stands without the word.
func slip(word string) (why, help string) {
	switch word {
	case "let", "var", "const", "def", "set", "val":
		return "a definition needs no keyword", ""
	case "prior", "param", "parameter", "sample", "random", "latent":
		return "what is not data is a parameter, without a keyword", ""
	case "likelihood", "observe", "observed", "obs":
		return "what is data is observed, without a keyword", ""
	case "real", "int", "vector", "matrix", "array", "simplex":
		return "names are not declared with a type", "write `x = …` or `x ~ …`; for data `data x[N]: int`"
	case "function", "func", "fn", "fun", "network":
		return "a function needs no keyword", ""
	case "parameters", "model", "functions", "transformed", "generated":
		return "a model has no sections", "write the statements alone, in any order"
	case "for", "while":
		return "there are no loops", "write one statement for all elements: `y[i in N] ~ …`"
	case "if", "else":
		return "there are no conditional statements", "write `condition ? a : b` in an expression"
	case "target", "factor", "potential":
		return "a log density belongs to a name", "write `x ~ Density(e)` to add e to the log density"
	}
	return "", ""
}

// line is the text of the tokens up to the end of their first line.
func (p *parser) line(tokens []token) string {
	text, _, more := strings.Cut(p.at(tokens).Text(), "\n")
	if more {
		text += " …"
	}
	return text
}

// drawnData is E06.
func drawnData(p *parser, m mistake) bool {
	if m.tokens[0].Value != "data" || m.found().Value != "~" || m.at == 1 {
		return false
	}
	p.diags.Errorf("E06", spanOf(p.src, m.found()), "a `data` declaration has no `~`").
		Help("write `%s` and, on a line of its own, `%s ~ …`", p.line(m.tokens[:m.at]), m.tokens[1].Value)
	return true
}

// openBracket is E02 where a bracket of a later statement closes this one's: a line within brackets that begins no
// further right than the statement is taken for a statement of its own.
func openBracket(p *parser, m mistake) bool {
	var open []token
	for i, t := range m.tokens[:min(m.at+1, len(m.tokens))] {
		if len(open) > 0 && p.beginsLine(m.tokens, i) && !indented(p.src, m.tokens[0], t) {
			innermost := spanOf(p.src, open[len(open)-1])
			p.diags.Errorf("E02", innermost, "`%s` opened on line %d is not closed", innermost.Text(), innermost.Line()).
				Related(spanOf(p.src, t), "a new statement seems to begin here")
			return true
		}
		switch step(t) {
		case 1:
			open = append(open, t)
		case -1:
			open = open[:len(open)-1]
		}
	}
	return false
}

func (p *parser) beginsLine(tokens []token, i int) bool {
	return i > 0 && spanOf(p.src, tokens[i]).Line() > spanOf(p.src, tokens[i-1]).Line()
}

// keywordAsName is E03.
func keywordAsName(p *parser, m mistake) bool {
	t := m.found()
	switch {
	case t.Type == keyword && m.at > 0 && m.wantsName():
	case m.tokens[0].Type == keyword && len(m.tokens) > 1 && m.at <= 1 && namesSomething(m.tokens[1]):
		t = m.tokens[0]
	default:
		return false
	}
	p.diags.Errorf("E03", spanOf(p.src, t), "`%s` is a keyword and cannot be a name", t.Value)
	return true
}

// wantsName reports whether a name could stand where the mistake is.
func (m mistake) wantsName() bool {
	switch m.tokens[m.at-1].Value {
	case "(", "[", ",":
		return true
	}
	return m.want != "the end of the statement" && !strings.HasPrefix(m.want, "`")
}

// namesSomething reports whether what stands before t at the beginning of a statement was meant as a name.
func namesSomething(t token) bool {
	switch t.Value {
	case "=", "~", "[", "(", ".", ",", "'":
		return true
	}
	return false
}

func strayReturn(p *parser, m mistake) bool {
	t := m.found()
	if t.Value != "return" || m.at == 0 {
		return false
	}
	p.diags.Errorf("E00", spanOf(p.src, t), "`return` begins a line of its own")
	return true
}

// ---- all others ----

func unexpected(p *parser, m mistake) bool {
	t := m.found()
	e := p.diags.Errorf("E00", spanOf(p.src, t), "expected %s, found %s", m.want, described(t))
	if joined, ok := p.joined(m); ok {
		e.Related(spanOf(p.src, joined), "`%s` at the end of a line continues the statement", joined.Value)
	} else if help := m.help(); help != "" {
		e.Help("%s", help)
	}
	return true
}

func described(t token) string {
	switch t.Type {
	case lexer.EOF:
		return "the end of the statement"
	case body:
		return "a block `{ … }`"
	}
	if len(t.Value) > 30 {
		return fmt.Sprintf("`%.30s…`", t.Value)
	}
	return "`" + t.Value + "`"
}

// joined is the token outside brackets that ends the line before the mistake's, if it is why the statement goes on.
func (p *parser) joined(m mistake) (token, bool) {
	depth := 0
	var last token
	for i, t := range m.tokens[:min(m.at+1, len(m.tokens))] {
		if p.beginsLine(m.tokens, i) {
			last = token{}
			if depth == 0 {
				last = m.tokens[i-1]
			}
		}
		depth += step(t)
	}
	return last, continues(last)
}

func (m mistake) help() string {
	t := m.found()
	before := m.tokens[max(0, m.at-1)]
	atEnd := m.want == "the end of the statement"
	switch {
	case m.want == "`~` or `=`":
		return "a definition is written `x = e`, a distribution `x ~ D(…)`"
	case m.want == "`..`":
		return "bounds are a range such as `0..1` or `0..inf`"
	case before.Value == "*" && t.Value == "*":
		return "a power is written `x^2`"
	case t.Type == prime && (m.want == "an expression" || m.want == "a file name in quotes"):
		return "strings are written in double quotes"
	case t.Value == "in" && m.tokens[0].Value == "data" && atEnd:
		return "bounds stand before `missing` and the value"
	case t.Value == "in" && m.tokens[0].Value == "data":
		return "a declaration names the axes, not their indices: `data y[N]`"
	case t.Value == "=" && atEnd:
		return "equality is written `==`"
	case t.Type == keyword && atEnd && (t.Value == "generate" || t.Value == "data"):
		return "begin a new line before `" + t.Value + "`"
	case beginsOperand(t) && (atEnd || strings.HasSuffix(m.want, "`)`") || strings.HasSuffix(m.want, "`]`")):
		return "is a `,` or an operator missing before it?"
	}
	return ""
}

func beginsOperand(t token) bool {
	switch t.Type {
	case name, number, text:
		return true
	}
	return t.Value == "("
}
