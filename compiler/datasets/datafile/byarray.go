package datafile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"ppl/lang/source"
)

// An arraySource reads the elements of one array of numbers, row-major, a row of its first axis at a time.
type arraySource struct {
	path  string
	in    io.Reader
	col   Column
	kind  element
	order binary.ByteOrder
	left  int // rows
	row   int
	raw   []byte
}

func (a *arraySource) columns() []Column { return []Column{a.col} }

func (a *arraySource) next(record []float64) error {
	if a.left == 0 {
		if n, _ := a.in.Read(a.raw[:min(1, len(a.raw))]); n > 0 {
			return fmt.Errorf("%s: the file goes on after its %d rows", a.path, a.row)
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
		v := a.kind.read(a.raw[k*a.kind.size:], a.order)
		if a.kind.whole && math.Abs(v) > exact {
			return tooLong(a.path, a.row*len(record)+k, v)
		}
		record[k] = v
	}
	a.left, a.row = a.left-1, a.row+1
	return nil
}

func tooLong(name string, at int, v float64) error {
	return fmt.Errorf("%s: element %d, %.0f, is too large for a float64 to hold exactly", name, at+1, v)
}

// headerOf is that of a .npy or IDX file, if a file that begins so is one.
func headerOf(path, start string) (h header, ok bool) {
	var err error
	switch {
	case strings.HasPrefix(start, numpyMagic):
		h, err = readNumpyHeader(path, start)
	case strings.HasPrefix(start, idxMagic):
		h, err = readIDXHeader(path, start)
	default:
		return h, false
	}
	return h, err == nil
}

// numpy reads a .npy file, of which rows are together only in C order.
func (in *input) numpy() (rowSource, error) {
	start, _ := in.text.Peek(1 << 16)
	h, err := readNumpyHeader(in.path, string(start))
	if err != nil {
		return nil, err
	}
	if h.fortran && len(h.shape) > 1 {
		return nil, fmt.Errorf("%s: the array is in Fortran order, in which rows are not together; save "+
			"numpy.ascontiguousarray(x)", in.path)
	}
	return in.inRows(h)
}

// idx reads an IDX file.
func (in *input) idx() (rowSource, error) {
	start, _ := in.text.Peek(1 << 16)
	h, err := readIDXHeader(in.path, string(start))
	if err != nil {
		return nil, err
	}
	return in.inRows(h)
}

// inRows reads the array that a header announces.
func (in *input) inRows(h header) (rowSource, error) {
	if len(h.shape) == 0 {
		return nil, fmt.Errorf("%s: one number has no rows", in.path)
	}
	if err := in.rowFits(h); err != nil {
		return nil, err
	}
	if _, err := in.text.Discard(h.size); err != nil {
		return nil, err
	}
	a := &arraySource{path: in.path, in: in.text, kind: h.kind, order: h.order, left: h.shape[0],
		col: Column{Name: in.name(), Shape: h.shape[1:], Type: "f8", Int: h.kind.whole}}
	switch {
	case h.kind.bytes:
		a.col.Type = "u1"
	case h.code == "i1" || h.code == "f4":
		a.col.Type = h.code
	}
	a.raw = make([]byte, a.col.size()*h.kind.size)
	return a, nil
}

// readRowCost is what an element of a row takes while rows are read, in bytes: it is a number, and there before and
// after it is one.
const readRowCost = 32

// rowFits returns an error for an array whose rows do not fit into memory, or into the file.
func (in *input) rowFits(h header) error {
	elements := 1.0
	for _, n := range h.shape[1:] {
		elements *= float64(n)
	}
	info, err := in.file.Stat()
	switch bytes := elements * float64(h.kind.size); {
	case err != nil:
		return err
	case h.shape[0] > 0 && bytes > mostDeflated*float64(info.Size()):
		return fmt.Errorf("%s: the file is damaged: a row of the shape %v does not fit into it", in.path, h.shape[1:])
	case elements*readRowCost > float64(in.memory.memory()):
		return fmt.Errorf("%s: a row has %.0f numbers, and reading it takes more than the %s of memory that there are",
			in.path, elements, source.Bytes(in.memory.memory()))
	}
	return nil
}
