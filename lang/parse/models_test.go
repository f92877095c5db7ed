package parse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// sharedModels is a directory of models next to the repository, for which the language was designed; it may not exist.
// Tests of the formatter check that these models parse.
const sharedModels = "../../../shared/models"

func TestOwnModels(t *testing.T) {
	for _, path := range glob(t, "testdata/*.ppl") {
		checkSpans(t, clean(t, path, read(t, path)))
	}
}

// FuzzFile checks that the parser returns for any text, and that its diagnostics have a span in the text and a message.
func FuzzFile(f *testing.F) {
	for _, path := range append(glob(f, "testdata/*.ppl"), glob(f, filepath.Join(sharedModels, "*.ppl"))...) {
		f.Add(read(f, path))
	}
	for _, m := range mistakes {
		f.Add(m.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := source.New("fuzz.ppl", text)
		tree, ds := parse.File(src)
		for _, d := range ds {
			if d.Span.File != src || d.Span.Start < 0 || d.Span.End > len(text) || d.Span.Start > d.Span.End ||
				d.Message == "" {
				t.Errorf("diagnostic %+v", d)
			}
		}
		render(ds)
		if len(ds) == 0 {
			checkSpans(t, tree)
		}
		parse.Expr(src)
	})
}

// clean parses a text, and ends the test if there are diagnostics.
func clean(t testing.TB, name, text string) *ast.File {
	t.Helper()
	f, ds := parse.File(source.New(name, text))
	if len(ds) > 0 {
		t.Fatal(render(ds))
	}
	return f
}

func render(ds []diag.Diagnostic) string {
	var b strings.Builder
	diag.Render(&b, ds, false)
	return b.String()
}

func glob(t testing.TB, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
