package stan

import (
	"strings"
	"sync"

	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// definition lists the token rules. Earlier rules are tried first.
var definition = sync.OnceValue(func() *lexer.StatefulDefinition {
	return lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `\s+`},
		{Name: "Word", Pattern: `[A-Za-z_][A-Za-z_0-9]*`},
		{Name: "Include", Pattern: `#include[^\n]*`},
		{Name: "Comment", Pattern: `//[^\n]*|/\*(?s:.*?)\*/|#[^\n]*`},
		{Name: "Unclosed", Pattern: `/\*`},
		{Name: "Field", Pattern: `\.[0-9]+(?:_[0-9]+)*(?:[eE][+-]?[0-9]+)?i?`},
		{Name: "Number", Pattern: `[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?i?`},
		{Name: "Text", Pattern: `"[^"\n]*"`},
		{Name: "Quote", Pattern: `'`},
		{Name: "LongOp", Pattern: `\.\*=|\./=|<-|<=|>=|==|!=|&&|\|\||\+=|-=|\*=|/=|\.\*|\./|\.\^|%/%`},
		{Name: "Op", Pattern: `[-+*/\\^%!<>=~?:|,;(){}\[\].]`},
	})
})

// kinds maps each reserved word to its kind of token.
var kinds = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for kind, words := range map[string]string{
		"Type": "int real complex vector row_vector matrix complex_vector complex_row_vector complex_matrix ordered " +
			"positive_ordered simplex unit_vector sum_to_zero_vector sum_to_zero_matrix cholesky_factor_corr " +
			"cholesky_factor_cov corr_matrix cov_matrix column_stochastic_matrix row_stochastic_matrix",
		"Keyword": "for in while if else break continue return functions data transformed parameters model generated " +
			"quantities array tuple void print reject fatal_error profile",
	} {
		for _, word := range strings.Fields(words) {
			all[word] = kind
		}
	}
	return all
})

// tokenKinds maps the token names of the grammar to token types, including those of reserved words.
var tokenKinds = sync.OnceValue(func() map[string]lexer.TokenType {
	all := map[string]lexer.TokenType{}
	least := lexer.EOF
	for name, t := range definition().Symbols() {
		all[name], least = t, min(least, t)
	}
	all["Type"], all["Keyword"] = least-1, least-2
	return all
})

// scan splits the text into tokens and comments. It stops at the first error.
func scan(src *source.File, ds *diag.List) (tokens []lexer.Token, comments []Comment) {
	lex, err := definition().LexString(src.Name, src.Text)
	if err != nil {
		panic("internal error: " + err.Error())
	}
	types := tokenKinds()
	for {
		t, err := lex.Next()
		if err != nil {
			unknownCharacter(src, tokens, ds)
			return nil, nil
		}
		at := source.Span{File: src, Start: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
		switch t.Type {
		case types["Space"]:
			continue
		case types["Include"]:
			ds.Errorf(diag.Syntax, at, "`#include` is not supported").Help("replace this line by the text of the file")
			return nil, nil
		case types["Unclosed"]:
			ds.Errorf(diag.Unclosed, at, "the comment is not closed").Help("end it with `*/`")
			return nil, nil
		case types["Comment"]:
			if strings.HasPrefix(t.Value, "#") {
				old(ds, at, "a comment begins with `//`")
			}
			comments = append(comments, Comment{Place{at}, uncommented(t.Value)})
			continue
		case types["Word"]:
			if kind, ok := kinds()[t.Value]; ok {
				t.Type = types[kind]
			}
		}
		tokens = append(tokens, t)
		if t.EOF() {
			return tokens, comments
		}
	}
}

// old adds a note about syntax that Stan no longer supports.
func old(ds *diag.List, at source.Span, today string) {
	ds.Notef("", at, "this is old syntax: today, %s", today)
}

// unknownCharacter reports the character after the last token, which no rule of the lexer matches.
func unknownCharacter(src *source.File, tokens []lexer.Token, ds *diag.List) {
	at := 0
	if n := len(tokens); n > 0 {
		at = tokens[n-1].Pos.Offset + len(tokens[n-1].Value)
	}
	rest := src.Text[at:]
	for { // skip space and comments
		trimmed := strings.TrimLeft(rest, " \t\r\n")
		if end := commentEnd(trimmed); end > 0 {
			trimmed = trimmed[end:]
		}
		if len(trimmed) == len(rest) {
			break
		}
		rest = trimmed
	}
	at = len(src.Text) - len(rest)
	end := at
	for i, r := range rest {
		if i > 0 {
			break
		}
		end = at + len(string(r))
	}
	end = min(end, len(src.Text))
	span := source.Span{File: src, Start: at, End: end}
	switch {
	case strings.HasPrefix(rest, `"`):
		ds.Errorf(diag.Unclosed, span, "the text is not closed").Help("end it with a quote on the same line")
	default:
		ds.Errorf(diag.Syntax, span, "`%s` is not a symbol of Stan", diag.Printable(span.Text()))
	}
}

// commentEnd returns the length of the comment at the beginning of a text, or 0 if there is none.
func commentEnd(text string) int {
	switch {
	case strings.HasPrefix(text, "/*"):
		if end := strings.Index(text, "*/"); end > 0 {
			return end + 2
		}
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "#"):
		if end := strings.IndexByte(text, '\n'); end > 0 {
			return end
		}
		return len(text)
	}
	return 0
}

// uncommented returns the text of a comment without its delimiters.
func uncommented(text string) string {
	switch {
	case strings.HasPrefix(text, "/*"):
		text = strings.TrimSuffix(strings.TrimPrefix(text, "/*"), "*/")
	case strings.HasPrefix(text, "//"):
		text = strings.TrimLeft(text, "/")
	default:
		text = strings.TrimPrefix(text, "#")
	}
	var lines []string
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "*"))
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
