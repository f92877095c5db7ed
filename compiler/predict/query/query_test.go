package query

import (
	"slices"
	"testing"

	"ppl/lang/diag"
)

func TestForms(t *testing.T) {
	for _, c := range []struct {
		text     string
		form     Form
		x, given string
	}{
		{"exp(b)", Summary, "exp(b)", ""},
		{"P(a > 0 || b > 0)", Probability, "a > 0 || b > 0", ""},
		{"P(a > 0 | tau < 3)", Probability, "a > 0", "tau < 3"},
		{"mean(y)", Summary, "mean(y)", ""}, // the mean over the elements, in each draw
		{"mean(y | tau < 3)", Mean, "y", "tau < 3"},
		{" sd( y | t <= 3 )", SD, "y", "t <= 3"},
		{"median(y[\"a|b\"] | t == 3)", Median, "y[\"a|b\"]", "t == 3"},
		{"u[1] - u[2] | tau < 3", Summary, "u[1] - u[2]", "tau < 3"},
		{"P(a) + 1", Summary, "P(a) + 1", ""},
		{"P(a > 0) * f(b)", Summary, "P(a > 0) * f(b)", ""},
		{"rank u", Rank, "u", ""},
		{"rank u[1..3] | tau < 3", Rank, "u[1..3]", "tau < 3"},
		{"d = u[1] == 2 ? 1 : 0", Definition, "d", ""},
		{"g(x) = x^2", Definition, "", ""},
		{"f(a)", Summary, "f(a)", ""},
	} {
		q, ds := Parse(c.text, func(string) bool { return false })
		if len(ds) > 0 || q.Form != c.form {
			t.Errorf("%s: form %v, %v", c.text, q.Form, ds)
			continue
		}
		x, given := "", ""
		if q.X != nil {
			x = q.X.Span().Text()
		}
		if q.Given != nil {
			given = q.Given.Span().Text()
		}
		if x != c.x || given != c.given {
			t.Errorf("%s: asks for %q given %q", c.text, x, given)
		}
	}
}

// TestFunctionBeforeForm checks that a function of the model has priority over a form with the same name.
func TestFunctionBeforeForm(t *testing.T) {
	q, ds := Parse("P(a)", func(name string) bool { return name == "P" })
	if len(ds) > 0 || q.Form != Summary {
		t.Errorf("form %v, %v", q.Form, ds)
	}
}

// TestPlaces checks that errors have their positions in the query.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		text   string
		column int
	}{
		{"P(a > ) ", 6}, {"mean(y | a + )", 13}, {"a[", 2}, {"y | ", 5}, {"P(a >> b)", 6},
		{"x ~ Normal(0, 1)", 3}, {"z = x ~ y", 7}, {"", 1},
	} {
		_, ds := Parse(c.text, func(string) bool { return false })
		if !diag.HasErrors(ds) {
			t.Errorf("%q: no error", c.text)
			continue
		}
		if columns := spans(ds); !slices.Contains(columns, c.column) {
			t.Errorf("%q: errors at columns %v, want %d: %v", c.text, columns, c.column, ds[0].Message)
		}
	}
}

func spans(ds []diag.Diagnostic) (columns []int) {
	for _, d := range ds {
		columns = append(columns, d.Span.Column())
	}
	return columns
}
