package datafile

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A conversion reports its progress. If it is stopped at any report, no files remain. Reading only the first rows
// leaves no copy in the cache.
func TestConversionIsEnded(t *testing.T) {
	dir := t.TempDir()
	path := written(t, dir, "x.csv", "x\n"+strings.Repeat("1\n", 100_000))
	cache := RowCache{Dir: filepath.Join(dir, "rows"), Bound: 1 << 30}
	stop, after := errors.New("stop"), 0
	var said []float64
	cache.Converting = func(_ string, done float64) error {
		if said = append(said, done); after > 0 && len(said) == after {
			return stop
		}
		return nil
	}
	left := func() []string {
		all, err := filepath.Glob(filepath.Join(cache.Dir, "*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	for after = 1; after < 1000; after++ {
		said = nil
		_, err := cache.ByRows(path)
		if err == nil {
			break
		}
		if !errors.Is(err, stop) || len(left()) > 0 {
			t.Fatalf("ended at call %d: %v, and %v is left", after, err, left())
		}
	}
	if after < 20 || !slices.IsSorted(said) || said[0] != 0 || said[len(said)-1] != 1 || len(left()) != 1 {
		t.Errorf("%d calls: %v; left %v", after, said, left())
	}
	first := RowCache{Dir: filepath.Join(dir, "others"), Bound: 1 << 30, First: 10}
	f, err := first.ByRows(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := readBack(t, f.Arrays["x"]); len(got) != 10 || math.IsNaN(got[9]) {
		t.Errorf("the first rows: %v", got)
	}
	if cache.Dir = first.Dir; len(left()) > 0 {
		t.Errorf("left %v", left())
	}
}
