package parse_test

import (
	"testing"

	"ppl/lang/parse"
	"ppl/lang/source"
)

// mistakes are planted slips with the code each must get and the text at which it must be reported ("" for a place
// between characters, such as the end of a statement).
var mistakes = []struct{ text, code, at string }{
	{"let x = 3", "E01", "let"},
	{"prior mu ~ Normal(0, 1)", "E01", "prior"},
	{"likelihood y[i in N] ~ Normal(mu, 1)", "E01", "likelihood"},
	{"real x", "E01", "real"},
	{"int<lower=0> N", "E01", "int"},
	{"for i in N", "E01", "for"},
	{"target += x", "E01", "target"},
	{"at t = 3: u = 5", "E00", "="},
	{"at t = 3: u -= 5", "E00", "-"},
	{"at t = 3, u += 5", "E00", ","},
	{"at t: u += 5", "E00", ":"},
	{"at[d in D] t = w[d]", "E00", ""},
	{"u += 5", "E00", "+="},
	{"parameters {\nreturn 1\n}", "E01", "parameters"},
	{"y ~ Normal(0, 1", "E02", "("},
	{"z ~ f(x[1)", "E02", "["},
	{"w = g(a]", "E02", "("},
	{"y[i in N ~ Normal(x[i], 1)", "E02", "["},
	{"x = f(a,\n      b\n      + 2", "E02", "("},
	{"f(x) = {\n    return (x\n}", "E02", "("},
	{"f(x) = {\n    y = x\n    return y", "E02", "{"},
	{`x = "abc`, "E02", `"abc`},
	{"in = 3", "E03", "in"},
	{"data in[N]", "E03", "in"},
	{"data = 3", "E03", "data"},
	{"y ~ Normal(mu, missing)", "E03", "missing"},
	{"f(return) = 3", "E03", "return"},
	{"x = from + 1", "E03", "from"},
	{"g(x) = {\n    a = 1\n}", "E04", "}"},
	{"g(x) = { }", "E04", "}"},
	{"g(x) = {\n    return a\n    b = 3\n}", "E04", "return"},
	{"x = 5.", "E05", "5."},
	{"x = .5", "E05", ".5"},
	{"x = 3x", "E05", "3x"},
	{"x = 0x1F", "E05", "0x1F"},
	{"x = 1e", "E05", "1e"},
	{"x = 1e999", "E05", "1e999"},
	{"x[1...5] = 3", "E05", ".5"},
	{"data y[N] ~ Normal(0, 1)", "E06", "~"},
	{"data y ~ Normal(0, 1)", "E06", "~"},
	{"x = 1 2", "E00", "2"},
	{"y ~ Normal(0 1)", "E00", "1"},
	{"y ~ Normal(0, 1) * 2", "E00", "*"},
	{"y ~ Normal(0,, 1)", "E00", ","},
	{"mu", "E00", ""},
	{"x == 3", "E00", "=="},
	{"x <- 3", "E00", "<"},
	{"x = a ** b", "E00", "*"},
	{"x = --a", "E00", "-"},
	{"x = 2(a + b)", "E00", "("},
	{"data y[i in N]", "E00", "in"},
	{"data y[N] from study.csv", "E00", "study"},
	{"import irt", "E00", "irt"},
	{"y ~ 3", "E00", "3"},
	{"y ~ b0 + b1 * x", "E00", "b0 + b1 * x"},
	{"y[i in N] ~ exp(a) * x[i]", "E00", "exp(a) * x[i]"},
	{"y ~ 1 + x", "E00", "1 + x"},
	{"data ph.ecog[N]", "E00", "."},
	{"return x", "E00", "return"},
	{"x = a ? b", "E00", ""},
	{"x = (1 2)", "E00", "2"},
	{"x = [1 2]", "E00", "2"},
	{"x = [a = 1]", "E00", "a"},
	{"x = a[]", "E00", "]"},
	{"x = a < b < c", "E00", "<"},
	{"y ~ Normal(0, 1) ordered ordered", "E00", "ordered"},
	{"y ~ Normal(0, 1) in 3", "E00", ""},
	{"x = f(i in N)", "E00", ")"},
	{"x = f(a, i in N: i)", "E00", "in"},
	{"y = a -> 3", "E00", "3"},
	{"y = a -> f[2]", "E00", "f[2]"},
	{"y = f({ 3 })", "E00", "{ 3 }"},
	{"x = 3; y = 4", "E00", ";"},
	{"x = 3 | 4", "E00", "|"},
	{"θ_1 = 3", "E00", "θ_1"},
	{"x =\u00a03", "E00", "\u00a0"},
	{"x = \xff3", "E00", "\xff"},
	{`x = "\q"`, "E00", `"\q"`},
	{") = 3", "E00", ")"},
	{"3 = x", "E00", "3"},
	{"generate", "E00", ""},
}

func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		_, ds := parse.File(source.New("m.ppl", m.text))
		if len(ds) == 0 {
			t.Errorf("%q: nothing reported", m.text)
			continue
		}
		if string(ds[0].Code) != m.code || ds[0].Span.Text() != m.at {
			t.Errorf("%q: reported %s at %q, want %s at %q", m.text, ds[0].Code, ds[0].Span.Text(), m.code, m.at)
		}
	}
}

// A mistake is reported once, and the other statements are parsed.
func TestMistakesStayWhereTheyAre(t *testing.T) {
	for _, m := range mistakes {
		swallowsTheRest := m.text == "f(x) = {\n    y = x\n    return y"
		if swallowsTheRest || m.text == "y = f({ 3 })" {
			continue
		}
		f, ds := parse.File(source.New("m.ppl", "before = 1\n"+m.text+"\nafter ~ Normal(0, 1)\nlast = 2\n"))
		if len(ds) != 1 {
			t.Errorf("%q: %d reports\n%s", m.text, len(ds), render(ds))
		}
		if len(f.Stmts) != 3 {
			t.Errorf("%q: %d of the 3 other statements are parsed", m.text, len(f.Stmts))
		}
	}
}

// Messages about a line that must be one expression mention expressions, not statements.
func TestExprMistakes(t *testing.T) {
	for _, c := range []struct{ text, code, at, message string }{
		{"", "E00", "", "expected an expression"},
		{"  # only a comment", "E00", "", "expected an expression"},
		{"1 +", "E00", "", "expected an expression, found the end of the expression"},
		{"= 3", "E00", "=", "expected an expression, found `=`"},
		{"data", "E00", "data", "expected an expression, found `data`"},
		{"x = 3", "E00", "=", "expected the end of the expression, found `=`"},
		{"1\n2", "E00", "2", "expected one expression, found a second line"},
		{"f(1", "E02", "(", "`(` opened on line 1 is not closed"},
		{"{ return 1 }", "E00", "{ return 1 }", "expected an expression, found a block `{ … }`"},
		{"a < b < c", "E00", "<", "comparisons cannot be chained"},
	} {
		_, ds := parse.Expr(source.New("expr", c.text))
		if len(ds) != 1 || string(ds[0].Code) != c.code || ds[0].Span.Text() != c.at || ds[0].Message != c.message {
			t.Errorf("%q: got\n%s", c.text, render(ds))
		}
	}
}
