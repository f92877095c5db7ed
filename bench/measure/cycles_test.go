package main

import "testing"

// largestAllowed is the size of the largest cycle of files that a package may have. Larger cycles mean that a reader
// cannot take the files one at a time.
const largestAllowed = 7

// recursive holds the packages whose cycles are larger, with the reason. By the same measure, 67 of 74 files of
// go/types are one cycle.
var recursive = map[string]string{
	"ppl/stdlib":                    "rows of one table; the densities of some distributions use others",
	"ppl/autodiff":                  "a row of the table of ops has its gradient, a graph made by the builder",
	"ppl/compiler/frontend/check":   "an expression reads a name, whose statement has expressions",
	"ppl/compiler/density/evaluate": "elements of an array are expressions that read elements of arrays",
	"ppl/lang/stan/translate":       "a call of a user's function runs statements, which contain calls",
}

// TestCyclesOfFiles measures all packages.
func TestCyclesOfFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("reads all packages: 10 s")
	}
	all, err := load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 100 {
		t.Fatalf("found only %d packages", len(all))
	}
	for _, p := range all {
		switch m := measure(p); {
		case recursive[m.path] != "" && len(m.cycle) <= largestAllowed:
			t.Errorf("%s is listed, but its largest cycle has %d files: remove its row", m.path, len(m.cycle))
		case recursive[m.path] == "" && len(m.cycle) > largestAllowed:
			t.Errorf("%s: %d files use each other: %v; move what several of them use to a separate file", m.path,
				len(m.cycle), m.cycle)
		}
	}
}
