package validate_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
)

// shared has the data of wrong_models.txt.
var shared = map[string]string{
	"y": "y[N] = [1.2, 0.4, 2.2, 1.7]", "x": "x[N] = [0.5, -1, 2, 0.1]", "k": "k[N] = [0, 2, 1, 4]",
	"b": "b[N] = [0, 1, 1, 0]", "n": "n[N] = [5, 5, 6, 7]", "g": "g[N]: index(J) = [1, 2, 3, 1], J = 3",
	"X": "X[N, D] = [[1, 2], [0, 1], [2, 2], [1, 0]]", "s": "s = 2",
}

// TestWrongModels checks that realistic mistakes of users of other languages are reported, with a text that names the
// fix. Mistakes that are not found, or whose fix is not named, are marked in the file.
func TestWrongModels(t *testing.T) {
	text, err := os.ReadFile("testdata/wrong_models.txt")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "model.ppl")
	models, silent, mended := strings.Split(string(text), "\n== ")[1:], 0, 0
	for _, block := range models {
		head, body, _ := strings.Cut(block, "\n")
		at := strings.LastIndex(head, ": ")
		name, want := head[:at], head[at+2:]
		mend, body, _ := strings.Cut(strings.TrimPrefix(body, "mend "), "\n")
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
		said := ""
		_, _, ds := compiler.CheckWithData(compiler.Request{Path: path, Cache: &compiler.RowCache{Memory: 1 << 34}})
		for _, d := range ds {
			codes, said = append(codes, string(d.Code)), said+d.Message+"\n"+d.Help+"\n"
		}
		if len(codes) == 0 {
			silent++
		}
		switch named := strings.Contains(said, mend); {
		case named:
			mended++
		case mend != "none":
			t.Errorf("%s: nothing says %q:\n%s", name, mend, said)
		}
		if want == "none" && len(codes) > 0 || want != "none" && !slices.Contains(codes, want) {
			t.Errorf("%s: reported are %v, want %s", name, codes, want)
		}
	}
	t.Logf("%d wrong models: %d without a word, %d with their mend", len(models), silent, mended)
	if silent > 0 || mended*100 < len(models)*95 {
		t.Errorf("of %d wrong models %d are without a word and %d with their mend", len(models), silent, mended)
	}
}

// TestRightModelsNearWrongOnes checks that correct models similar to the wrong ones cause no errors.
func TestRightModelsNearWrongOnes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "model.ppl")
	for _, text := range []string{
		"data y[N] = [88, 114, 102, 97]\nmu ~ Normal(100, 20)\ns ~ Uniform(0, 8)\ny ~ Normal(mu, s)\n",
		"data y[N] = [88, 114, 102, 97], x[N] = [1, 20, 12, 7]\nb ~ Normal(0, 9)\ns ~ Uniform(0, 1)\n" +
			"y ~ Normal(80 + b * x, s)\n",
		"data y[N] = [0.88, 0.91, 1.02]\nmu ~ Uniform(0, 1)\ns ~ HalfNormal(1)\ny ~ Normal(mu, s)\n",
		"data y[N] = [1, 2, 2], t[N] = [1, 2, 3]\nm ~ Gamma(1, 1)\ny ~ Normal(m, 1)\nt ~ Exponential(mean = m)\n",
		"data y[N] = [1, 2, 2], k[N] = [1, 2, 3]\nm ~ Gamma(1, 1)\ny ~ Normal(m, 1)\nk ~ Poisson(m)\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, ds := compiler.CheckWithData(compiler.Request{Path: path,
			Cache: &compiler.RowCache{Memory: 1 << 34}}); len(ds) > 0 {
			t.Errorf("%s: %v\n%s", ds[0].Code, ds[0].Message, text)
		}
	}
	// a logarithm of values over many orders of magnitude causes only the warning about an outlier
	far := "data x[N] = [1, 2.5, 1e23, 3], y[N] = [1, 2, 2, 3]\nb ~ Normal(0, 1)\ny ~ Normal(b * log(x), 1)\n"
	if err := os.WriteFile(path, []byte(far), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, ds := compiler.CheckWithData(compiler.Request{Path: path,
		Cache: &compiler.RowCache{Memory: 1 << 34}}); len(ds) != 1 ||
		ds[0].Code != "W18" {
		t.Errorf("a logarithm of values far apart: %v", ds)
	}
}
