package parse_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// sharedModels holds the models the language was designed on; it lies beside the repository where there is a copy.
const sharedModels = "../../../shared/models"

func TestSharedModels(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(sharedModels, "*.ppl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Skipf("%s is absent", sharedModels)
	}
	for _, path := range paths {
		parseClean(t, path)
	}
}

func parseClean(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, ds := parse.File(source.New(path, string(text)))
	if len(ds) > 0 {
		var b strings.Builder
		diag.Render(&b, ds, false)
		t.Error(b.String())
	}
	if len(f.Stmts) == 0 {
		t.Errorf("%s: no statements", path)
	}
}
