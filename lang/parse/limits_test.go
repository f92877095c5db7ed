package parse_test

import (
	"strings"
	"testing"

	"ppl/lang/ast"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// unlimited is greater than all limits on depth.
const unlimited = 21_000

// Deep and long texts are parsed up to the limits and refused beyond them, for each construct that can be nested.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name string
		text func(n int) string
		most int // the largest n that parses: 500 for nesting, 20,000 tokens from the outermost to the innermost
	}{
		{"parentheses", func(n int) string { return "x = " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
			500},
		{"brackets", func(n int) string { return "x = " + strings.Repeat("[", n) + "1" + strings.Repeat("]", n) }, 500},
		{"calls", func(n int) string { return "x = " + strings.Repeat("f(", n) + "1" + strings.Repeat(")", n) }, 500},
		{"subscripts", func(n int) string { return "x = " + strings.Repeat("f[", n) + "1" + strings.Repeat("]", n) },
			500},
		{"blocks", func(n int) string {
			return strings.Repeat("x = {\n", n) + "return 1\n" + strings.Repeat("}\nreturn 1\n", n-1) + "}"
		}, 500},
		{"open parentheses", func(n int) string { return strings.Repeat("(", n) }, 0},
		{"open blocks", func(n int) string { return strings.Repeat("x = {\n", n) }, 0},
		{"sums", func(n int) string { return "x = 1" + strings.Repeat(" + 1", n) }, 9_998},
		{"powers", func(n int) string { return "x = 1" + strings.Repeat("^1", n) }, 9_998},
		{"conditions", func(n int) string { return "x = 1" + strings.Repeat(" ? 1 : 1", n) }, 4_999},
		{"pipes", func(n int) string { return "x = 1" + strings.Repeat(" -> f", n) }, 9_998},
		{"calls of calls", func(n int) string { return "x = f" + strings.Repeat("()", n) }, 19_997},
		{"members", func(n int) string { return "x = f" + strings.Repeat(".f", n) }, 9_998},
		{"items", func(n int) string { return "x = [1" + strings.Repeat(", 1", n) + "]" }, unlimited},
		{"heads", func(n int) string { return "x" + strings.Repeat(", x", n) + " = 1" }, unlimited},
	} {
		for _, n := range []int{c.most, c.most + 1} {
			if n < 1 {
				continue
			}
			f, ds := parse.File(source.New("m.ppl", c.text(n)))
			if parsed := len(ds) == 0; parsed != (n <= c.most || c.most == unlimited) {
				t.Errorf("%s, %d: parsed is %v, %d reports, first %s", c.name, n, parsed, len(ds),
					render(ds[:min(1, len(ds))]))
			} else if parsed {
				format.File(f)
			}
		}
	}
}

// Operators bind as in the language's table: the tree of each text is that of the same text with all parentheses.
func TestPrecedence(t *testing.T) {
	for text, full := range map[string]string{
		"a + b * c":               "a + (b * c)",
		"a - b - c":               "(a - b) - c",
		"a / b * c @ d % e":       "(((a / b) * c) @ d) % e",
		"a * b + c * d - e":       "((a * b) + (c * d)) - e",
		"-a^b":                    "-(a^b)",
		"a^-b^c":                  "a^(-(b^c))",
		"a^b^c":                   "a^(b^c)",
		"-a * -b":                 "(-a) * (-b)",
		"!a && b":                 "(!a) && b",
		"a || b && c == d + e":    "a || (b && (c == (d + e)))",
		"a && b || c && d":        "(a && b) || (c && d)",
		"a < b && c >= d":         "(a < b) && (c >= d)",
		"a ? b : c ? d : e":       "a ? b : (c ? d : e)",
		"a ? b ? c : d : e":       "a ? (b ? c : d) : e",
		"a || b ? c + d : e && f": "(a || b) ? (c + d) : (e && f)",
		"a ? b : c -> f":          "(a ? b : c) -> f",
		"a + b -> f -> g(c)":      "((a + b) -> f) -> g(c)",
		"-a[1].b(2)^c":            "-(((a[1]).b)(2)^c)",
	} {
		bare, full := stripped(t, text), stripped(t, full)
		if bare != full {
			t.Errorf("%s is\n%s, want\n%s", text, bare, full)
		}
	}
}

// stripped returns an expression with braces around every operation, and without the parentheses of the text.
func stripped(t *testing.T, text string) string {
	e, ds := parse.Expr(source.New("expr", text))
	if len(ds) > 0 {
		t.Fatal(render(ds))
	}
	return nested(e)
}

func nested(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Paren:
		return nested(e.X)
	case *ast.Unary:
		return "{" + e.Op + nested(e.X) + "}"
	case *ast.Binary:
		return "{" + nested(e.X) + e.Op + nested(e.Y) + "}"
	case *ast.Cond:
		return "{" + nested(e.If) + "?" + nested(e.Then) + ":" + nested(e.Else) + "}"
	case *ast.Pipe:
		return "{" + nested(e.X) + "->" + nested(e.To) + "}"
	case *ast.Call:
		return "{" + nested(e.Fun) + "(" + nested(e.Args[0].Value) + ")}"
	case *ast.Index:
		return "{" + nested(e.X) + "[" + nested(e.Subs[0].Lo) + "]}"
	case *ast.Member:
		return "{" + nested(e.X) + "." + e.Name.Name + "}"
	}
	return e.Span().Text()
}
