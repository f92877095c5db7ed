package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/lang/names"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/stdlib"
)

// In every example, each declared name can be renamed at all of its occurrences: the model is then still valid, and it
// is invalid if one occurrence is omitted. Names without a declaration belong to the language or to an imported file.
func TestNamesOfExamples(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../examples/*.ppl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file := source.New(path, string(text))
		tree, _ := parse.File(file)
		table := names.Resolve(tree)
		var new strings.Builder
		end := 0
		for _, o := range table.All() {
			if o.Symbol.Kind == names.Elsewhere {
				if !ofLanguage(o.Symbol.Name) && !strings.Contains(file.Text, "import") {
					t.Errorf("%s: nothing declares %s", path, o.Symbol.Name)
				}
				continue
			}
			new.WriteString(file.Text[end:o.At.Start])
			new.WriteString("zz_" + o.Symbol.Name)
			end = o.At.End
		}
		new.WriteString(file.Text[end:])
		if _, ds := compiler.CheckText(path, string(text)); diag.HasErrors(ds) {
			t.Fatalf("%s: %v", path, ds)
		}
		if _, ds := compiler.CheckText(path, new.String()); diag.HasErrors(ds) {
			t.Errorf("%s is wrong with other names: %s %s\n%s", path, ds[0].Code, ds[0].Message, new.String())
		}
	}
}

func ofLanguage(name string) bool {
	return stdlib.Dists()[name] != nil || stdlib.Funcs()[name] != nil || stdlib.Reductions()[name] != nil ||
		stdlib.Scans()[name] != nil || stdlib.MatrixFuncs()[name] != nil || strings.Contains(stdlib.Prelude, name) ||
		name == "inf" || name == "rk45" || rule(name)
}

func rule(name string) bool {
	for _, r := range stdlib.Rules() {
		if r.Name == name {
			return true
		}
	}
	return false
}
