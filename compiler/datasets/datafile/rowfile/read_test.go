package rowfile

import (
	"fmt"
	"slices"
	"testing"
)

// openColumns writes a file of rows with n rows, one column of bytes and ten of single precision, and selects all.
func openColumns(tb testing.TB, n int) *Selection {
	tb.Helper()
	src := &rowsOf{}
	for k := range 11 {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64((i + k) % 251)
			if k > 0 {
				values[i] = float64(float32(values[i] / 7))
			}
		}
		src.columns, src.values = append(src.columns, Column{Name: fmt.Sprint("x", k), Type: "f8"}),
			append(src.values, values)
	}
	s := &Selection{File: src.write(tb)}
	s.AddRow()
	for k := range 11 {
		s.Add(k, nil, nil)
	}
	return s
}

// TestReadTogether checks that adjacent records, records in any order, and records that are read one by one have the
// same values, and that a row has those of its number.
func TestReadTogether(t *testing.T) {
	const n = 1000
	s := openColumns(t, n)
	read := func(places []int) []float64 {
		rows := make([]float64, len(places)*s.Width)
		if err := s.Read(places, rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	all := read(places)
	slices.Reverse(places)
	backwards := read(places)
	for i := range n {
		row := all[i*s.Width : (i+1)*s.Width]
		if !slices.Equal(row, backwards[(n-1-i)*s.Width:(n-i)*s.Width]) || !slices.Equal(row, read([]int{i})) {
			t.Fatalf("the record at %d depends on the records that are read with it", i)
		}
		number := int(row[0])
		if row[1] != float64(number%251) || row[11] != float64(float32(float64((number+10)%251)/7)) {
			t.Fatalf("row %d has %v", number, row[1:])
		}
	}
}

// BenchmarkRead reads 512 adjacent records.
func BenchmarkRead(b *testing.B) {
	s := openColumns(b, 1<<16)
	places, rows := make([]int, 512), make([]float64, 512*s.Width)
	first := 0
	for b.Loop() {
		for i := range places {
			places[i] = (first + i) % s.File.Rows
		}
		first = (first + len(places)) % s.File.Rows
		if err := s.Read(places, rows); err != nil {
			b.Fatal(err)
		}
	}
}
