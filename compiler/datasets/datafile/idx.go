package datafile

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"
)

const idxMagic = "\x00\x00"

// readIDX returns the one array of an IDX file, named after the file: two zero bytes, the type, the number of axes,
// their sizes and the elements, all big-endian (LeCun, Cortes, Burges: The MNIST database, "the IDX file format").
func readIDX(name, text string, _ RowCache) (*File, error) {
	h, err := readIDXHeader(name, text)
	if err != nil {
		return nil, err
	}
	a, err := h.kind.array(name, h.shape, text[h.size:], h.order)
	if err != nil {
		return nil, err
	}
	a.Name, a.Origin = strings.TrimSuffix(path.Base(name), ".gz"), name
	f := newFile(name, false)
	f.Lone = true
	f.add(a)
	return f, nil
}

// A header says what elements follow its bytes, size of them.
type header struct {
	size    int
	kind    element
	code    string
	shape   []int
	order   binary.ByteOrder
	fortran bool
}

func readIDXHeader(name, text string) (h header, err error) {
	const head = 4
	if len(text) < head || text[:2] != idxMagic {
		return h, fmt.Errorf("%s: not an IDX file: it does not begin with two zero bytes", name)
	}
	h.code = map[byte]string{0x08: "u1", 0x09: "i1", 0x0B: "i2", 0x0C: "i4", 0x0D: "f4", 0x0E: "f8"}[text[2]]
	e, ok := elements(h.code)
	if !ok {
		return h, fmt.Errorf("%s: 0x%02x is not a type of IDX elements", name, text[2])
	}
	rank := int(text[3])
	h.order = binary.BigEndian
	h.kind, h.size, h.shape = e, head+4*rank, make([]int, rank)
	if len(text) < h.size {
		return h, fmt.Errorf("%s: the file ends within its header", name)
	}
	for k := range h.shape {
		h.shape[k] = int(binary.BigEndian.Uint32([]byte(text[head+4*k:])))
	}
	return h, nil
}
