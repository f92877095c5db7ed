package validate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
)

// shared are the data of wrong_models.txt.
var shared = map[string]string{
	"y": "y[N] = [1.2, 0.4, 2.2, 1.7]", "x": "x[N] = [0.5, -1, 2, 0.1]", "k": "k[N] = [0, 2, 1, 4]",
	"b": "b[N] = [0, 1, 1, 0]", "n": "n[N] = [5, 5, 6, 7]", "g": "g[N]: index(J) = [1, 2, 3, 1], J = 3",
	"X": "X[N, D] = [[1, 2], [0, 1], [2, 2], [1, 0]]", "s": "s = 2",
}

// Realistic mistakes of users of other languages are reported; those that are not found are marked in the file.
func TestWrongModels(t *testing.T) {
	text, err := os.ReadFile("testdata/wrong_models.txt")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.ppl")
	models, silent, helped := strings.Split(string(text), "\n== ")[1:], 0, 0
	for _, block := range models {
		head, body, _ := strings.Cut(block, "\n")
		at := strings.LastIndex(head, ": ")
		name, want := head[:at], head[at+2:]
		if names, rest, _ := strings.Cut(body, "\n"); strings.HasPrefix(names, "use ") {
			var decls []string
			for _, n := range strings.Fields(names)[1:] {
				decls = append(decls, shared[n])
			}
			body = "data " + strings.Join(decls, ", ") + "\n" + rest
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		var codes []string
		help := false
		_, _, ds := compiler.CheckWithData(path, nil, compiler.RowCache{Memory: 1 << 34})
		for _, d := range ds {
			codes, help = append(codes, d.Code), help || d.Help != ""
		}
		if len(codes) == 0 {
			silent++
		}
		if help {
			helped++
		}
		if want == "none" && len(codes) > 0 || want != "none" && !slices.Contains(codes, want) {
			t.Errorf("%s: reported are %v, want %s", name, codes, want)
		}
	}
	t.Logf("%d wrong models: %d without a word, %d with advice", len(models), silent, helped)
}
