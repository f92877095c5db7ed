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
	"ppl/stdlib"
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

// Distributions in texts and tables are written with valid arguments.
func TestCallsOfGuides(t *testing.T) {
	call := regexp.MustCompile(`\b([A-Z][A-Za-z]+)\(([^()]*)\)`)
	argument := regexp.MustCompile(`(\w+) = `)
	seen, dists := 0, stdlib.Dists()
	for _, g := range docs.Guides() {
		for _, found := range call.FindAllStringSubmatch(g.Body, -1) {
			d := dists[found[1]]
			if d == nil {
				continue
			}
			for _, arg := range argument.FindAllStringSubmatch(found[2], -1) {
				seen++
				if !strings.Contains(strings.Join(d.Signatures(), " "), arg[1]+" = ") {
					t.Errorf("%s: %s has no argument %s; there are %v", g.Name, found[0], arg[1], d.Signatures())
				}
			}
		}
	}
	if seen < 5 {
		t.Errorf("only %d arguments seen", seen)
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

func TestPlain(t *testing.T) {
	got := docs.Plain("| a | `b` |\n|---|---|\n| x \\| y | long |\n\n```sh run.sh\nppl list\n```\nend")
	want := "  a      b\n  x | y  long\n\n    run.sh:\n    ppl list\nend"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
