// Package lang_test runs the examples of the documents about the language.
package lang_test

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

var update = flag.Bool("update", false, "rewrite what the catalogue shows as printed")

// A fence is an example in a document: the text between ```info and ```.
type fence struct {
	info, text string
	start, end int // of the text
}

func fences(text string) (all []fence) {
	for _, m := range regexp.MustCompile("(?ms)^```([^\n]*)\n(.*?)^```$").FindAllStringSubmatchIndex(text, -1) {
		all = append(all, fence{text[m[2]:m[3]], text[m[4]:m[5]], m[4], m[5]})
	}
	return all
}

// write writes a text to a file in a directory and returns the file's path.
func write(t *testing.T, dir, name, text string) string {
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// printed returns the diagnostics of a model as ppl prints them, with m.ppl as the name of its file.
func printed(ds []diag.Diagnostic, path string) string {
	var b bytes.Buffer
	diag.Render(&b, ds, false)
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), path, "model.ppl"),
		filepath.Dir(path)+string(filepath.Separator), "")
}

func codes(ds []diag.Diagnostic) (all []string) {
	for _, d := range ds {
		all = append(all, string(d.Code))
	}
	return all
}

// example writes the model of a section of the catalogue and the files of that section, and returns the model's path.
func example(t *testing.T, body string) (path string) {
	dir := t.TempDir()
	for _, f := range fences(body) {
		switch kind, name, named := strings.Cut(f.info, " "); {
		case kind == "ppl" && (!named || name == fromPrior):
			path = write(t, dir, "model.ppl", f.text)
		case named:
			write(t, dir, name, f.text)
		}
	}
	return path
}

// fromPrior marks models for which data are drawn from the prior.
const fromPrior = "prior"

// Every section of the catalogue has a model for which ppl reports the section's code, and the text that ppl prints.
func TestCatalogueExamples(t *testing.T) {
	const file = "diag/DIAGNOSTICS.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document := string(text)
	for _, e := range diag.Catalogue() {
		path := example(t, e.Body)
		if path == "" {
			t.Errorf("%s has no example", e.Code)
			continue
		}
		cache := rowCache(t, path)
		_, ds := compiler.Load(compiler.Request{Path: path, Cache: &cache})
		if fences(e.Body)[0].info == "ppl "+fromPrior {
			_, ds = compiler.Load(compiler.Request{Path: path, Predict: compiler.FromPrior})
		}
		if !slices.Contains(codes(ds), string(e.Code)) {
			t.Errorf("for the example of %s, ppl reports %v", e.Code, codes(ds))
		}
		body := withOutput(e.Body, printed(ds, path))
		if body != e.Body && !*update {
			t.Errorf("%s (-update rewrites): ppl prints\n%s", e.Code, printed(ds, path))
		}
		document = strings.Replace(document, e.Body, body, 1)
	}
	if *update && document != string(text) {
		write(t, "diag", "DIAGNOSTICS.md", document)
	}
}

// rowCache returns a cache with too little memory for a model next to a file large.csv, and enough for other models.
func rowCache(t *testing.T, path string) compiler.RowCache {
	s := compiler.RowCache{Dir: t.TempDir(), Memory: 1 << 30}
	if err := os.Chmod(s.Dir, 0o700); err != nil { // rows are kept where no other user can change them
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "large.csv")); err == nil {
		s.Memory = 100
	}
	return s
}

// withOutput returns a section whose last fence is the text that ppl prints.
func withOutput(body, text string) string {
	if all := fences(body); all[len(all)-1].info == "text" {
		last := all[len(all)-1]
		return body[:last.start] + text + body[last.end:]
	}
	return body + "\n\n```text\n" + text + "```"
}

// A code is a row of lang/diag/codes.go: the constant, the code and its title.
type code struct{ name, code, title string }

// tableOfCodes reads the rows of lang/diag/codes.go.
func tableOfCodes(t *testing.T) (table []code) {
	file, err := parser.ParseFile(token.NewFileSet(), "diag/codes.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok {
			table = append(table, code{v.Names[0].Name, strings.Trim(v.Values[0].(*ast.BasicLit).Value, `"`),
				strings.TrimSpace(v.Comment.Text())})
		}
		return true
	})
	return table
}

// The catalogue has a section for each row of the table of codes, in the order of the table and under its title.
func TestCatalogueHasTheCodes(t *testing.T) {
	const file = "diag/DIAGNOSTICS.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	document := string(text)
	var want, got []string
	for _, c := range tableOfCodes(t) {
		title := c.code + ": " + c.title
		document = regexp.MustCompile(`(?m)^### `+c.code+`: .*$`).ReplaceAllLiteralString(document, "### "+title)
		want = append(want, title)
	}
	for _, e := range diag.Catalogue() {
		got = append(got, string(e.Code)+": "+e.Title)
	}
	switch {
	case *update:
		write(t, "diag", "DIAGNOSTICS.md", document)
	case !slices.Equal(got, want):
		t.Errorf("%s (-update rewrites titles) has the sections\n%s\nand diag/codes.go the rows\n%s", file,
			strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Every code of the table is used in a source file, and by the name of its constant.
func TestEveryCodeIsEmitted(t *testing.T) {
	emitted, literal, named := map[string]bool{}, regexp.MustCompile(`"[EW][0-9]{2}"`), regexp.MustCompile(`\bdiag\.(\w+)`)
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
			filepath.Base(filepath.Dir(path)) == "diag" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(strings.TrimSpace(line), "//") {
				continue
			}
			if c := literal.FindString(line); c != "" {
				t.Errorf("%s: write the constant of %s in lang/diag/codes.go", path, c)
			}
			for _, m := range named.FindAllStringSubmatch(line, -1) {
				emitted[m[1]] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tableOfCodes(t) {
		if !emitted[c.name] {
			t.Errorf("nothing emits %s (diag.%s)", c.code, c.name)
		}
	}
}

// finite reports whether a program's log density is finite at the start of a chain.
func finite(p *compiler.Program) bool {
	g := autodiff.New()
	theta := g.Input("theta", p.Dim())
	prior, lik := p.Density(theta)
	total := autodiff.IsFinite(autodiff.Add(prior, lik))
	return autodiff.Eval(map[string][]float64{"theta": p.Start(1, 0)}, total)[0][0] == 1
}

// The models of the reference are checked without a diagnostic and are in canonical form. If they contain their data,
// the density is finite. For models marked `error CODE`, ppl reports that code.
func TestReferenceExamples(t *testing.T) {
	text, err := os.ReadFile("REFERENCE.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, models := t.TempDir(), 0
	for _, f := range fences(string(text)) { // files that models name
		if _, name, named := strings.Cut(f.info, " "); named && !strings.HasPrefix(name, "error ") {
			write(t, dir, name, f.text)
		}
	}
	for _, f := range fences(string(text)) {
		path := write(t, dir, "model.ppl", f.text)
		code, refused := strings.CutPrefix(f.info, "ppl error ")
		switch {
		case refused:
			refuses(t, path, f.text, code)
		case f.info == "ppl":
			models++
			accepts(t, path, f.text)
		}
	}
	if models < 20 {
		t.Errorf("only %d models found", models)
	}
}

func refuses(t *testing.T, path, text, code string) {
	if _, ds := compiler.Load(compiler.Request{Path: path}); !slices.Contains(codes(ds), code) {
		t.Errorf("ppl reports %v, not %s:\n%s%s", codes(ds), code, text, printed(ds, path))
	}
}

func accepts(t *testing.T, path, text string) {
	file, _ := parse.File(source.New(path, text))
	if canonical := format.File(file); canonical != text {
		t.Errorf("not in canonical form:\n%s\n%s", text, canonical)
	}
	p, ds := compiler.Load(compiler.Request{Path: path})
	if len(ds) > 0 {
		t.Errorf("has diagnostics:\n%s%s", text, printed(ds, path))
	} else if !finite(p) {
		t.Errorf("has no finite density:\n%s", text)
	}
}
