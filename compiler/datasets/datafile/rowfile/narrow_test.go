package rowfile

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"ppl/runtime/sys/files"
)

// rowsOf is a Source of columns in memory.
type rowsOf struct {
	columns []Column
	values  [][]float64 // of each column
	next    int
}

func (s *rowsOf) Columns() []Column { return s.columns }

func (s *rowsOf) Next(record []float64) error {
	if s.next*s.columns[0].Size() == len(s.values[0]) {
		return io.EOF
	}
	at := 0
	for k, c := range s.columns {
		at += copy(record[at:], s.values[k][s.next*c.Size():(s.next+1)*c.Size()])
	}
	s.next++
	return nil
}

// write writes a file of these rows, and opens it until the test ends.
func (s *rowsOf) write(tb testing.TB) *File {
	tb.Helper()
	name := filepath.Join(tb.TempDir(), "rows")
	w := Writer{Disk: files.Disk{}, Name: name, Identity: "1", Progress: func(float64) error { return nil }}
	if err := w.Write(s, &About{}); err != nil {
		tb.Fatal(err)
	}
	f, err := Open(name, "1")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := f.Close(); err != nil {
			tb.Error(err)
		}
	})
	return f
}

// TestNarrowColumns checks that each column has the shortest representation that is exact for all its values, and that
// all values are read as they were written.
func TestNarrowColumns(t *testing.T) {
	nan, negative := math.NaN(), math.Copysign(0, -1)
	of := func(x ...float64) []float64 { return x }
	for _, c := range []struct {
		name, given, want string
		shape             []int
		values            []float64
	}{
		{"zeros and ones", "f8", "u1", nil, of(0, 1, 1, 0, 1, 0)},
		{"bytes", "f8", "u1", []int{2}, of(0, 255, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
		{"more than bytes", "f8", "f4", nil, of(0, 1, 256, 0, 1, 0)},
		{"negative", "f8", "f4", nil, of(0, -1, 1, 0, 1, 0)},
		{"negative zero", "f8", "f4", nil, of(0, negative, 1, 0, 1, 0)},
		{"missing", "f8", "f4", nil, of(0, nan, 1, 0, 1, 0)},
		{"all missing", "f8", "f4", nil, of(nan, nan, nan, nan, nan, nan)},
		{"infinite", "f8", "f4", nil, of(0, math.Inf(1), math.Inf(-1), 0, 1, 0)},
		{"halves", "f8", "f4", []int{2}, of(.5, 1, -2.25, 0, 1, 0, .5, 1, -2.25, 0, 1, 0)},
		{"single precision", "f8", "f4", nil, of(float64(float32(.1)), math.MaxFloat32, 3, 4, 5, 6)},
		{"double precision", "f8", "f8", nil, of(.1, 0, 1, 0, 1, 0)},
		{"beyond single precision", "f8", "f8", nil, of(1, 2, 3, 4, 5, 2*math.MaxFloat32)},
		{"long integers", "f8", "f8", nil, of(1, 2, 3, 4, 5, 1<<24+1)},
		{"tiny", "f8", "f8", nil, of(1, 2, 3, 4, 5, 1e-300)},
		{"short already", "i1", "i1", nil, of(1, 2, 3, 4, 5, 6)},
	} {
		other := Column{Name: "other", Type: "f8"}
		src := &rowsOf{columns: []Column{{Name: "x", Shape: c.shape, Type: c.given, Int: true}, other},
			values: [][]float64{c.values, of(.1, .2, .3, .4, .5, .6)}}
		f := src.write(t)
		if got := f.Columns[0].Type; got != c.want || f.Columns[1].Type != "f8" {
			t.Errorf("%s: stored as %s and %s, want %s and f8", c.name, got, f.Columns[1].Type, c.want)
		}
		s := &Selection{File: f}
		s.Add(0, nil, nil)
		s.Add(1, nil, nil)
		for row := range f.Rows {
			got := make([]float64, s.Width)
			if err := s.Read([]int{f.Place(row)}, got); err != nil {
				t.Fatal(err)
			}
			want := slices.Concat(c.values[row*(s.Width-1):(row+1)*(s.Width-1)], src.values[1][row:row+1])
			for i := range want {
				same := math.Float64bits(got[i]) == math.Float64bits(want[i])
				if !same && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					t.Errorf("%s: row %d has %v, want %v", c.name, row, got, want)
				}
			}
		}
	}
}
