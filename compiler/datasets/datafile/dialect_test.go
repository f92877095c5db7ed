package datafile

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
)

// Tables with the separators and decimal marks that spreadsheets and other programs write are read correctly, into
// memory and row by row.
func TestDialects(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		text string
		y, x []float64
	}{
		"semicolons.csv": {"y;x\n1.5;2\n2;3\n", []float64{1.5, 2}, []float64{2, 3}},
		"decimals.csv":   {"y;x\n1,5;2\n-2,25e1;NA\n", []float64{1.5, -22.5}, []float64{2, math.NaN()}},
		"tabs.csv":       {"y\tx\n1.5\t2\n2\t3\n", []float64{1.5, 2}, []float64{2, 3}},
		"mark.csv":       {"\ufeffy,x\r\n1.5,2\r\n2,3\r\n", []float64{1.5, 2}, []float64{2, 3}},
		"quoted.csv":     {"\"y\",\"x\"\n\"1.5\",2\n2,3\n", []float64{1.5, 2}, []float64{2, 3}},
	} {
		path := written(t, dir, name, c.text)
		f, err := Read(path)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows, err := RowCache{Dir: filepath.Join(dir, "rows")}.ByRows(path)
		if err != nil {
			t.Errorf("%s by rows: %v", name, err)
			continue
		}
		for array, want := range map[string][]float64{"y": c.y, "x": c.x} {
			got := f.Find(array)
			if got == nil || !same(got.Values.Doubles(), want) {
				t.Errorf("%s: %s is %v, want %v", name, array, got, want)
			}
			if again := readBack(t, rows.Arrays[array]); !same(again, want) {
				t.Errorf("%s by rows: %s is %v, want %v", name, array, again, want)
			}
		}
	}
}

func same(xs, ys []float64) bool {
	return slices.EqualFunc(xs, ys, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) })
}
