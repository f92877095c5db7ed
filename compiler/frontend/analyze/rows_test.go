package analyze_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// checked returns the checked and analysed model of a text, or nil if there are errors.
func checked(t *testing.T, name, text string) *model.Model {
	t.Helper()
	f, ds := parse.File(source.New(name, text))
	if diag.HasErrors(ds) {
		return nil
	}
	m, ds := check.File(f, func(from *source.File, path string) (*ast.File, error) {
		name := filepath.Join(filepath.Dir(from.Name), path)
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		f, _ := parse.File(source.New(name, string(text)))
		return f, nil
	})
	if diag.HasErrors(ds) {
		return nil
	}
	return m
}

func checkedFile(t *testing.T, path string) *model.Model {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return checked(t, path, string(text))
}

// The row set of every model, or the reason why it has none, is the one in testdata/rows.golden. Each line of this file
// was checked by hand against the three conditions in lang/REFERENCE.md, minibatches.
func TestRowSetsFollowFromThePageAboutMinibatches(t *testing.T) {
	dirs := []string{"../../../examples", "../../testdata/rows", "../../testdata/stan"}
	goldenRows(t, "testdata/rows.golden", dirs...)
	if _, err := os.Stat("../../../../shared/models"); err != nil {
		t.Skip("../shared/models is not beside the repository")
	}
	goldenRows(t, "testdata/rows_shared.golden", "../../../../shared/models")
}

func goldenRows(t *testing.T, golden string, dirs ...string) {
	t.Helper()
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	var paths []string
	for _, dir := range dirs {
		found, err := filepath.Glob(dir + "/*.ppl")
		if err != nil || len(found) == 0 {
			t.Fatal("no models in", dir, err)
		}
		paths = append(paths, found...)
	}
	for _, path := range paths {
		m := checkedFile(t, path)
		if m == nil { // some of the shared models use features that do not exist yet
			continue
		}
		got := path + "\n" + rowLines(m)
		all.WriteString(got)
		if !strings.Contains(string(want), path+"\n") && !*update {
			t.Errorf("%s is not in %s (go test -update writes it)", path, golden)
		} else if !strings.Contains(string(want), got) && !*update {
			t.Errorf("the rows differ from %s (go test -update writes it):\n%s", golden, got)
		}
	}
	if *update {
		if err := os.WriteFile(golden, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func rowLines(m *model.Model) string {
	var lines []string
	for _, s := range m.RowSets {
		var names []string
		for _, t := range m.Terms {
			if s.Terms[t] && t.Kind == model.Likelihood {
				names = append(names, t.At.Text())
			}
		}
		lines = append(lines, fmt.Sprintf("%s: %s", s.Name(), strings.Join(names, ", ")))
	}
	for _, w := range m.Couplings {
		lines = append(lines, string(w.Code)+" "+w.Text)
	}
	if len(lines) == 0 {
		lines = []string{"observes nothing"}
	}
	return "    " + strings.Join(lines, "\n    ") + "\n"
}
