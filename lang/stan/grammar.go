package stan

import (
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"
)

// This file is the grammar, which participle reads from the struct tags. Infix operators are parsed as flat lists, to
// which build.go applies precedence. One token of lookahead decides each choice, so that there is no backtracking.

// A node records the start of its first token and the start of the token after it.
type node struct {
	Pos    lexer.Position
	EndPos lexer.Position
}

type programTree struct {
	Sections []*sectionTree `parser:"@@*"`
}

type sectionTree struct {
	node
	Functions []*functionTree `parser:"  'functions' '{' @@* '}'"`
	First     *lexer.Token    `parser:"| ( @('data' | 'parameters' | 'model')"`
	Second    *lexer.Token    `parser:"  | 'transformed' @('data' | 'parameters')"`
	Generated *lexer.Token    `parser:"  | 'generated' @'quantities' )"`
	Stmts     []*stmtTree     `parser:"  '{' @@* '}'"`
}

type functionTree struct {
	node
	Result *unsizedTree `parser:"@@"`
	Name   *nameTree    `parser:"@@ '('"`
	Params []*paramTree `parser:"(@@ (',' @@)*)? ')'"`
	Body   *blockTree   `parser:"( @@ | ';' )"`
}

type paramTree struct {
	node
	Data bool         `parser:"@'data'?"`
	Type *unsizedTree `parser:"@@"`
	Name *nameTree    `parser:"@@"`
}

type unsizedTree struct {
	node
	Array []string       `parser:"('array' @'[' @','* ']')?"`
	Word  *lexer.Token   `parser:"( @(Type | 'void')"`
	Elems []*unsizedTree `parser:"| 'tuple' '(' @@ (',' @@)* ')' )"`
	Old   []string       `parser:"(@'[' @','* ']')?"`
}

type nameTree struct {
	node
	Name string `parser:"@Word"`
}

type blockTree struct {
	node
	Stmts []*stmtTree `parser:"'{' @@* '}'"`
}

type stmtTree struct {
	node
	Block   *blockTree   `parser:"  @@"`
	If      *ifTree      `parser:"| 'if' @@"`
	While   *whileTree   `parser:"| 'while' @@"`
	For     *forTree     `parser:"| 'for' @@"`
	Jump    *string      `parser:"| @('break' | 'continue') ';'"`
	Return  *returnTree  `parser:"| 'return' @@"`
	Message *messageTree `parser:"| @@"`
	Profile *profileTree `parser:"| 'profile' @@"`
	Empty   bool         `parser:"| @';'"`
	Decl    *declTree    `parser:"| @@"`
	Simple  *simpleTree  `parser:"| @@"`
}

type ifTree struct {
	Cond *exprTree `parser:"'(' @@ ')'"`
	Then *stmtTree `parser:"@@"`
	Else *stmtTree `parser:"('else' @@)?"`
}

type whileTree struct {
	Cond *exprTree `parser:"'(' @@ ')'"`
	Body *stmtTree `parser:"@@"`
}

type forTree struct {
	Index *nameTree `parser:"'(' @@ 'in'"`
	Lo    *exprTree `parser:"@@"`
	Hi    *exprTree `parser:"(':' @@)? ')'"`
	Body  *stmtTree `parser:"@@"`
}

type returnTree struct {
	Value *exprTree `parser:"@@? ';'"`
}

type messageTree struct {
	Word string      `parser:"@('print' | 'reject' | 'fatal_error')"`
	Args []*exprTree `parser:"'(' (@@ (',' @@)*)? ')' ';'"`
}

type profileTree struct {
	Name *exprTree  `parser:"'(' @@ ')'"`
	Body *blockTree `parser:"@@"`
}

type declTree struct {
	node
	Type  *sizedTree      `parser:"@@"`
	Names []*declaredTree `parser:"@@ (',' @@)* ';'"`
}

type sizedTree struct {
	node
	Array       []*exprTree       `parser:"('array' '[' @@ (',' @@)* ']')?"`
	Word        *lexer.Token      `parser:"( @(Type | 'void')"`
	Elems       []*sizedTree      `parser:"| 'tuple' '(' @@ (',' @@)* ')' )"`
	Constraints []*constraintTree `parser:"('<' @@ (',' @@)* '>')?"`
	Dims        []*exprTree       `parser:"('[' @@ (',' @@)* ']')?"`
}

type constraintTree struct {
	node
	Name  *nameTree  `parser:"@@ '='"`
	Value *boundTree `parser:"@@"`
}

type declaredTree struct {
	node
	Name  *nameTree   `parser:"@@"`
	Old   []*exprTree `parser:"('[' @@ (',' @@)* ']')?"`
	Op    string      `parser:"(@('=' | '<-')"`
	Value *exprTree   `parser:"@@)?"`
}

// A simpleTree begins with an expression. The text after it determines the kind of statement.
type simpleTree struct {
	node
	Left   *exprTree   `parser:"@@"`
	Sample *sampleTree `parser:"( '~' @@"`
	Op     string      `parser:"| @('=' | '<-' | '+=' | '-=' | '*=' | '/=' | '.*=' | './=')"`
	Right  *exprTree   `parser:"  @@ )? ';'"`
}

type sampleTree struct {
	Dist  *nameTree      `parser:"@@"`
	Args  []*exprTree    `parser:"'(' (@@ (',' @@)*)? ')'"`
	Trunc *truncatedTree `parser:"('T' @@)?"`
}

type truncatedTree struct {
	Lower *exprTree `parser:"'[' @@?"`
	Upper *exprTree `parser:"(',' @@?)? ']'"`
}

type exprTree struct {
	node
	Head *termTree       `parser:"@@"`
	Tail []*operatorTree `parser:"@@*"`
	Then *exprTree       `parser:"('?' @@ ':'"`
	Else *exprTree       `parser:"@@)?"`
}

type operatorTree struct {
	Op   lexer.Token `parser:"( @('||' | '&&' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%')"`
	More lexer.Token `parser:"| @('%/%' | '\\\\' | '.*' | './' | '^' | '.^') )"`
	Term *termTree   `parser:"@@"`
}

// A boundTree is an expression between `<` and `>`, in which these signs are not comparison operators.
type boundTree struct {
	node
	Head *termTree            `parser:"@@"`
	Tail []*boundOperatorTree `parser:"@@*"`
}

type boundOperatorTree struct {
	Op   lexer.Token `parser:"@('+' | '-' | '*' | '/' | '%' | '%/%' | '\\\\' | '.*' | './' | '^' | '.^')"`
	Term *termTree   `parser:"@@"`
}

type termTree struct {
	node
	Prefix  []*signTree    `parser:"@@*"`
	Atom    *atomTree      `parser:"@@"`
	Postfix []*postfixTree `parser:"@@*"`
}

type signTree struct {
	Sign lexer.Token `parser:"@('!' | '-' | '+')"`
}

type atomTree struct {
	node
	Number *string     `parser:"  @(Number | Field)"`
	Text   *string     `parser:"| @Text"`
	Name   *nameTree   `parser:"| @@"`
	Call   *argsTree   `parser:"  @@?"`
	Tuple  []*exprTree `parser:"| '(' @@ (',' @@)* ')'"`
	Row    *listTree   `parser:"| '[' @@ ']'"`
	Array  *listTree   `parser:"| '{' @@ '}'"`
}

type listTree struct {
	node
	Items []*exprTree `parser:"(@@ (',' @@)*)?"`
}

type argsTree struct {
	node
	First *exprTree   `parser:"'(' ( @@"`
	Bar   bool        `parser:"(@'|' | ',')?"`
	Rest  []*exprTree `parser:"(@@ (',' @@)*)? )? ')'"`
}

type postfixTree struct {
	node
	Transpose bool       `parser:"  @Quote"`
	Field     *string    `parser:"| @Field"`
	Subs      []*subTree `parser:"| '[' @@ (',' @@)* ']'"`
}

// A subTree may be empty, as in x[, 2] and x[:, 2].
type subTree struct {
	node
	Lo    *exprTree `parser:"@@?"`
	Colon bool      `parser:"(@':'"`
	Hi    *exprTree `parser:"@@?)?"`
}

var grammar = sync.OnceValue(func() *participle.Parser[programTree] {
	return participle.MustBuild[programTree](participle.Lexer(wordLexer{}), participle.UseLookahead(0))
})

// wordLexer provides the names of token types to the grammar. The tokens themselves come from scan.
type wordLexer struct{}

func (wordLexer) Symbols() map[string]lexer.TokenType { return tokenKinds() }

func (wordLexer) Lex(string, io.Reader) (lexer.Lexer, error) {
	panic("internal error: the tokens come from scan")
}

// A tokenList provides tokens to participle.
type tokenList struct{ rest []lexer.Token }

func (l *tokenList) Next() (lexer.Token, error) {
	t := l.rest[0]
	if len(l.rest) > 1 {
		l.rest = l.rest[1:]
	}
	return t, nil
}

// parseTokens parses the tokens of a file.
func parseTokens(name string, tokens []lexer.Token) (*programTree, error) {
	lex, err := lexer.Upgrade(&tokenList{tokens})
	if err != nil {
		return nil, err
	}
	return grammar().ParseFromLexer(lex)
}
