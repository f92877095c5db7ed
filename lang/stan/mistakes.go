package stan

import (
	"errors"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// explainSyntax reports the token that the grammar did not expect.
func explainSyntax(src *source.File, tokens []lexer.Token, err error, ds *diag.List) {
	var failed participle.Error
	if !errors.As(err, &failed) {
		panic("internal error: " + err.Error())
	}
	i := 0
	for i < len(tokens)-1 && tokens[i].Pos.Offset < failed.Position().Offset {
		i++
	}
	at := tokens[i]
	if at.EOF() {
		ds.Errorf(diag.Syntax, lastSpan(src, tokens), "the program ends in the middle of a statement or block")
		return
	}
	message, help := unexpected(tokens, i)
	ds.Errorf(diag.Syntax, spanOf(src, at), "%s", message).Help("%s", help)
}

func lastSpan(src *source.File, tokens []lexer.Token) source.Span {
	if n := len(tokens); n > 1 {
		return spanOf(src, tokens[n-2])
	}
	return source.Span{File: src, Start: 0, End: min(1, len(src.Text))}
}

// unexpected returns an explanation of the unexpected token i, based on the tokens around it.
func unexpected(tokens []lexer.Token, i int) (message, help string) {
	t := tokens[i]
	types := tokenKinds()
	before := lexer.Token{}
	if i > 0 {
		before = tokens[i-1]
	}
	message = "`" + diag.Printable(t.Value) + "` is not expected here"
	endsExpr := before.Type == types["Word"] || before.Type == types["Number"] || before.Type == types["Field"] ||
		before.Value == ")" || before.Value == "]" || before.Value == "'"
	startsExpr := t.Type == types["Word"] || t.Type == types["Number"] || t.Type == types["Keyword"] ||
		t.Type == types["Type"]
	switch {
	case i == 0:
		return message, "a program has blocks such as `data { … }`, `parameters { … }` and `model { … }`"
	case (t.Type == types["Type"] || t.Type == types["Keyword"]) && before.Type == types["Type"]:
		return "`" + t.Value + "` is a word of the language, not a name", "choose another name"
	case endsExpr && (startsExpr && t.Pos.Line > before.Pos.Line || t.Value == "}"):
		return message, "a statement ends with `;`: is it missing after `" + diag.Printable(before.Value) + "`?"
	case endsExpr && startsExpr:
		return message, "is an operator or a comma missing before it?"
	case t.Value == "|":
		return message, "`|` follows the first argument of a density, as in normal_lpdf(y | mu, sigma)"
	case isOp(before) && isOp(t):
		return message, "an expression is missing between `" + before.Value + "` and `" + t.Value + "`"
	}
	return message, ""
}

func isOp(t lexer.Token) bool {
	types := tokenKinds()
	return t.Type == types["Op"] || t.Type == types["LongOp"]
}
