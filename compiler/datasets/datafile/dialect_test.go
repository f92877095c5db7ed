package datafile

import (
	"math"
	"path/filepath"
	"slices"
	"testing"
)

// Tables as spreadsheets and other programs write them, whole and row by row.
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

// The days are those of GNU date: date -u -d 2024-02-29 +%s divided by 86400.
func TestDays(t *testing.T) {
	for text, want := range map[string]float64{"1970-01-01": 0, "2024-02-29": 19782, "1969-12-31": -1,
		"2024-02-29 06:00:00": 19782.25, "2024-02-29T12:00:00+06:00": 19782.25, "2024-02": 19754} {
		if got, ok := Days(text); !ok || got != want {
			t.Errorf("%s is %v %v, want %v", text, got, ok, want)
		}
	}
	f, err := Read("testdata/dates.parquet")
	if err != nil || f.Find("day") == nil || !slices.Equal(f.Find("day").Values.Doubles(), []float64{18263}) ||
		!f.Find("day").Days || DateOf(18263) != "2020-01-02" {
		t.Errorf("a column of dates: %v", err)
	}
	for _, text := range []string{"", "2023-02-29", "29/02/2024", "20240229", "Guy's"} {
		if got, ok := Days(text); ok {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}
