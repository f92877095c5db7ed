package ast_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppl/lang/ast"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// TestMentioned checks that names are found in every position of the grammar that has an expression, and that left
// sides and names of called functions are omitted.
func TestMentioned(t *testing.T) {
	file, ds := parse.File(source.New("m.ppl", `x[i in N] = a + f(b, k = c) * -d[e, g..h]
y ~ Normal(l ? m : n, [o, p]) in q..r
z ~ {
    inner = s
    return (u -> v(w))
}
censoring ~ Normal(0, 1) censored aa..bb
sums = sum(j in cc..dd: ee.ff)
`))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	got := slices.Sorted(maps.Keys(ast.Mentioned(file.Stmts)))
	want := []string{"a", "aa", "b", "bb", "c", "cc", "d", "dd", "e", "ee", "g", "h", "l", "m", "n", "o", "p", "q", "r",
		"s", "u", "w"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
