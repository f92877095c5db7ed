package stan_test

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/lang/diag"
	"ppl/lang/source"
	"ppl/lang/stan"
)

// collection is the directory of programs of posteriordb and of Stan's examples; it may not exist.
const collection = "../../../shared/stan"

// programs lists the programs of the collection.
func programs(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(collection, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".stan") {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Skipf("there is no collection of programs: %v", err)
	}
	return paths
}

// Every program that stanc accepts is parsed, and passes the type check.
func TestCollection(t *testing.T) {
	wrong := 0
	paths := programs(t)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p, ds := stan.Parse(source.New(path, string(text)))
		if p != nil {
			_, more := stan.Check(p)
			ds = append(ds, more...)
		}
		if diag.HasErrors(ds) {
			wrong++
			var b strings.Builder
			diag.Render(&b, ds, false)
			t.Errorf("%s:\n%s", path, b.String())
		}
	}
	t.Logf("%d of %d programs have no mistake", len(paths)-wrong, len(paths))
}

// A program from which a line or a word was removed is accepted or rejected, and each mistake has a position.
func TestMutatedPrograms(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, path := range programs(t) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		words := strings.SplitAfter(string(text), " ")
		at := r.IntN(len(words))
		words[at], words[r.IntN(len(words))] = words[r.IntN(len(words))], ""
		p, ds := stan.Parse(source.New(path, strings.Join(words, "")))
		if p != nil {
			_, more := stan.Check(p)
			ds = append(ds, more...)
		}
		for _, d := range ds {
			if !d.Span.Valid() {
				t.Errorf("%s: %s has no place", path, d.Message)
			}
		}
	}
}
