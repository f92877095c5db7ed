package format_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"ppl/lang/ast"
	"ppl/lang/diag"
	"ppl/lang/format"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// sharedModels is a directory of models next to the repository, for which the language was designed; it may not exist.
const sharedModels = "../../../shared/models"

func TestRoundTripOfSharedModels(t *testing.T) {
	models := glob(t, filepath.Join(sharedModels, "*.ppl"))
	if len(models) == 0 {
		t.Skipf("%s is absent", sharedModels)
	}
	for _, path := range models {
		roundTrip(t, path, read(t, path))
	}
}

func TestRoundTripOfOwnModels(t *testing.T) {
	for _, path := range glob(t, "../parse/testdata/*.ppl") {
		roundTrip(t, path, read(t, path))
	}
}

// The archive has pairs of texts: NAME.ppl becomes NAME.want.
func TestCanonicalForm(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/canonical.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(archive.Files); i += 2 {
		in, want := archive.Files[i], archive.Files[i+1]
		got := format.File(parsed(t, in.Name, string(in.Data)))
		if d := cmp.Diff(string(want.Data), got); d != "" {
			t.Errorf("%s (-want +got):\n%s", in.Name, d)
		}
		roundTrip(t, in.Name, string(in.Data))
	}
}

// The comparison of trees finds a lost modifier and a moved parenthesis.
func TestSameTreeSeesDifferences(t *testing.T) {
	for _, pair := range [][2]string{
		{"x ~ Normal(0, 1) noncentered", "x ~ Normal(0, 1)"},
		{"x = (a + b) * c", "x = a + b * c"},
		{"x = a - (b - c)", "x = a - b - c"},
		{"generate x = 1", "x = 1"},
		{"x = 1 # a", "x = 1 # b"},
		{"x() = 1", "x = 1"},
		{"x = sum([i in N: i])", "x = sum(i in N: i)"},
	} {
		if cmp.Equal(parsed(t, "a", pair[0]), parsed(t, "b", pair[1]), sameTree) {
			t.Errorf("%q and %q compare equal", pair[0], pair[1])
		}
	}
}

// FuzzRoundTrip formats every text that parses. Seeds are models and the texts that the fuzzer found before.
func FuzzRoundTrip(f *testing.F) {
	for _, path := range append(glob(f, "../parse/testdata/*.ppl"), glob(f, filepath.Join(sharedModels, "*.ppl"))...) {
		f.Add(read(f, path))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if _, ds := parse.File(source.New("fuzz.ppl", text)); !diag.HasErrors(ds) {
			roundTrip(t, "fuzz.ppl", text)
		}
	})
}

// roundTrip checks that the canonical form parses to the same tree and comments, and is its own canonical form.
func roundTrip(t *testing.T, name, text string) {
	t.Helper()
	before := parsed(t, name, text)
	once := format.File(before)
	after := parsed(t, name, once)
	if d := cmp.Diff(before, after, sameTree); d != "" {
		t.Errorf("%s: formatting changed the tree (-before +after):\n%s\n%s", name, d, once)
	}
	if twice := format.File(after); twice != once {
		t.Errorf("%s: formatting twice differs (-once +twice):\n%s", name, cmp.Diff(once, twice))
	}
}

// sameTree compares trees, ignoring positions and blanks after a comment.
var sameTree = cmp.Options{
	cmpopts.IgnoreTypes(ast.Place{}, source.Span{}, &source.File{}),
	cmp.Transformer("comment", func(c ast.Comment) string { return strings.TrimRight(c.Text, " \t\r") }),
}

func parsed(t testing.TB, name, text string) *ast.File {
	t.Helper()
	f, ds := parse.File(source.New(name, text))
	if diag.HasErrors(ds) {
		var b strings.Builder
		diag.Render(&b, ds, false)
		t.Fatalf("%s\n%s", b.String(), text)
	}
	return f
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
