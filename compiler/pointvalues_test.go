package compiler_test

import (
	"strings"
	"testing"

	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
)

// TestPointsByNames checks that parameter values may be given by the names of their elements in any order, and that
// unknown and missing names are errors.
func TestPointsByNames(t *testing.T) {
	t.Parallel()
	p := compilertest.LoadWith(t, "data g[N]: index(J), y[N]\nm[J] ~ Normal(0, 1)\nt[J, 1..2] ~ Normal(0, 1)\n"+
		"y[i in N] ~ Normal(m[g[i]] + t[g[i], 1], 1)\n", `[{"g": "B", "y": 1}, {"y": 2, "g": "A"}]`)
	at := func(text string) map[string]*content.Array {
		f, err := datafile.Parse("at.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return f.Arrays
	}
	want, err := p.LogProb(at(`{"m": [2, 1], "t": [[1, 2], [3, 4]]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{`{"m": {"B": 1, "A": 2}, "t": {"B": [3, 4], "A": [1, 2]}}`,
		`{"m": {"A": 2, "B": 1}, "t": {"A": {"2": 2, "1": 1}, "B": {"1": 3, "2": 4}}}`} {
		got, err := p.LogProb(at(text))
		if err != nil || got.Prior != want.Prior || got.Likelihood != want.Likelihood {
			t.Errorf("%s: %v, %v; want %v", text, got, err, want)
		}
	}
	for text, says := range map[string]string{
		`{"m": {"B": 1, "a": 2}, "t": [[1, 2], [3, 4]]}`: `no element "a"; did you mean "A"?`,
		`{"m": {"B": 1}, "t": [[1, 2], [3, 4]]}`:         "no value for m[A]",
		`{"m": [2, 1], "t": {"A": [1], "B": [2]}}`: "names for 1 axes and shape [1] for " +
			"each name",
		`{"m": {"A": {"B": 1}}, "t": [[1, 2], [3, 4]]}`:                        "names for 2 axes",
		`{"m": [1, "x"], "t": [[1, 2], [3, 4]]}`:                               "mixes text and numbers",
		`{"m": {"B": 1, "A": 2}, "t": {"A": {"1": 1}, "B": {"1": 3, "2": 4}}}`: "no value for t[A,2]",
	} {
		if _, err := p.LogProb(at(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
