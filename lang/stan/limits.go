package stan

import (
	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// maxNesting limits the depth of nested brackets, and maxChain the number of nested statements or operators. They bound
// the memory of the parser for texts that no real program needs.
const (
	maxNesting = 250
	maxChain   = 2000
)

// withinLimits reports errors for texts that are nested too deeply, and for brackets that do not match, which the
// parser would explain badly. It returns false if there are such errors.
func withinLimits(src *source.File, tokens []lexer.Token, ds *diag.List) bool {
	var open []lexer.Token
	chain := 0
	closing := map[string]string{"(": ")", "[": "]", "{": "}"}
	for i, t := range tokens {
		switch t.Value {
		case "(", "[", "{":
			open = append(open, t)
			if len(open) > maxNesting {
				ds.Errorf(diag.Syntax, spanOf(src, t), "brackets are nested more than %d levels deep", maxNesting)
				return false
			}
		case ")", "]", "}":
			n := len(open)
			if n == 0 {
				ds.Errorf(diag.Unclosed, spanOf(src, t), "`%s` closes no bracket", t.Value)
				return false
			}
			if closing[open[n-1].Value] != t.Value {
				ds.Errorf(diag.Unclosed, spanOf(src, t), "`%s` does not close `%s`", t.Value, open[n-1].Value).
					Related(spanOf(src, open[n-1]), "this bracket is open")
				return false
			}
			open = open[:n-1]
		case ";":
			if n := len(open); n > 0 && open[n-1].Value != "{" {
				ds.Errorf(diag.Syntax, spanOf(src, t), "`;` is not expected here").
					Related(spanOf(src, open[n-1]), "this bracket is open")
				return false
			}
		case "if", "else", "for", "while", "?", "!", "-", "+", "^", ".^", "'":
			chain++
			if chain > maxChain {
				ds.Errorf(diag.Syntax, spanOf(src, t), "a statement has more than %d operators, conditions and loops",
					maxChain).Help("split it into several statements")
				return false
			}
		}
		ends := t.Value == ";" || t.Value == "}"
		if ends && i+1 < len(tokens) && tokens[i+1].Value != "else" {
			chain = 0
		}
	}
	if n := len(open); n > 0 {
		ds.Errorf(diag.Unclosed, spanOf(src, open[n-1]), "`%s` is not closed", open[n-1].Value)
		return false
	}
	return true
}

func spanOf(src *source.File, t lexer.Token) source.Span {
	return source.Span{File: src, Start: t.Pos.Offset, End: t.Pos.Offset + len(t.Value)}
}
