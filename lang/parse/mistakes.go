package parse

import (
	"errors"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/diag"
)

// A mistake describes the token at which participle stopped in a statement, and what it expected.
type mistake struct {
	tokens []token
	at     int    // index of the found token; len(tokens) at the end of the statement
	want   string // description of what was expected
	over   bool   // the statement should have ended
}

func (m mistake) found() token {
	if m.at < len(m.tokens) {
		return m.tokens[m.at]
	}
	return token{Type: lexer.EOF, Offset: end(m.tokens[len(m.tokens)-1])}
}

// mistake reports why participle rejected a statement.
func (p *parser) mistake(tokens []token, err error) {
	m := p.locate(tokens, err)
	for _, known := range []func(*parser, mistake) bool{
		needlessWord, drawnData, openBracket, keywordAsName, strayReturn, drawnExpression, unexpected,
	} {
		if known(p, m) {
			return
		}
	}
}

func (p *parser) locate(tokens []token, err error) mistake {
	var stop participle.Error
	if !errors.As(err, &stop) {
		panic("internal error: " + err.Error())
	}
	m := mistake{tokens: tokens, at: stop.Position().Offset} // offsets in a tree are token indices
	m.want, m.over = describeExpected(stop.Message(), p.unit, m.at)
	return m
}

// Mistakes with their own diagnostic code.

// needlessWord reports E01: a keyword of another language before a statement.
func needlessWord(p *parser, m mistake) bool {
	first := m.tokens[0]
	why, help := needless(first.Value)
	if why == "" || m.at == 0 || len(m.tokens) == 1 || !m.beginsWithWord(help) {
		return false
	}
	e := p.diags.Errorf(diag.ForeignKeyword, spanOf(p.src, first), "unexpected `%s`: %s", first.Value, why)
	if help == "" {
		help = "write `" + p.line(m.tokens[1:]) + "`"
	}
	e.Help("%s", help)
	return true
}

// beginsWithWord reports whether the statement begins with a keyword of another language, and not with a user's name
// that has the same spelling. It is a keyword before a parenthesis (loop or condition), before sizes and a name (type),
// or before a block (section).
func (m mistake) beginsWithWord(help string) bool {
	second := m.tokens[1]
	switch {
	case m.tokens[0].Type == keyword:
		return second.Type == body
	case second.Type != punct:
		return true
	case second.Value == "(":
		return slices.Contains([]string{"for", "while", "if"}, m.tokens[0].Value)
	case second.Value == "[" || second.Value == "<":
		return help != "" && (m.at == 1 || m.want == "`~` or `=`" && m.found().Type == name)
	}
	return help != "" && m.at == 1
}

// line returns the text of the tokens up to the end of their first line.
func (p *parser) line(tokens []token) string {
	text, _, more := strings.Cut(p.at(tokens).Text(), "\n")
	if more {
		text += " …"
	}
	return text
}

// drawnData reports E06: a data declaration with ~.
func drawnData(p *parser, m mistake) bool {
	if m.tokens[0].Value != "data" || m.found().Value != "~" || m.at == 1 {
		return false
	}
	p.diags.Errorf(diag.DrawnData, spanOf(p.src, m.found()), "a `data` declaration has no `~`").
		Help("write `%s` and, on a separate line, `%s ~ …`", p.line(m.tokens[:m.at]), m.tokens[1].Value)
	return true
}

// openBracket reports E02 if a bracket of the next statement closes a bracket of this one. It assumes that a line
// inside brackets is a new statement if it is not indented more than the statement.
func openBracket(p *parser, m mistake) bool {
	var open []token
	for i, t := range m.tokens[:min(m.at+1, len(m.tokens))] {
		if len(open) > 0 && p.beginsLine(m.tokens, i) && !indented(p.src, m.tokens[0], t) {
			innermost := spanOf(p.src, open[len(open)-1])
			notClosed(&p.diags, innermost).Related(spanOf(p.src, t), "a new statement seems to begin here")
			return true
		}
		switch depthChange(t) {
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

// keywordAsName reports E03: a keyword where a name is expected.
func keywordAsName(p *parser, m mistake) bool {
	t := m.found()
	switch {
	case t.Type == keyword && m.at > 0 && m.tokens[m.at-1].Value == "~":
		p.diags.Errorf(diag.Syntax, spanOf(p.src, t), "expected a distribution, found `%s`", t.Value).
			Help("%s", afterTilde(t.Value))
		return true
	case t.Type == keyword && m.at > 0 && m.wantsName():
	case m.tokens[0].Type == keyword && len(m.tokens) > 1 && m.at <= 1 && namesSomething(m.tokens[1]):
		t = m.tokens[0]
	default:
		return false
	}
	p.diags.Errorf(diag.KeywordAsName, spanOf(p.src, t), "`%s` is a keyword and cannot be a name", t.Value).
		Help("choose another name, such as `%s_`", t.Value)
	return true
}

// afterTilde returns advice on a keyword that is in the place of a distribution.
func afterTilde(word string) string {
	switch word {
	case "ordered", "zerosum", "noncentered":
		return "write it after a distribution: `x[K] ~ Normal(0, 1) " + word + "`"
	case "in", "censored":
		return "write it after a distribution: `x ~ Normal(0, 1) " + word + " 0..inf`"
	}
	return "write a distribution, such as `x ~ Normal(0, 1)`"
}

// wantsName reports whether the user may have meant a name at the mistake.
func (m mistake) wantsName() bool {
	switch m.tokens[m.at-1].Value {
	case "(", "[", ",":
		return true
	}
	return !m.over && !strings.HasPrefix(m.want, "`")
}

// namesSomething reports whether the token before t, at the beginning of a statement, was meant as a name.
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
	p.diags.Errorf(diag.Syntax, spanOf(p.src, t), "`return` must be at the beginning of a line")
	return true
}

// drawnExpression reports an expression in place of a distribution: y ~ a + b * x.
func drawnExpression(p *parser, m mistake) bool {
	tilde := slices.IndexFunc(m.tokens, func(t token) bool { return t.Value == "~" })
	if tilde < 0 || m.at <= tilde || tilde+1 == len(m.tokens) {
		return false
	}
	first, rest := m.tokens[tilde+1], m.tokens[tilde+1:]
	arithmetic := slices.Contains([]string{"+", "-", "*", "/", "@", "^"}, m.found().Value) && m.over
	if m.at == tilde+1 && (first.Type == number || first.Value == "-") && len(rest) > 1 {
		arithmetic = true
	}
	if !arithmetic || first.Type == name && strings.ToLower(first.Value[:1]) != first.Value[:1] {
		return false
	}
	if slices.ContainsFunc(rest, isDistribution) {
		p.diags.Errorf(diag.Syntax, p.at(rest), "a sum of distributions is not a distribution: `%s`", p.line(rest)).
			Help("for a mixture let a discrete unknown choose the component of each row: `z[i in N] ~ " +
				"Categorical(w)` " +
				"and `y[i in N] ~ Normal(m[z[i]], s)`; for a sum draw each quantity under its name and add them")
		return true
	}
	left := p.line(m.tokens[:tilde])
	p.diags.Errorf(diag.Syntax, p.at(rest), "expected a distribution after `~`, found the expression `%s`",
		p.line(rest)).
		Help("write the distribution that it is an argument of: `%s ~ Normal(%s, s)`; a definition has `=`", left,
			p.line(rest))
	return true
}

// isDistribution reports whether a word may name a distribution: it begins with a capital letter and has a lower-case
// one.
func isDistribution(t token) bool {
	return t.Type == name && len(t.Value) > 1 && t.Value[0] >= 'A' && t.Value[0] <= 'Z' &&
		strings.ToUpper(t.Value) != t.Value
}

// All other mistakes.

func unexpected(p *parser, m mistake) bool {
	t := m.found()
	e := p.diags.Errorf(diag.Syntax, spanOf(p.src, t), "expected %s, found %s", m.want, described(t, p.unit))
	if joined, ok := p.joined(m); ok {
		e.Related(spanOf(p.src, joined), "`%s` at the end of a line continues the statement", joined.Value)
	} else if help := m.help(); help != "" {
		e.Help("%s", help)
	}
	return true
}

// joined returns the last token of the line before the mistake. ok is false if it is inside brackets or if the
// statement does not continue because of this token.
func (p *parser) joined(m mistake) (last token, ok bool) {
	depth := 0
	for i, t := range m.tokens[:min(m.at+1, len(m.tokens))] {
		if p.beginsLine(m.tokens, i) {
			last = token{}
			if depth == 0 {
				last = m.tokens[i-1]
			}
		}
		depth += depthChange(t)
	}
	return last, continues(last)
}
