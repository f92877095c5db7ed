package ppl_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// The words of this project are those of the field, and each has one meaning. This test finds words of a private
// dialect in what people read: documents, models, messages, comments, file names and exported names.

// A jargon is a word that nobody outside of this project would understand, with the standard term to write instead.
type jargon struct {
	pattern  string // a regular expression of whole words, in lower case
	standard string
}

func jargonTable() []jargon {
	return []jargon{
		{`laws?`, "distribution, or log density"},
		{`holes?`, "missing value"},
		{`circles?`, "cycle"},
		{`told|tells?|telling`, "report, distinguish, name"},
		{`work(s|ed|ing)? out`, "evaluate, compute"},
		{`at hand`, "available"},
		{`stand(s|ing)? for|stood for`, "represents, means"},
		{`beside`, "joint (of chains), next to, with"},
		{`meet|meets`, "occur together, satisfy, intersect"},
		{`crews?`, "worker pool"},
		{`seats?`, "block state"},
		{`shelf|shelves`, "row cache"},
		{`feed|feeds|feeder`, "batch loader, input"},
		{`ledgers?`, "rung statistics"},
		{`meters?`, "energy estimator"},
		{`trips?`, "round trips"},
		{`warmth`, "gradient temperature"},
		{`ventures?|wanders?|wandered|wanderer`, "mode search by annealing"},
		{`rescues?|rescued`, "restart"},
		{`fellows?`, "walkers of the same rung"},
		{`stray|strays|astray`, "non-finite"},
		{`keepers?`, "draw collector"},
		{`trails?`, "chain progress"},
		{`tuners?`, "warm-up window"},
		{`runaways?`, "divergence to infinity"},
		{`culprits?`, "non-finite term"},
		{`patience`, "time limit"},
		{`so many`, "that many, n"},
		{`ways? out`, "fix, advice"},
		{`(bring|brings|brought|bringing) forth`, "cause"},
		{`astride|hither|whither|thence|whence|nigh|lest|anew|afresh`, "plain prose"},
	}
}

// An allowed use of such a word has its ordinary meaning, in a phrase that says so.
func allowedPhrases() []string {
	return []string{
		`law of large numbers`, `power laws?`, `line feed`, `feed-forward`, `round[- ]trips?`,
		`unit circle`, `<circle`, // of geometry, of SVG
	}
}

// A finding is a word of the dialect in a file.
type finding struct {
	where, word, standard string
}

type finder struct {
	words   []*regexp.Regexp
	allowed *regexp.Regexp
	found   []finding
}

func newFinder() *finder {
	f := &finder{allowed: regexp.MustCompile(`(?i)` + strings.Join(allowedPhrases(), "|"))}
	for _, j := range jargonTable() {
		f.words = append(f.words, regexp.MustCompile(`(?i)\b(`+j.pattern+`)\b`))
	}
	return f
}

// read looks for words in a text; line breaks inside a phrase do not hide it.
func (f *finder) read(where, text string) {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "//", " ")), " ")
	text = f.allowed.ReplaceAllString(text, "…")
	for i, w := range f.words {
		for _, m := range w.FindAllString(text, -1) {
			f.found = append(f.found, finding{where, m, jargonTable()[i].standard})
		}
	}
}

// othersWork are directories whose texts are not of this repository, or are made of texts that are.
func othersWork() []string { return []string{"testdata", "node_modules", "dist"} }

// spaced is the words of an identifier: roundTrips is "round trips", R2Meter "r 2 meter".
func spaced(name string) string {
	var b strings.Builder
	rs := []rune(name)
	for i, r := range rs {
		starts := unicode.IsUpper(r) && i > 0 && (!unicode.IsUpper(rs[i-1]) || i+1 < len(rs) &&
			unicode.IsLower(rs[i+1]))
		if starts || r == '_' || unicode.IsDigit(r) && i > 0 && !unicode.IsDigit(rs[i-1]) {
			b.WriteByte(' ')
		}
		if r != '_' {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// goFile reads the name of a file, its comments, exported names with fields and methods, and string literals, which
// hold messages, help and reports.
func (f *finder) goFile(t *testing.T, path string, text []byte) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	at := func(p token.Pos) string { return path + ":" + strconv.Itoa(set.Position(p).Line) }
	name := func(id *ast.Ident) {
		if id.IsExported() {
			f.read(at(id.Pos()), spaced(id.Name))
		}
	}
	f.read(path, spaced(strings.TrimSuffix(filepath.Base(path), ".go")))
	for _, c := range file.Comments {
		f.read(at(c.Pos()), c.Text())
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncDecl:
			name(n.Name)
		case *ast.TypeSpec:
			name(n.Name)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				name(id)
			}
		case *ast.Field:
			for _, id := range n.Names {
				name(id)
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				if s, err := strconv.Unquote(n.Value); err == nil {
					f.read(at(n.Pos()), s)
				}
			}
		}
		return true
	})
}

// readable lists the files that people read: Go outside of tests, documents, and models.
func readable(t *testing.T) (paths []string) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && path != "." && d.Name() != ".ci"
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || slices.Contains(othersWork(), d.Name())):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		if slices.Contains([]string{".go", ".md", ".ppl"}, filepath.Ext(path)) || d.Name() == "Makefile" ||
			strings.HasPrefix(path, ".ci/") {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func (f *finder) file(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(path) == ".go" {
		f.goFile(t, path, text)
		return
	}
	f.read(path, string(text))
}

func TestPlainWords(t *testing.T) {
	paths := readable(t)
	if len(paths) < 400 {
		t.Errorf("only %d files found: the list cannot be complete", len(paths))
	}
	f := newFinder()
	for _, path := range paths {
		f.file(t, path)
	}
	for _, x := range f.found {
		t.Errorf("%s: %q; write: %s", x.where, x.word, x.standard)
	}
}

// The finder itself must be able to fail, and leave ordinary uses alone.
func TestFinder(t *testing.T) {
	for text, want := range map[string]int{
		"its law is unknown":                       1,
		"a way\n// out of this":                    1,
		"by the law of large numbers":              0,
		"a line feed":                              0,
		"<circle cx=\"3\"/>":                       0,
		"two round trips, and one trip":            1,
		"lawful, seating, trailing, metric, shelf": 1,
	} {
		f := newFinder()
		if f.read("here", text); len(f.found) != want {
			t.Errorf("%q: %v", text, f.found)
		}
	}
	f := newFinder()
	f.goFile(t, "feed_rows.go", []byte(`// Package p holds a shelf.
package p

type Told struct{ EnergyMeter int }

func secret() string {
	law := "no way out" // as the ledger has it
	return law
}
`))
	var got []string
	for _, x := range f.found {
		got = append(got, x.word)
	}
	slices.Sort(got)
	if want := []string{"feed", "ledger", "meter", "shelf", "told", "way out"}; !slices.Equal(got, want) {
		t.Errorf("found %q, not %q", got, want)
	}
}

func TestSpaced(t *testing.T) {
	for name, want := range map[string]string{"roundTrips": "round trips", "HTTPFeed": "http feed",
		"r2Meter": "r 2 meter"} {
		if got := spaced(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
