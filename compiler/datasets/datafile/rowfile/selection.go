package rowfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sync"

	"ppl/compiler/datasets/datafile/elements"
)

// A Selection reads some columns of a row file. Read is safe for concurrent use.
type Selection struct {
	File  *File
	Width int // number of values of a row
	parts []part
	// buffers holds memory of calls of Read that have returned.
	buffers sync.Pool
}

// A part is a selected column, or several: its position and size in a record, the representation of its elements, and
// the arguments of Add.
type part struct {
	offset, size int
	kind         string
	element      elements.Element
	codes        []float64
	numbers      map[float64]float64
}

// Add selects a column, and returns the position in a row at which its numbers begin. If codes is not nil, it replaces
// a text's number k by codes[k−1]; if numbers is not nil, it replaces each number by another.
func (s *Selection) Add(column int, codes []float64, numbers map[float64]float64) (at int) {
	c := &s.File.Columns[column]
	e, _ := elements.Of(c.Type)
	at = s.Width
	s.Width += c.Size()
	p := part{sizeOf(s.File.Columns[:column]), c.Size(), c.Type, e, codes, numbers}
	if n := len(s.parts); n == 0 || !s.parts[n-1].extend(&p) {
		s.parts = append(s.parts, p)
	}
	return at
}

// extend makes the next part a part of p, and returns true, if their elements are adjacent in records and read alike.
func (p *part) extend(next *part) bool {
	if p.kind != next.kind || p.offset+p.size*p.element.Size != next.offset || p.codes != nil || p.numbers != nil ||
		next.codes != nil || next.numbers != nil {
		return false
	}
	p.size += next.size
	return true
}

// readSize is the approximate number of bytes that are read at once for adjacent records.
const readSize = 1 << 20

// AddRow selects the number of the row in the data file.
func (s *Selection) AddRow() (at int) { return s.Add(len(s.File.Columns)-1, nil, nil) }

// Read reads the records at some positions into dst, Width numbers each. It reads adjacent records together.
func (s *Selection) Read(places []int, dst []float64) error {
	most, stride := max(1, readSize/max(1, s.File.stride)), s.File.stride
	buffer, _ := s.buffers.Get().(*[]byte)
	if buffer == nil {
		buffer = new([]byte)
	}
	defer s.buffers.Put(buffer)
	for len(places) > 0 {
		n := 1
		for n < len(places) && n < most && places[n] == places[n-1]+1 {
			n++
		}
		*buffer = slices.Grow((*buffer)[:0], n*stride)
		raw := (*buffer)[:n*stride]
		if _, err := s.File.file.ReadAt(raw, int64(places[0])*int64(stride)); err != nil {
			return fmt.Errorf("%s: its rows cannot be read from %s: %w", s.File.Path, s.File.file.Name(), err)
		}
		for i := range n {
			if !sumFits(raw[i*stride:(i+1)*stride], places[i], s.File.seed) {
				return s.File.damaged()
			}
		}
		s.decode(raw, n, dst)
		places, dst = places[n:], dst[n*s.Width:]
	}
	return nil
}

// decode reads n records, one part of all records after another.
func (s *Selection) decode(raw []byte, n int, dst []float64) {
	at := 0
	for i := range s.parts {
		p := &s.parts[i]
		p.decode(raw[p.offset:], s.File.stride, dst[at:], s.Width, n)
		at += p.size
	}
}

// decode reads the elements of a part of n records, which are stride bytes apart, to rows of width numbers. The usual
// representations have separate loops, since a call for each element took a quarter of the time of a pass over all
// rows.
func (p *part) decode(raw []byte, stride int, dst []float64, width, n int) {
	for r := range n {
		from, x := raw[r*stride:], dst[r*width:][:p.size]
		switch p.kind {
		case "f4":
			from = from[:4*len(x)]
			for i := range x {
				x[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(from[4*i:])))
			}
		case "f8":
			from = from[:8*len(x)]
			for i := range x {
				x[i] = math.Float64frombits(binary.LittleEndian.Uint64(from[8*i:]))
			}
		case "u1":
			for i := range x {
				x[i] = float64(from[i])
			}
		default:
			for i := range x {
				x[i] = p.element.Read(from[i*p.element.Size:], binary.LittleEndian)
			}
		}
		p.replace(x)
	}
}

// replace replaces numbers of texts, and numbers, as Add describes.
func (p *part) replace(x []float64) {
	switch {
	case p.codes != nil:
		for i, v := range x {
			if !math.IsNaN(v) {
				x[i] = p.codes[int(v)-1]
			}
		}
	case p.numbers != nil:
		for i, v := range x {
			if !math.IsNaN(v) {
				x[i] = p.numbers[v]
			}
		}
	}
}
