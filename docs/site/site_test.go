package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ppl/compiler"
	"ppl/docs/pagerun"
	"ppl/lang/diag"
	"ppl/stdlib"
)

func repository() *site { return newSite("../..", "", "") }

// Each distribution has a row, its example compiles, and distributions that can be drawn have a picture.
func TestDistributionsAreShown(t *testing.T) {
	rows := shownDistributions()
	for name, d := range stdlib.Dists() {
		row, ok := rows[name]
		if !ok {
			t.Errorf("%s has no row", name)
			continue
		}
		text := strings.TrimSpace(row.example(d)) + "\ndata y[N] = [1]\nm ~ Normal(0, 1)\ny ~ Normal(m, 1)\n"
		if wrong := mistakes(t, t.TempDir(), "model.ppl", text); wrong != "" {
			t.Errorf("%s: %s", name, wrong)
		}
		if p, ok := row.picture(d); ok == d.Improper || ok && p.Size() < 2 {
			t.Errorf("%s: a picture with %d points", name, p.Size())
		}
	}
	for name := range rows {
		if stdlib.Dists()[name] == nil {
			t.Errorf("there is no distribution %s", name)
		}
	}
}

// mistakes returns the errors that the checker reports for a model in a directory.
func mistakes(t *testing.T, dir, name, text string) string {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	m, ds := compiler.Check(file)
	if m != nil {
		return ""
	}
	var b strings.Builder
	diag.Render(&b, ds, false)
	return text + b.String()
}

func TestPagesAreInTheMenu(t *testing.T) {
	var listed, there []string
	for _, g := range writtenGroups() {
		for _, name := range g.pages {
			listed = append(listed, name+".md")
		}
	}
	err := fs.WalkDir(os.DirFS("../pages"), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			there = append(there, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(listed)
	if slices.Sort(there); !slices.Equal(listed, there) {
		t.Errorf("the menu has\n%v\nthe directory\n%v", listed, there)
	}
}

// expanded returns a page with its included files.
func expanded(t *testing.T, name string) string {
	t.Helper()
	s := repository()
	text, err := s.read("docs/pages/" + name + ".md")
	if err == nil {
		text, err = pagerun.Expand(text, s.read)
	}
	if err == nil {
		_, err = titleOf(text)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text
}

// The models of pages compile, with the files of the page.
func TestModelsOfPages(t *testing.T) {
	seen := 0
	for _, g := range writtenGroups() {
		for _, name := range g.pages {
			for _, b := range pagerun.Blocks(expanded(t, name)) {
				if b.Language != "ppl" {
					continue
				}
				seen++
				file := b.File
				if file == "" {
					file = "model.ppl"
				}
				if wrong := mistakes(t, t.TempDir(), file, b.Text); wrong != "" {
					t.Errorf("%s: %s", name, wrong)
				}
			}
		}
	}
	if seen < 30 {
		t.Errorf("only %d models seen", seen)
	}
}

var inlineLink = regexp.MustCompile(`[^!]\[[^\]]+\]\(([^):#]+)(?:#[^)]*)?\)`)

// Links of pages lead to generated pages. Command deadlinks checks anchors and other links in the finished site.
func TestLinksOfPages(t *testing.T) {
	made := []string{"language.md", "messages.md", "commands.md", "names.md", "distributions/index.md",
		"gallery/index.md", "playground/index.html"}
	for _, g := range writtenGroups() {
		for _, name := range g.pages {
			made = append(made, name+".md")
		}
	}
	for name := range stdlib.Dists() {
		made = append(made, distributionPath(name))
	}
	examples, err := repository().examples()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		made = append(made, "gallery/"+e.name+".md")
	}
	seen := 0
	for _, g := range writtenGroups() {
		for _, name := range g.pages {
			for _, link := range inlineLink.FindAllStringSubmatch(expanded(t, name), -1) {
				seen++
				if to := path.Join(path.Dir(name), link[1]); !slices.Contains(made, to) {
					t.Errorf("%s: %s is not a page", name, to)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d links seen", seen)
	}
}

func TestExamplesHaveViews(t *testing.T) {
	examples, err := repository().examples()
	if err != nil {
		t.Fatal(err)
	}
	for name := range views() {
		if !slices.ContainsFunc(examples, func(e example) bool { return e.name == name }) {
			t.Errorf("there is no example %s", name)
		}
	}
	for _, e := range examples {
		if views()[e.name].kind == "" {
			t.Errorf("%s has no picture", e.name)
		}
		if e.about() == "" || e.teaches == "" || strings.HasPrefix(e.statements(), "#") {
			t.Errorf("%s: about %q, teaches %q", e.name, e.about(), e.teaches)
		}
		for _, f := range e.dataFiles() {
			if _, err := os.Stat("../../examples/" + f); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestQuotedElements(t *testing.T) {
	got := quotedElements(strings.Join(view{"pairs", []string{"mu", "phi[1]", "R[1,2]"}}.commands("m"), "\n"))
	if want := "ppl plot m.run pairs mu 'phi[1]' 'R[1,2]' --out m.svg"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got = strings.Join(view{"ppc", nil}.commands("m"), "; ")
	if want := "ppl predict m.run; ppl plot m.run ppc --out m.svg"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTitledFences(t *testing.T) {
	got := titledFences("```csv a.csv\nx\n```\n<!-- table x -->\n```ppl\n```\n<!-- end -->\n")
	want := "```csv title=\"a.csv\"\nx\n```\n```ppl\n```\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestHelpAsMarkdown(t *testing.T) {
	got := helpAsMarkdown("Beta(a, b)\n\nBeta: x^(a-1) [y] `k`.\n\n  a   positive\n  b   more | less\n\nSource: B.\n")
	want := "```ppl\nBeta(a, b)\n```\n\nBeta: x^(a-1) \\[y\\] `k`.\n\n" +
		"| argument | what it is |\n|---|---|\n| `a` | positive |\n| `b` | more \\| less |\n\nSource: B.\n\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
