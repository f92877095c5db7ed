package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/docs"
	"ppl/lang/diag"
)

var models = regexp.MustCompile("(?s)```ppl\n(.*?)```")

// Every model of a guide passes the checker without a warning.
func TestModelsOfGuides(t *testing.T) {
	seen := 0
	for _, g := range docs.Guides() {
		for _, found := range models.FindAllStringSubmatch(g.Body, -1) {
			seen++
			path := filepath.Join(t.TempDir(), g.Name+".ppl")
			if err := os.WriteFile(path, []byte(found[1]), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, ds := compiler.Check(path); len(ds) > 0 {
				var b strings.Builder
				diag.Render(&b, ds, false)
				t.Errorf("%s\n%s", g.Name, b.String())
			}
		}
	}
	if seen < 6 {
		t.Errorf("only %d models seen", seen)
	}
}

func TestGuidesHaveTitles(t *testing.T) {
	for _, g := range docs.Guides() {
		if g.Title == "" || g.Body == "" || strings.HasPrefix(g.Body, "#") {
			t.Errorf("%s: title %q", g.Name, g.Title)
		}
		for _, line := range strings.Split(g.Body, "\n") {
			if len([]rune(line)) > 120 {
				t.Errorf("%s: more than 120 columns: %s", g.Name, line)
			}
		}
	}
}
