package rowfile

import (
	"errors"
	"fmt"
	"io"
	"testing"
)

// A countingSource returns rows of equal numbers, each with the number of its row, and then fails.
type countingSource struct {
	rows, row int
	err       error // nil: a panic
}

func (*countingSource) Columns() []Column { return nil }

func (s *countingSource) Next(record []float64) error {
	if s.row == s.rows {
		if s.err == nil {
			panic("damaged")
		}
		return s.err
	}
	for i := range record {
		record[i] = float64(s.row)
	}
	s.row++
	return nil
}

// TestReadAhead reads sources of many lengths and widths, and checks that all rows come in order, and the error or the
// panic of the source after them. A reading that ends early leaves no goroutine behind.
func TestReadAhead(t *testing.T) {
	broken := errors.New("broken")
	for _, width := range []int{0, 1, 7, batchNumbers + 1} {
		most := max(1, batchNumbers/max(1, width))
		for _, rows := range []int{0, 1, most - 1, most, most + 1, 7*most + 1} {
			for _, end := range []error{io.EOF, broken, nil} {
				t.Run(fmt.Sprint(width, rows, end), func(t *testing.T) { checkReading(t, width, rows, end) })
			}
		}
	}
	src := &countingSource{rows: 100 * batchNumbers, err: io.EOF}
	r := readAhead(src, 1)
	r.end()
	if src.row > (batchesAhead+1)*batchNumbers {
		t.Errorf("%d rows were read ahead", src.row)
	}
}

func checkReading(t *testing.T, width, rows int, end error) {
	r := readAhead(&countingSource{rows: rows, err: end}, width)
	defer r.end()
	record := make([]float64, width+1)
	for row := range rows {
		record[width] = -1
		if err := r.next(record[:width]); err != nil {
			t.Fatalf("row %d: %v", row, err)
		}
		if width > 0 && (record[0] != float64(row) || record[width-1] != float64(row)) || record[width] != -1 {
			t.Fatalf("row %d is %v", row, record)
		}
	}
	defer func() {
		if p := recover(); (p != nil) != (end == nil) {
			t.Errorf("panic %v", p)
		}
	}()
	for range 2 {
		if err := r.next(record[:width]); err != end {
			t.Errorf("error %v, want %v", err, end)
		}
	}
}
