package check_test

import (
	"strings"
	"testing"
)

// Equations for parts of a trajectory must define each element exactly once and have the same initial time.
func TestEquationsForPartsThatAreRefused(t *testing.T) {
	t.Parallel()
	const head, tail = "data y[N] = [1, 2]\na ~ HalfNormal(1)\n", "y[i in N] ~ Normal(u[1](i), 1)\n"
	for _, c := range []struct{ code, text string }{
		{"E11", "u'[1](t) = -a\nu'[k in 1..2](t) = a\nu[k in 1..2](0) = 1\n"},
		{"E12", "u'[1](t) = -a\nu'[3](t) = a\nu[k in 1..3](0) = 1\n"},
		{"E12", "u'[1](t) = -a\nu'[2](t) = a\nu[k in 1..3](0) = 1\n"},
		{"E92", "u'[k in 1..2](t) = -a * k\nu[1](0) = 1\nu[2](1) = 1\n"},
		{"E11", "u'(t) = -a\nu'[2](t) = a\nu[k in 1..2](0) = 1\n"},
		{"E90", "u'[1](t) = -a\nu'[2](t) = a\n"},
	} {
		if got := say("model.ppl", head+c.text+tail); !strings.Contains(got, "error["+c.code+"]") {
			t.Errorf("want %s:\n%s\ngot\n%s", c.code, c.text, got)
		}
	}
}

// Defining an element twice is an error, also if one of the statements defines the entire array or a row.
func TestWholesAndPartsThatAreRefused(t *testing.T) {
	t.Parallel()
	const head, tail = "data z[N] = [1, 2, 3]\na ~ HalfNormal(1)\n", "z[i in N] ~ Normal(a, 1)\n"
	for _, text := range []string{
		"x = log(z)\nx[i in 2..3] = 7\n",
		"x[1] = 7\nx = log(z)\n",
		"x = log(z)\nx[i in N+1..N+2] = 7\n",
		"x = log(z)\ngenerate x[i in 3..N] ~ Normal(x[i-1], 1)\n",
		"x = log(z)\ngenerate x[3] ~ Normal(0, 1)\n",
		"k[1] = [1, 2, 3]\nk[1, j in 1..3] = 7\n",
	} {
		if got := say("model.ppl", head+text+tail); !strings.Contains(got, "error[E11]") {
			t.Errorf("want E11:\n%s\ngot\n%s", text, got)
		}
	}
}

// A modifier that a template cannot have is reported at the use of the template.
func TestModifiersOnTemplatesThatAreRefused(t *testing.T) {
	t.Parallel()
	const head = "data y[N] = [1, 2]\n"
	for _, c := range []struct{ code, caret, text string }{
		{"E58", "0..inf", "Pos(s) ~ Normal(0, s) in 0..9\nmu ~ Pos(1) in 0..inf\ny ~ Normal(mu, 1)\n"},
		{"E61", "Scaled(2) noncentered", "Scaled(t) ~ {\n    z ~ Normal(0, 1)\n    return t * z\n}\nmu ~ Scaled(2) " +
			"noncentered\ny ~ Normal(mu, 1)\n"},
		{"E61", "G(2) noncentered", "G(t) ~ Uniform(0, t)\nmu ~ G(2) noncentered\ny ~ Normal(mu, 1)\n"},
		{"E60", "-1..1", "F(t) ~ Normal(t, 1)\nmu ~ F(2) censored -1..1\ny ~ Normal(mu, 1)\n"},
		{"E59", "F(2) ordered", "F(t) ~ Normal(t, 1)\nmu ~ F(2) ordered\ny ~ Normal(mu, 1)\n"},
		{"E19", "F(x)", "F(x) ~ F(x)\nmu ~ F(2)\ny ~ Normal(mu, 1)\n"},
		{"E19", "F(x)", "F(x) ~ {\n    k ~ F(x)\n    return k\n}\ny[i in N] ~ F(2)\n"},
	} {
		got := say("model.ppl", head+c.text)
		if !strings.Contains(got, "error["+c.code+"]") || !strings.Contains(got, c.caret) {
			t.Errorf("want %s at %s:\n%s\ngot\n%s", c.code, c.caret, c.text, got)
		}
	}
}

// For a label without quotes the help suggests the label in quotes, and the indices of the statement if there are any.
func TestLabelsWithoutQuotes(t *testing.T) {
	t.Parallel()
	const head = "data g[N]: index(J), z[N]\na[J] ~ Normal(0, 1)\n"
	for text, help := range map[string]string{
		"z[i in N] ~ Normal(a[g[i]] + a[male], 1)\n": "the index `i`? A label is written in quotes: `\"male\"`",
		"z ~ Normal(a[male], 1)\n":                   "help: a label is written in quotes: `\"male\"`",
		"z[i in N] ~ Normal(a[k], 1)\n":              "help: did you mean the index `i`?",
		"z[i in N] ~ Normal(a[g[i]] + male, 1)\n":    "help: a parameter needs a distribution, such as `male",
	} {
		if got := say("model.ppl", head+text); !strings.Contains(got, help) {
			t.Errorf("want %s:\n%s\ngot\n%s", help, text, got)
		}
	}
}
