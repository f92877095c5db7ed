package parse_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// TestForms checks that statements of one form, which share one parse tree of participle, have the same syntax trees as
// if each is parsed alone.
func TestForms(t *testing.T) {
	texts := map[string]string{"pairs": `
x1 ~ Normal(0, 1.5)
x2 ~ Cauchy(10, 2)
data y1[N] from "a.csv" complete
data y2[N] from "abc.csv" complete
data complete[N] from "a.csv"
data y3[N] from "a.csv" complete holdout 0.2
data y4[N] from "abc.csv" complete holdout 0.25
data y5[N] from "b.csv" holdout 0.25 seed 12
data y6[N] from "b.csv" holdout 0.5 seed 3
data holdout[N], seed from "a.csv"
data z1[N] permute 0.2 from "a.csv"
data z2[N] permute 0.25 from "abc.csv"
data z3[N]: index(0..9) permute 0.3 seed 4 missing -1 from "a.csv" holdout 0.5 seed 3
data z4[N] permute 0.1 seed 2 = [1, 2]
data permute[N], seed2 from "a.csv"
long[i in N] = -a[i]^2 + b.c(d, e = 3)[1..n]
s[j in M] = -bcd[j]^4 + bb.cc(dd, ee = 31)[10..nn]
f(x) = {
  z ~ Normal(x, 1)
  return z
}
gg(xx) = {
  w = { return 1 }
  return w
}
h(y) = {
  v = { return 22 }
  return v
}
`}
	for _, path := range append(glob(t, "testdata/*.ppl"), glob(t, "../../examples/*.ppl")...) {
		texts[path] = read(t, path)
	}
	for name, text := range texts {
		for _, together := range clean(t, name, text).Stmts {
			if d := cmp.Diff(alone(t, text, together.Span()), together, cmp.Comparer(samePlace)); d != "" {
				t.Errorf("%s (-alone +together):\n%s", name, d)
			}
		}
	}
}

// alone parses one statement of a text, at its original position.
func alone(t *testing.T, text string, at source.Span) ast.Stmt {
	t.Helper()
	f, ds := parse.File(source.New("alone.ppl", strings.Repeat(" ", at.Start)+text[at.Start:at.End]))
	if len(ds) > 0 || len(f.Stmts) != 1 {
		t.Fatalf("%s: %d statements\n%s", at.Text(), len(f.Stmts), render(ds))
	}
	return f.Stmts[0]
}

func samePlace(a, b source.Span) bool { return a.Start == b.Start && a.End == b.End }

// A block that is not closed is reported, also after a statement of the same form whose block is closed.
func TestFormOfABrokenStatement(t *testing.T) {
	_, ds := parse.File(source.New("m.ppl", "x = {\n return 1\n}\ny = {\n return 1\n"))
	if got := render(ds); !strings.Contains(got, "is not closed") {
		t.Errorf("reported:\n%s", got)
	}
}
