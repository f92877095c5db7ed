package bugs

import (
	"errors"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"ppl/lang/diag"
	"ppl/lang/source"
)

// This file is the grammar, which participle reads from the struct tags. Infix operators are parsed as flat lists, to
// which expr.go applies precedence.

type place struct {
	Pos    lexer.Position
	EndPos lexer.Position
}

type programTree struct {
	Vars  []*nameTree `parser:"('var' @@ (',' @@)* ';'?)*"`
	Data  *blockTree  `parser:"('data' @@)?"`
	Model *blockTree  `parser:"'model' @@"`
}

type blockTree struct {
	Stmts []*stmtTree `parser:"'{' @@* '}'"`
}

type stmtTree struct {
	For      *forTree      `parser:"( @@"`
	Relation *relationTree `parser:"| @@ ) ';'*"`
}

type forTree struct {
	place
	Index string     `parser:"'for' '(' @Word 'in'"`
	Lo    *exprTree  `parser:"@@ ':'"`
	Hi    *exprTree  `parser:"@@ ')'"`
	Body  *blockTree `parser:"@@"`
}

// A relationTree is node <- e, link(node) <- e, or node ~ f(args) T(lo, hi).
type relationTree struct {
	place
	Left  *nameTree  `parser:"@@"`
	Value *exprTree  `parser:"( ('<-' | '=') @@"`
	Dist  *drawnTree `parser:"| '~' @@ )"`
}

// A nameTree is a name, optionally with arguments or subscripts.
type nameTree struct {
	place
	Name string    `parser:"@Word"`
	Call *callTree `parser:"( @@"`
	Subs *subsTree `parser:"| '[' @@? ']' )?"`
}

type callTree struct {
	Open string      `parser:"@'('"`
	Args []*exprTree `parser:"(@@ (',' @@)*)? ')'"`
}

type drawnTree struct {
	place
	Name  string      `parser:"@Word '('"`
	Args  []*exprTree `parser:"(@@ (',' @@)*)? ')'"`
	Range *rangeTree  `parser:"@@?"`
}

type rangeTree struct {
	Word string    `parser:"@Range"`
	Lo   *exprTree `parser:"@@?"`
	Hi   *exprTree `parser:"(',' @@?)? ')'"`
}

// A subsTree is a nonempty list of subscripts.
type subsTree struct {
	First *subTree    `parser:"( @@"`
	More  []*moreTree `parser:"  @@*"`
	Only  []*moreTree `parser:"| @@+ )"`
}

type moreTree struct {
	Comma string   `parser:"@','"`
	Sub   *subTree `parser:"@@?"`
}

type subTree struct {
	Lo *exprTree `parser:"@@"`
	Hi *exprTree `parser:"(':' @@)?"`
}

type exprTree struct {
	place
	Head *termTree       `parser:"@@"`
	Tail []*operatorTree `parser:"@@*"`
}

type operatorTree struct {
	Op   string    `parser:"( @('||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=')"`
	More string    `parser:"| @('+' | '-' | '*' | '/' | '%*%' | '^') )"`
	Term *termTree `parser:"@@"`
}

type termTree struct {
	Signs []string  `parser:"@('-' | '+' | '!')*"`
	Atom  *atomTree `parser:"@@"`
}

type atomTree struct {
	place
	Number string    `parser:"  @Number"`
	Paren  *exprTree `parser:"| '(' @@ ')'"`
	Name   *nameTree `parser:"| @@"`
}

// definition lists the token rules. Earlier rules are tried first.
var definition = sync.OnceValue(func() *lexer.StatefulDefinition {
	return lexer.MustSimple([]lexer.SimpleRule{
		{Name: "Space", Pattern: `\s+`},
		{Name: "Comment", Pattern: `#[^\n]*|/\*(?s:.*?)\*/`},
		{Name: "Number", Pattern: `(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?`},
		{Name: "Range", Pattern: `[TIC][ \t]*\(`},
		{Name: "Word", Pattern: `[A-Za-z][A-Za-z0-9._]*`},
		{Name: "Op", Pattern: `<-|<=|>=|==|!=|&&|\|\||%\*%|[-+*/^!<>=~:,;(){}\[\]]`},
	})
})

var grammar = sync.OnceValue(func() *participle.Parser[programTree] {
	return participle.MustBuild[programTree](participle.Lexer(definition()), participle.Elide("Space", "Comment"),
		participle.UseLookahead(0))
})

// maxNesting limits the depth of nested brackets, and maxSigns the number of operators - + ! ^ in a model.
const (
	maxNesting = 100
	maxSigns   = 20000
)

// parsed parses a model. It returns nil if there are errors.
func parsed(src *source.File, ds *diag.List) *programTree {
	if !withinLimits(src, ds) {
		return nil
	}
	tree, err := grammar().ParseString(src.Name, src.Text)
	var failed participle.Error
	if errors.As(err, &failed) {
		at := min(failed.Position().Offset, len(src.Text))
		span := source.Span{File: src, Start: at, End: min(at+1, len(src.Text))}
		if at == len(src.Text) {
			ds.Errorf(diag.Syntax, source.Span{File: src, Start: max(0, at-1), End: at}, "the model ends too early").
				Help("a model is `model { … }`")
			return nil
		}
		ds.Errorf(diag.Syntax, span, "`%s` is not expected here", diag.Printable(firstWord(src.Text[at:])))
		return nil
	} else if err != nil {
		panic("internal error: " + err.Error())
	}
	return tree
}

// withinLimits adds an error for a text with too many nested brackets or operators for the recursive parser. It reports
// whether there is no such error.
func withinLimits(src *source.File, ds *diag.List) bool {
	depth, signs := 0, 0
	for i := range len(src.Text) {
		switch src.Text[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '-', '+', '!', '^':
			signs++
		}
		at := source.Span{File: src, Start: i, End: i + 1}
		switch {
		case depth > maxNesting:
			ds.Errorf(diag.Syntax, at, "brackets are nested more than %d levels deep", maxNesting)
			return false
		case signs > maxSigns:
			ds.Errorf(diag.Syntax, at, "the model has more than %d operators", maxSigns)
			return false
		}
	}
	return true
}

// firstWord returns the name or number at the start of a text, or else its first character.
func firstWord(text string) string {
	for i, r := range text {
		word := r == '.' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !word {
			if i == 0 {
				return string(r)
			}
			return text[:i]
		}
	}
	return text
}

// span returns the span of a tree in the text, without space at its end.
func (p place) span(src *source.File) source.Span {
	end := p.EndPos.Offset
	for end > p.Pos.Offset && (src.Text[end-1] == ' ' || src.Text[end-1] == '\n' || src.Text[end-1] == '\t') {
		end--
	}
	return source.Span{File: src, Start: p.Pos.Offset, End: end}
}
