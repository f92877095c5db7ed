package stan_test

import (
	"fmt"
	"strings"
	"testing"

	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
)

// checked parses and checks a text, and returns its mistakes, each as one line with its help.
func checked(text string) (mistakes []string) {
	p, ds := stan.Parse(source.New("m.stan", text))
	if p != nil {
		_, more := stan.Check(p)
		ds = append(ds, more...)
	}
	for _, d := range ds {
		line := fmt.Sprintf("%d:%d: %s", d.Span.Line(), d.Span.Column(), d.Message)
		if d.Help != "" {
			line += " / " + d.Help
		}
		mistakes = append(mistakes, line)
	}
	return mistakes
}

// Each mistake has one message, which begins at the given place.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"parameters { real x }\nmodel { x ~ normal(0, 1); }",
			"1:21: `}` is not expected here / a statement ends with `;`: is it missing after `x`?"},
		{"parameters { real x; }\nmodel {\n  x ~ normal(0, 1)\n  x ~ normal(1, 2);\n}",
			"4:3: `x` is not expected here / a statement ends with `;`: is it missing after `)`?"},
		{"model { real y = (1 + 2; }", "1:24: `;` is not expected here"},
		{"model { real y = 1 + ; }", "1:22: `;` is not expected here / an expression is missing between `+` and `;`"},
		{"model { ", "1:7: `{` is not closed"},
		{"model { real y = 1) }", "1:19: `)` does not close `{`"},
		{"model { /* open }", "1:9: the comment is not closed / end it with `*/`"},
		{"model { print(\"open); }", "1:15: the text is not closed / end it with a quote on the same line"},
		{"model { real y = 1 ¤ 2; }", "1:20: `¤` is not a symbol of Stan"},
		{"functions {\n#include my.stan\n}\nmodel { }", "2:1: `#include` is not supported"},
		{"y ~ normal(0, 1)", "1:1: `y` is not expected here / a program has blocks"},
		{"model { }\ndata { int N; }", "2:1: the block `data` must come before `model` / the order of blocks is"},
		{"parameters { int k; }\nmodel { }",
			"1:18: the parameter `k` is an int, which Stan cannot sample / sum it out"},
		{"parameters { real x; }\nmodel { y ~ normal(x, 1); }", "2:9: `y` is not declared"},
		{"parameters { real alpha; }\nmodel { alhpa ~ normal(0, 1); }",
			"2:9: `alhpa` is not declared / did you mean `alpha`?"},
		{"parameters { real x; }\nmodel { x ~ norml(0, 1); }",
			"2:13: there is no distribution `norml` / did you mean `normal`?"},
		{"parameters { real x; }\nmodel { x ~ normal_lpdf(0, 1); }",
			"2:13: there is no distribution `normal_lpdf` / write `normal`, without the suffix, after `~`"},
		{"parameters { real x; }\nmodel { x ~ normal(0); }",
			"2:13: the distribution `normal` takes 2 arguments, not 1"},
		{"parameters { real x; }\nmodel { target += foo(x); }", "2:19: there is no function `foo`"},
		{"parameters { vector[2] x; }\nmodel { real y = x; }",
			"2:18: `y` is of type real, but this is of type vector"},
		{"parameters { vector[2] x; }\nmodel { target += x * x; }", "2:19: `*` cannot be applied to vector and vector"},
		{"parameters { vector[2] x; }\nmodel { target += x[1, 2]; }", "2:19: `x` has one axis, and 2 are"},
		{"parameters { real x; real x; }\nmodel { }", "1:27: `x` is declared twice / give one of them another name"},
		{"data { int N; }\nmodel { N = 3; }", "2:9: `N` belongs to the block `data`, and cannot be assigned here"},
		{"model { for (i in 1:3) i = 2; }", "1:24: the index `i` of a loop cannot be assigned"},
		{"parameters { real x; }\ntransformed parameters { x ~ normal(0, 1); }\nmodel { }",
			"2:26: `~` is outside of the block `model`"},
		{"data { vector[2] x; }\nmodel { }\ngenerated quantities { array[2] real y = normal_rng(a * x, 1); }",
			"3:53: `a` is not declared"},
		{"model { real x = normal_rng(0, 1); }",
			"1:18: `normal_rng` draws random numbers, which the block `model` cannot do"},
		{"functions { real f() { return normal_rng(0, 1); } }\nmodel { }",
			"1:31: `normal_rng` draws random numbers, but the name of the function `f` does not end in `_rng` / " +
				"rename the function to `f_rng`"},
		{"functions { real f(int n) { return n; } real f(real x, real y) { return x; } }\nmodel { target += f([1]); }",
			"2:19: no function `f` takes an argument of type row_vector"},
		{"model { target += exp(); }", "1:19: `exp` does not take an empty list of arguments"},
		{"model { target = 3; }", "1:9: `target` can only be assigned with `+=` / write `target += …`"},
		{"data { real x = 3; }\nmodel { }", "1:17: a declaration in the block `data` cannot have a value"},
		{"data { real n; array[n] real y; }\nmodel { }", "1:22: a size is of type int, but this is of type real"},
		{"data { vector x; }\nmodel { }", "1:8: a `vector` has one axis"},
		{"data { simplex<lower=0>[2] x; }\nmodel { }", "1:16: a `simplex` has no bounds"},
		{"data { vector[2] b; }\nparameters { real<lower=b> x; }\nmodel { }",
			"2:25: `lower` must be a number or have the type of the variable, but this is of type vector"},
		{"data { real x; x ~ normal(0, 1); }\nmodel { }", "1:16: the block `data` can contain only declarations"},
		{"model { break; }", "1:9: `break` is outside of a loop"},
		{"functions { real f(real x) { if (x > 0) return 1; } }\nmodel { }",
			"1:18: the function `f` may end without a result"},
		{"data { int n[3]; }\nmodel { }", "1:12: this is old syntax: today, it is `array[…] int n`"},
		{"transformed data { int n; n <- 3; }\nmodel { }",
			"1:27: this is old syntax: today, a value is assigned by `=`"},
		{"model { increment_log_prob(3); }", "1:9: this is old syntax: today, it is `target += …`"},
		{"# old\nmodel { }", "1:1: this is old syntax: today, a comment begins with `//`"},
		{"model { int for = 3; }", "1:13: `for` is a word of the language, not a name / choose another name"},
		{"model { int k = 3000000000; }", "1:17: `3000000000` is too large for an int"},
	} {
		got := checked(c.text)
		if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s\ngot  %q\nwant %q", c.text, got, c.want)
		}
	}
}

// Programs that the manual allows have no mistakes.
func TestLanguage(t *testing.T) {
	for _, text := range []string{
		"data { int<lower=0> N; array[N, 2] vector<lower=0>[3] x; }\nmodel { print(x[1], \"a\"); }",
		"parameters { real<offset=1, multiplier=2> x; simplex[3] p; cholesky_factor_corr[3] L; }\nmodel { }",
		"parameters { matrix[2, 3] m; }\n" +
			"model { m[1] ~ normal(0, 1); m[:, 2] ~ normal(0, 1); m[1, 2:] ~ normal(0, 1); }",
		"parameters { real x; }\n" +
			"model { x ~ normal(0, 1) T[0, ]; x ~ normal(0, 1) T[, 2]; x ~ normal(0, 1) T[0, 2]; }",
		"model { tuple(int, real) t = (1, 2.5); real y = t.1 + t.2; (int a, real b) = t; }",
		"functions { array[] real f(real t, array[,] int k) { return {1.0, t}; } void g(vector x) { print(x); } }\n" +
			"model { }",
		"functions { real f_lp(real x) { x ~ normal(0, 1); target += x; return 2 * target(); } }\nmodel { }",
		"functions { real foo_lpdf(vector x, real m) { return normal_lpdf(x | m, 1); } }\n" +
			"parameters { vector[3] v; }\nmodel { v ~ foo(2); target += foo_lupdf(v | 3); }",
		"functions { real old(real[] x, int[,] k) { return sum(x); } }\nmodel { }",
		"model { int k = 7 %/% 2 % 3; real y = -2^2 + .5 + 1. + 1e-3;" +
			" if (k > 2 && !(k == 3) || k != 4) { } else { } }",
		"model { while (1) { break; } for (x in {1, 2, 3}) { continue; } profile(\"a\") { real q = 1 ? 2 : 3.5; } }",
		"parameters { matrix[3, 3] A; vector[3] b; }\n" +
			"model { vector[3] x = A \\ b; row_vector[3] r = b' / A; b' * b ~ normal(0, 1); }",
		"functions { vector sys(real t, vector y, real k) { return -k * y; } }\nparameters { real k; }\n" +
			"model { array[2] vector[1] s = ode_rk45(sys, [1.0]', 0, {1.0, 2.0}, k); }",
		"generated quantities { int k = poisson_rng(3); array[3] real z = normal_rng({1, 2, 3}, 1);" +
			" reject(\"no\", k); }",
	} {
		text = strings.Replace(text, "(int a, real b) = t;", "int a; real b; (a, b) = t;", 1)
		for _, m := range checked(text) {
			if !strings.Contains(m, "old syntax") {
				t.Errorf("%s\n%s", text, m)
			}
		}
	}
}

// Precedence is that of the manual.
func TestPrecedence(t *testing.T) {
	for text, want := range map[string]string{
		"1 + 2 * 3 ^ 2 ^ 2":     "{1+{2*{3^{2^2}}}}",
		"-x ^ 2":                "{-{x^2}}",
		"x ^ -2":                "{x^-2}",
		"-x * y":                "{{-x}*y}",
		"a - b - c":             "{{a-b}-c}",
		"!a == b":               "{{!a}==b}",
		"a < b == c < d":        "{{a<b}=={c<d}}",
		"a || b && c":           "{a||{b&&c}}",
		"a' * b'":               "{{'a}*{'b}}",
		"a .* b + c ./ d":       "{{a.*b}+{c./d}}",
		"a ? b : c ? d : e":     "{a?b:{c?d:e}}",
		"a + b > c ? d : e + f": "{{{a+b}>c}?d:{e+f}}",
		"2 - -3":                "{2--3}",
		"- -a":                  "{-{-a}}",
	} {
		p, ds := stan.Parse(source.New("m.stan", "model { y = "+text+"; }"))
		if diag.HasErrors(ds) {
			t.Fatalf("%s: %v", text, ds)
		}
		if got := shape(p.Model[0].(*stan.Assign).Right); got != want {
			t.Errorf("%s is read as %s, not %s", text, got, want)
		}
	}
}

func shape(e stan.Expr) string {
	switch e := e.(type) {
	case *stan.Name:
		return e.Name
	case *stan.Number:
		return e.Text
	case *stan.Unary:
		return "{" + e.Op + shape(e.X) + "}"
	case *stan.Binary:
		return "{" + shape(e.X) + e.Op + shape(e.Y) + "}"
	case *stan.Ternary:
		return "{" + shape(e.If) + "?" + shape(e.Then) + ":" + shape(e.Else) + "}"
	}
	return "?"
}

// Deeply nested and long programs are accepted or rejected quickly.
func TestLimits(t *testing.T) {
	long := "model {\n" + strings.Repeat("  target += 1.5 * 2;\n", 5000) + "}\n"
	if got := checked(long); len(got) > 0 {
		t.Errorf("a program of 5,000 lines: %q", got[0])
	}
	for name, text := range map[string]string{
		"brackets": "model { real x = " + strings.Repeat("(", 2e4) + "1" + strings.Repeat(")", 2e4) + "; }",
		"blocks":   "model { " + strings.Repeat("{", 2e4) + strings.Repeat("}", 2e4) + " }",
		"signs":    "model { real x = " + strings.Repeat("-", 2e4) + "1; }",
		"branches": "model { " + strings.Repeat("if (1) ", 2e4) + "; }",
		"choices":  "model { real x = " + strings.Repeat("1 ? 2 : ", 2e4) + "3; }",
		"elses":    "model { " + strings.Repeat("if (1) { } else ", 2e4) + "{ } }",
	} {
		if got := checked(text); len(got) != 1 {
			t.Errorf("%s: %d messages", name, len(got))
		}
	}
}

// No text makes the parser or the checker fail.
func FuzzProgram(f *testing.F) {
	f.Add("data { int N; vector[N] y; } parameters { real<lower=0> s;" +
		" } model { y ~ normal(0, s) T[0,]; target += s; }")
	f.Add("functions { real f(vector x, array[,] int k) { return x[k[1, 2]] ? 1 : 2;" +
		" } } model { for (i in 1:2) { } }")
	f.Add("transformed data { tuple(int, real) t = (1, .5); matrix[2,2] m = [[1,2],[3,4]]'; } model { m[1:,] += 2; }")
	f.Fuzz(func(t *testing.T, text string) { checked(text) })
}
