package rowfile

import (
	"encoding/binary"
	"io"
	"slices"

	"ppl/compiler/datasets/datafile/elements"
)

// The first pass writes most elements as f8, because it does not know the values of later rows yet. The second pass
// narrows the columns that need fewer bytes, such as float32 columns of Parquet files and outcomes of 0 and 1.

// narrowed returns the columns with their narrowest representations. The last one, the row, stays f8.
func narrowed(columns []Column) []Column {
	out := slices.Clone(columns)
	for i := range out[:len(out)-1] {
		out[i].Type = out[i].narrowest()
	}
	return out
}

// A narrower reads records of some columns, and returns them with the representations of others.
type narrower struct {
	in     io.Reader
	spans  []span
	wide   []byte // a record that was read
	narrow []byte // its narrow form
	left   []byte // the part of narrow that was not returned yet
}

// A span is the elements of one column in a record.
type span struct {
	bytes int // before
	of    elements.Element
	to    string // the new representation, or empty if it stays
}

func newNarrower(in io.Reader, from, to []Column) *narrower {
	n := &narrower{in: in, wide: make([]byte, strideOf(from))}
	for i := range from {
		e, _ := elements.Of(from[i].Type)
		s := span{bytes: e.Size * from[i].Size(), of: e}
		if to[i].Type != from[i].Type {
			s.to = to[i].Type
		}
		n.spans = append(n.spans, s)
	}
	return n
}

// Read implements io.Reader.
func (n *narrower) Read(p []byte) (int, error) {
	if len(n.left) == 0 {
		if _, err := io.ReadFull(n.in, n.wide); err != nil {
			return 0, err
		}
		n.convert()
	}
	done := copy(p, n.left)
	n.left = n.left[done:]
	return done, nil
}

// convert sets left to the narrow form of the record in wide. The checksum is computed later.
func (n *narrower) convert() {
	wide, out := n.wide, n.narrow[:0]
	for _, s := range n.spans {
		if s.to == "" {
			out = append(out, wide[:s.bytes]...)
		} else {
			for at := 0; at < s.bytes; at += s.of.Size {
				out = elements.Append(out, s.to, s.of.Read(wide[at:], binary.LittleEndian))
			}
		}
		wide = wide[s.bytes:]
	}
	n.narrow = append(out, wide...)
	n.left = n.narrow
}
