package densearray

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/elements"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
	"ppl/lang/source"
)

// An arraySource reads the elements of one array of numbers, row-major, a row of its first axis at a time.
type arraySource struct {
	path  string
	in    io.Reader
	col   rowfile.Column
	kind  elements.Element
	order binary.ByteOrder
	left  int // number of rows not yet read
	row   int // number of rows read
	raw   []byte
}

func (a *arraySource) Columns() []rowfile.Column { return []rowfile.Column{a.col} }

func (a *arraySource) Next(record []float64) error {
	if a.left == 0 {
		if n, _ := a.in.Read(a.raw[:min(1, len(a.raw))]); n > 0 {
			return fmt.Errorf("%s: the file has more bytes after its %d rows", a.path, a.row)
		}
		return io.EOF
	}
	if _, err := io.ReadFull(a.in, a.raw); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return fmt.Errorf("%s: the file ends in row %d of %d", a.path, a.row+1, a.row+a.left)
		}
		return fmt.Errorf("%s: row %d: %w", a.path, a.row+1, err)
	}
	for k := range record {
		v := a.kind.Read(a.raw[k*a.kind.Size:], a.order)
		if a.kind.Whole && math.Abs(v) > elements.LargestExact {
			return tooLong(a.path, a.row*len(record)+k, v)
		}
		record[k] = v
	}
	a.left, a.row = a.left-1, a.row+1
	return nil
}

// ReadRows returns a source of the rows of the array with header h.
func ReadRows(in *stream.Input, h Header) (rowfile.Source, error) {
	if len(h.Shape) == 0 {
		return nil, fmt.Errorf("%s: the file has a single number instead of rows", in.Path)
	}
	if err := rowFits(in, h); err != nil {
		return nil, err
	}
	if _, err := in.Text.Discard(h.Size); err != nil {
		return nil, err
	}
	a := &arraySource{path: in.Path, in: in.Text, kind: h.Element, order: h.Order, left: h.Shape[0],
		col: rowfile.Column{Name: nameOf(in.Path), Shape: h.Shape[1:], Type: "f8", Int: h.Element.Whole}}
	switch {
	case h.Element.Bytes:
		a.col.Type = "u1"
	case h.Code == "i1" || h.Code == "f4":
		a.col.Type = h.Code
	}
	a.raw = make([]byte, a.col.Size()*h.Element.Size)
	return a, nil
}

// nameOf returns the name of the only array of a file: the name of the file without an ending that shows the format.
func nameOf(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(strings.TrimSuffix(base, ".gz"), ".npy")
}

// readRowCost is the memory, in bytes, of an element of a row while rows are read: its bytes in the input, its value,
// and its bytes in the output.
const readRowCost = 32

// rowFits returns an error for an array if a row does not fit into memory, or cannot be in a file of this size.
func rowFits(in *stream.Input, h Header) error {
	elements := 1.0
	for _, n := range h.Shape[1:] {
		elements *= float64(n)
	}
	info, err := in.File.Stat()
	switch bytes := elements * float64(h.Element.Size); {
	case err != nil:
		return err
	case h.Shape[0] > 0 && bytes > budget.MostDeflated*float64(info.Size()):
		return fmt.Errorf("%s: the file is damaged: a row of the shape %v does not fit into it", in.Path, h.Shape[1:])
	case elements*readRowCost > float64(in.Memory):
		return fmt.Errorf("%s: a row has %.0f numbers, and reading it takes more than the %s of available memory",
			in.Path, elements, source.Bytes(int64(in.Memory)))
	}
	return nil
}
