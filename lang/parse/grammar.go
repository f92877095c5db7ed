package parse

import (
	"sync"

	"github.com/alecthomas/participle/v2"
)

// This file is the grammar, which participle reads from the struct tags. cut.go has matched brackets, split the text
// into statements, and replaced each block by one token. Infix operators are parsed as flat lists, to which expr.go
// applies precedence.

// A node of the grammar records its tokens, from which its span is derived.
type node struct{ Tokens []leaf }

type statement struct {
	node
	Import   *leaf     `parser:"  'import' @String"`
	Data     *data     `parser:"| 'data' @@"`
	Infer    []*callee `parser:"| 'infer' @@ (',' @@)*"`
	Return   *expr     `parser:"| 'return' @@"`
	Factor   *density  `parser:"| Factor @@"`
	Event    *event    `parser:"| Event @@"`
	Equation *equation `parser:"| @@"`
}

type quoted struct {
	Text leaf `parser:"@String"`
}

// A code represents a missing value in a file.
type code struct {
	node
	Text   *leaf  `parser:"  @String"`
	Number *unary `parser:"| @@"`
}

// A column of a table is quoted if it is not a valid name of the language.
type column struct {
	Text leaf `parser:"@(Name | String)"`
}

type data struct {
	Decls []*decl `parser:"@@ (',' @@)*"`
	From  *leaf   `parser:"('from' @String"`

	By       []*column `parser:"('by' @@ (',' @@)*)?"`
	Columns  []*quoted `parser:"('columns' @@ (',' @@)*)?"`
	Missing  []*code   `parser:"((?= 'missing' (String | Number | '-')) 'missing' @@ (',' @@)*)?)?"`
	Complete *leaf     `parser:"@'complete'?"`
	HeldOut  *leaf     `parser:"('holdout' @Number"`
	Seed     *leaf     `parser:"('seed' @Number)?)?"`
}

type decl struct {
	node
	Name    leaf   `parser:"@Name"`
	Sets    []*set `parser:"('[' @@ (',' @@)* ']')?"`
	Type    *leaf  `parser:"(':' @Name"`
	TypeArg *set   `parser:"('(' @@ ')')?)?"`

	Order []*quoted `parser:"('order' @@ ((?= ',' String) ',' @@)*)?"`

	Bounds  *span     `parser:"('in' @@)?"`
	Permute *leaf     `parser:"('permute' @Number"`
	Seed    *leaf     `parser:"('seed' @Number)?)?"`
	Missing *leaf     `parser:"(@'missing'"`
	Texts   []*quoted `parser:"(@@ ((?= ',' String) ',' @@)*"`
	Code    *unary    `parser:"| @@)?)?"`
	Value   *expr     `parser:"('=' @@)?"`
}

// A density is the expression that a factor statement adds, for each combination of its plates.
type density struct {
	Slots []*slot `parser:"('[' @@ (',' @@)* ']' ':')?"`
	Value *expr   `parser:"@@"`
}

// An event is an `at` statement, repeated for each combination of its plates.
type event struct {
	Slots  []*slot  `parser:"('[' @@ (',' @@)* ']')?"`
	Time   *ident   `parser:"@@ '='"`
	When   *expr    `parser:"@@ ':'"`
	Target *primary `parser:"@@ '+='"`
	Amount *expr    `parser:"@@"`
}

type equation struct {
	Generate *leaf   `parser:"@'generate'?"`
	Heads    []*head `parser:"@@ (',' @@)*"`
	Random   *random `parser:"('~' @@"`
	Body     *leaf   `parser:"| '=' (@Body"`
	Value    *expr   `parser:"| @@))"`
}

type head struct {
	node
	Name   leaf     `parser:"@Name"`
	Path   []*ident `parser:"('.' @@)*"`
	Prime  *leaf    `parser:"@Prime?"`
	Slots  []*slot  `parser:"('[' @@ (',' @@)* ']')?"`
	Open   *leaf    `parser:"(@'('"`
	Params []*param `parser:"(@@ (',' @@)*)? ')')?"`
}

type ident struct {
	Name leaf `parser:"@Name"`
}

type slot struct {
	node
	Index *ident `parser:"((?= Name 'in') @@ 'in')?"`
	Set   *set   `parser:"@@"`
}

type set struct {
	node
	Lo *expr `parser:"@@"`
	Hi *expr `parser:"('..' @@)?"`
}

// A span is a range lo..hi.
type span struct {
	node
	Lo *expr `parser:"@@"`
	Hi *expr `parser:"'..' @@"`
}

type param struct {
	node
	Name    *ident `parser:"( @@"`
	Sets    []*set `parser:"('[' @@ (',' @@)* ']')?"`
	Default *expr  `parser:"('=' @@)? )"`
	Expr    *expr  `parser:"| @@"`
}

type random struct {
	node
	Body      *leaf       `parser:"  @Body"`
	Dist      *callee     `parser:"| @@"`
	Modifiers []*modifier `parser:"  @@*"`
}

type modifier struct {
	node
	In       *span `parser:"  'in' @@"`
	Censored *span `parser:"| 'censored' @@"`
	Weight   *expr `parser:"| 'weight' @@"`
	UpTo     *expr `parser:"| 'upto' @@"`
	Rounded  *expr `parser:"| 'rounded' @@"`
	Flag     *leaf `parser:"| @('ordered' | 'zerosum' | 'noncentered')"`
}

// Expressions, loosest operators first.

type expr struct {
	node
	Choice *choice   `parser:"@@"`
	Pipes  []*callee `parser:"('->' @@)*"`
}

// A choice is If ? Then : Else. The Else of one branch is the If of the next.
type choice struct {
	node
	If       *binary   `parser:"@@"`
	Branches []*branch `parser:"@@*"`
}

type branch struct {
	Then *expr   `parser:"'?' @@"`
	Else *binary `parser:"':' @@"`
}

type binary struct {
	node
	First *unary   `parser:"@@"`
	Rest  []*infix `parser:"@@*"`
}

type infix struct {
	Op leaf   `parser:"@('||' | '&&' | '==' | '!=' | '<=' | '>=' | '<' | '>' | '+' | '-' | '*' | '/' | '@' | '%')"`
	Y  *unary `parser:"@@"`
}

// A unary is sign x ^ sign y ^ …; a sign applies to the entire power after it.
type unary struct {
	node
	First  *signed  `parser:"@@"`
	Powers []*power `parser:"@@*"`
}

type power struct {
	Hat leaf    `parser:"@'^'"`
	X   *signed `parser:"@@"`
}

type signed struct {
	node
	Sign *leaf    `parser:"@('-' | '!')?"`
	X    *primary `parser:"@@"`
}

type primary struct {
	node
	Number  *leaf      `parser:"  @Number"`
	String  *leaf      `parser:"| @String"`
	Name    *leaf      `parser:"| ( @Name"`
	Paren   *expr      `parser:"  | '(' @@ ')'"`
	Open    *leaf      `parser:"  | @'['"`
	List    *args      `parser:"    @@? ']' )"`
	Postfix []*postfix `parser:"  @@*"`
}

// A callee names a distribution, a function after ->, or a template: Normal(0, 1), irt.PartialCredit(eta, b), relu.
type callee struct {
	node
	Name    leaf       `parser:"@Name"`
	Postfix []*postfix `parser:"@@*"`
}

type postfix struct {
	node
	Call   *leaf  `parser:"  @'('"`
	Args   *args  `parser:"  @@? ')'"`
	Subs   []*set `parser:"| '[' @@ (',' @@)* ']'"`
	Member *ident `parser:"| '.' @@"`
}

type args struct {
	node
	Binders []*binder `parser:"  (?= Name 'in') @@ (',' @@)* ':'"`
	Body    *expr     `parser:"  @@"`
	Args    []*arg    `parser:"| @@ (',' @@)*"`
}

type binder struct {
	node
	Index ident `parser:"@@ 'in'"`
	Set   *set  `parser:"@@"`
}

type arg struct {
	node
	Name  *ident `parser:"((?= Name '=') @@ '=')?"`
	Value *expr  `parser:"@@"`
}

// build returns a parser for a grammar rule. A rule decides by one token, or by two if it contains (?= …), as in `name
// in` and `name =`. participle therefore never backtracks, and the token at which it stops is the user's mistake.
func build[G any]() *participle.Parser[G] {
	return participle.MustBuild[G](participle.Lexer(vocabulary{}), participle.UseLookahead(0))
}

var (
	statements  = sync.OnceValue(build[statement])
	expressions = sync.OnceValue(build[expr])
)
