package check_test

import (
	"os"
	"path/filepath"
	"testing"

	"ppl/compiler/frontend/check"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// If one statement of an example cannot be parsed, the checker reports no errors in the others.
func TestADroppedStatementAccusesNoOther(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped by -short")
	}
	t.Parallel()
	paths, err := filepath.Glob("../../../examples/*.ppl")
	if err != nil || len(paths) < 30 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			whole, _ := parse.File(source.New(path, string(text)))
			for _, st := range whole.Stmts {
				at := st.Span()
				for _, broken := range []string{at.Text() + " 5 5", "for " + at.Text(), "§" + at.Text(),
					at.Text() + ")"} {
					accusesNoOther(t, path, string(text), at, broken)
				}
			}
		})
	}
}

// accusesNoOther replaces the statement at a span by one that cannot be parsed, and fails if errors are reported
// outside.
func accusesNoOther(t *testing.T, path, text string, at source.Span, broken string) {
	t.Helper()
	f, ds := parse.File(source.New(path, text[:at.Start]+broken+text[at.End:]))
	if !diag.HasErrors(ds) {
		t.Fatalf("%s: %s parses", path, broken)
	}
	_, more := check.File(f, nothing)
	for _, d := range more {
		if d.Severity == diag.Error && (d.Span.Start < at.Start || d.Span.Start > at.Start+len(broken)) {
			t.Errorf("%s: with %q, %q is reported: %s %s", path, broken, d.Span.Text(), d.Code, d.Message)
		}
	}
}

func nothing(*source.File, string) (*ast.File, error) { return nil, os.ErrNotExist }

// Statements that cannot be parsed do not hide the errors in others.
func TestADroppedStatementHidesNoOther(t *testing.T) {
	t.Parallel()
	f, ds := parse.File(source.New("m.ppl", `data y[N], x[N]
a ~ normal(0, 10)
b ~ Normal(0, 10
s ~ HalfNormal(sigma = 2)
for i in 1:N
  y[i] ~ Normal(a + b * x[i], s)
u[j in J] = 2 * b
y[i in N] ~ Normal(a + b * x[i], t)
`))
	_, more := check.File(f, nothing)
	var codes []string
	for _, d := range more {
		if d.Severity == diag.Error {
			codes = append(codes, string(d.Code)+" "+d.Span.Text())
		}
	}
	want := []string{"E10 normal", "E50 sigma", "E46 J", "E10 t"}
	if len(ds) != 2 || len(codes) != len(want) {
		t.Fatalf("%d from the parser, then %q; want %q", len(ds), codes, want)
	}
	for k := range want {
		if codes[k] != want[k] {
			t.Errorf("%q, want %q", codes[k], want[k])
		}
	}
}
