package parse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"
)

// describeExpected describes what participle expected at the token with index at. participle's message contains the
// rest of a grammar rule. If it does not, participle expected the unit ("statement" or "expression") to begin or to
// end; over means that it expected the end.
func describeExpected(message, unit string, at int) (words string, over bool) {
	_, rule, found := strings.Cut(message, "(expected ")
	switch {
	case !found && at == 0 && unit == "expression":
		return "an expression", false
	case !found && at == 0:
		return "a statement", false
	case !found:
		return "the end of the " + unit, true
	}
	rule = strings.TrimLeft(rule, "(")
	for _, row := range expectations {
		if strings.HasPrefix(rule, row[0]) {
			return row[1], false
		}
	}
	return "something else", false
}

// expectations maps the beginning of the rest of a grammar rule to a description for users.
var expectations = [...][2]string{
	{`"~"`, "`~` or `=`"},
	{`"]"`, "`,` or `]`"},
	{`")"`, "`)`"},
	{`"="`, "`=`"},
	{`":"`, "`:`"},
	{`"+="`, "`+=`"},
	{`".."`, "`..`"},
	{`"in"`, "`in`"},
	{`<body>`, "an expression or a block"},
	{`<string>`, "a file name in quotes"},
	{`<number>`, "a number"},
	{`Quoted`, "a name in quotes"},
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

// needless returns the reason why a keyword of another language is not needed, or "" for other words. help is empty if
// removing the word corrects the statement.
func needless(word string) (why, help string) {
	switch word {
	case "let", "var", "const", "def", "set", "val":
		return "a definition needs no keyword", ""
	case "prior", "param", "parameter", "sample", "random", "latent":
		return "every name that is drawn and is not data is a parameter, without a keyword", ""
	case "likelihood", "observe", "observed", "obs":
		return "a drawn name that is data is observed, without a keyword", ""
	case "real", "int", "vector", "row_vector", "matrix", "array":
		return "names are not declared with a type",
			"write `x = …` or `x ~ …`, bounds after the distribution: `x ~ Normal(0, 1) in 0..inf`; for data " +
				"`data x[N]: int`"
	case "simplex":
		return "a name's constraint follows from its distribution", "write `x ~ Dirichlet(fill(1, K))`"
	case "positive_ordered":
		return "a name's constraint follows from its distribution", "write `x[K] ~ Normal(0, 1) ordered in 0..inf`"
	case "corr_matrix", "cov_matrix", "cholesky_factor_corr", "cholesky_factor_cov":
		return "a name's constraint follows from its distribution",
			"write `x[K, K] ~ LKJ(1)`, and `MvNormal(mu, sd = tau, corr = x)`"
	case "function", "func", "fn", "fun", "network":
		return "a function needs no keyword", ""
	case "parameters", "model", "functions", "transformed", "generated", "data":
		return "a model has no sections", "write the statements alone, in any order"
	case "for", "while":
		return "there are no loops",
			"write one statement for all elements, `y[i in N] ~ …`; an element may read earlier ones, `x[t in " +
				"2..T] = … " +
				"x[t-1] …`"
	case "if", "else":
		return "there are no conditional statements",
			"write `condition ? a : b` in an expression; for censored data `t ~ Weibull(a, b) censored 0..limit`"
	case "target", "factor", "potential":
		return "a term of the log density is a factor", "write `factor e` to add e to the log density"
	}
	return "", ""
}

func described(t token, unit string) string {
	switch t.Type {
	case lexer.EOF:
		return "the end of the " + unit
	case body:
		return "a block `{ … }`"
	}
	if len(t.Value) > 30 {
		return fmt.Sprintf("`%.30s…`", t.Value)
	}
	return "`" + t.Value + "`"
}

// foreignOperators maps operators of other languages, as one word or as two symbols, to advice.
var foreignOperators = map[string]string{
	"and": "write `a && b`", "or": "write `a || b`", "* *": "a power is written `x^2`",
	"% *": "a product of matrices and vectors is written `X @ b`", "% %": "a remainder is written `x % y`",
	"% /": "a whole quotient is written `floor(x / y)`",
}

func (m mistake) help() string {
	t := m.found()
	before := m.tokens[max(0, m.at-1)]
	if code, ok := foreignOperators[before.Value+" "+t.Value]; ok {
		return code
	}
	// complete reports whether the found token follows a complete operand.
	complete := m.over || strings.HasSuffix(m.want, "`)`") || strings.HasSuffix(m.want, "`]`")
	if code, ok := foreignOperators[t.Value]; ok && complete {
		return code
	}
	switch {
	case m.want == "an expression" && (t.Value == "," || t.Value == ":") &&
		(before.Value == "[" || before.Value == ","):
		return "a whole axis is written `_`: `X[_, 1]` is the first column, and `X[i]` a row"
	case before.Value == "not" && complete:
		return "write `!x`"
	case t.Value == ":" && slices.Contains([]string{"`,` or `]`", "`..`", "`,`"}, m.want):
		return "a range is written `1..N`"
	case t.Value == "." && m.tokens[0].Value == "data" && before.Type == name && m.next().Type == name:
		written := before.Value + "." + m.next().Value
		return "a name has letters, digits and `_`: `" + strings.ReplaceAll(written, ".", "_") +
			"` reads the column `" +
			written + "`"
	case t.Type == prime:
		return "a prime is written on the left of `=` only, for a derivative; a transpose is `transpose(x)`"
	case before.Value == "." && (t.Value == "*" || t.Value == "/" || t.Value == "^"):
		return "arithmetic is element by element: write `" + t.Value + "` alone"
	case before.Value == ".." && m.want == "an expression":
		return "an open end is written `inf`: `0..inf`"
	case t.Value == "T" && m.over && (m.next().Value == "[" || m.next().Value == "("):
		return "a truncated distribution is written `Normal(0, 1) in 0..inf`"
	case m.tokens[0].Value == "with":
		return "a model needs no `with` line: leave it out"
	case (m.tokens[0].Value == "prior" || m.tokens[0].Value == "set_prior") && m.want == "`)`":
		return "a prior is a statement of the parameter itself: `b ~ Normal(0, 5)`"
	case slices.ContainsFunc(m.tokens[:m.at], func(t token) bool { return t.Value == "if" }) && beginsOperand(t):
		return "a choice in an expression is written `condition ? a : b`"
	case t.Value == "]" && m.want == "an expression":
		return "a subscript that is left out takes the whole axis: `X[i]` is a row, and a whole array is its name alone"
	case m.want == "`~` or `=`":
		return "a definition is written `x = e`, a distribution `x ~ D(…)`"
	case m.want == "`..`":
		return "bounds are a range such as `0..1` or `0..inf`"
	case m.want == "`+=`" && t.Value == "=":
		return "an event adds to a state: `at t = 24: u += 100`; to set it write `u += value - u(t)`"
	case m.want == "`+=`":
		return "an event adds to a state: `at t = 24: u += 100`"
	case t.Value == "+=":
		return "a state is changed at a time: `at t = 24: u += 100`"
	case t.Type == prime && (m.want == "an expression" || m.want == "a file name in quotes"):
		return "strings are written in double quotes"
	case t.Value == "from" && before.Value == "complete" && m.over:
		return "`complete` comes after the file: `from \"file.csv\" complete`"
	case m.want == "a file name in quotes" && t.Type == name:
		return "a file name is written in double quotes: `from \"file.csv\"`"
	case m.over && t.Type == name && m.next().Type == number && m.at > 1 && isShare(m.tokens[m.at-2]):
		share := m.tokens[m.at-2].Value + " " + before.Value
		return "a number after `seed` selects the rows: `" + share + " seed " + m.next().Value + "`"
	case t.Value == "missing" && m.tokens[0].Value == "data" && m.over:
		return "`missing` comes after a name: `data x[N] missing from \"file.csv\"`"
	case t.Value == "," && m.tokens[0].Value == "data" && m.over && before.Type == text:
		return "the statement ends after the file: begin another `data` statement for the next names"
	case t.Value == "in" && m.tokens[0].Value == "data" && m.over:
		return "write bounds before `missing` and the value"
	case t.Value == "in" && m.tokens[0].Value == "data":
		return "a declaration names the axes, not their indices: `data y[N]`"
	case before.Value == "censored" && m.at == len(m.tokens):
		return "give the range in which values are observed exactly: `censored 0..limit[i]`, where `limit[i]` " +
			"is `inf` for " +
			"an uncensored value"
	case t.Value == "=" && (m.over || m.want == "`)`"):
		return "equality is written `==`"
	case t.Type == keyword && m.over && (t.Value == "generate" || t.Value == "data"):
		return "begin a new line before `" + t.Value + "`"
	case beginsOperand(t) && complete:
		return "check for a missing `,` or operator before it"
	}
	return ""
}

func (m mistake) next() token {
	if m.at+1 < len(m.tokens) {
		return m.tokens[m.at+1]
	}
	return token{}
}

func beginsOperand(t token) bool {
	switch t.Type {
	case name, number, text:
		return true
	}
	return t.Value == "("
}

// isShare reports whether a fraction of the rows follows this word.
func isShare(t token) bool { return t.Value == "permute" || t.Value == "holdout" }
