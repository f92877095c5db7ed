package ppl_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/lang/diag"
)

func readme(t *testing.T) string {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeModel(t *testing.T, text string) string {
	path := filepath.Join(t.TempDir(), "radon.ppl")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// The models in the README check.
func TestReadmeModels(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```ppl\n(.*?)```").FindAllStringSubmatch(readme(t), -1)
	if len(blocks) < 2 {
		t.Fatalf("%d models in the README", len(blocks))
	}
	for _, b := range blocks {
		if m, ds := compiler.Check(writeModel(t, b[1])); m == nil {
			t.Errorf("%s\n%s", b[1], rendered(ds))
		}
	}
}

// The diagnostic in the README is what a reader gets who makes that mistake in its first model.
func TestReadmeDiagnostic(t *testing.T) {
	text := readme(t)
	model := regexp.MustCompile("(?s)```ppl\n(.*?)```").FindStringSubmatch(text)[1]
	want := regexp.MustCompile(`(?s)    radon\.ppl:.*?\n\n`).FindString(text)
	path := writeModel(t, strings.Replace(model, "i], sigma_y)", "i], sgima_y)", 1))
	_, ds := compiler.Check(path)
	got := strings.ReplaceAll(rendered(ds), path, "radon.ppl")
	if got != strings.ReplaceAll(strings.TrimSuffix(want, "\n"), "\n    ", "\n")[4:] {
		t.Errorf("README has\n%s\nppl prints\n%s", want, got)
	}
}

// The README's table has every example, and no other.
func TestReadmeExamples(t *testing.T) {
	text := readme(t)
	paths, _ := filepath.Glob("examples/*.ppl")
	listed := regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(text, -1)
	if len(listed) != len(paths) {
		t.Errorf("%d examples listed, %d there", len(listed), len(paths))
	}
	for _, name := range listed {
		if _, err := os.Stat("examples/" + name[1] + ".ppl"); err != nil {
			t.Error(err)
		}
	}
}

func rendered(ds []diag.Diagnostic) string {
	var b strings.Builder
	diag.Render(&b, ds, false)
	return b.String()
}
