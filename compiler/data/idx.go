package data

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"
)

// readIDX is the one array of an IDX file, named after the file: two zero bytes, the type, the number of axes, their sizes and the elements,
// all big-endian (LeCun, Cortes, Burges: The MNIST database, "the IDX file format").
func readIDX(name, text string) (*File, error) {
	const head = 4
	if len(text) < head || text[:2] != "\x00\x00" {
		return nil, fmt.Errorf("%s: not an IDX file: it does not begin with two zero bytes", name)
	}
	e, ok := elements(map[byte]string{0x08: "u1", 0x09: "i1", 0x0B: "i2", 0x0C: "i4", 0x0D: "f4", 0x0E: "f8"}[text[2]])
	if !ok {
		return nil, fmt.Errorf("%s: 0x%02x is no type of IDX elements", name, text[2])
	}
	rank := int(text[3])
	if len(text) < head+4*rank {
		return nil, fmt.Errorf("%s: the file ends within its header", name)
	}
	shape := make([]int, rank)
	for k := range shape {
		shape[k] = int(binary.BigEndian.Uint32([]byte(text[head+4*k:])))
	}
	a, err := e.array(name, shape, text[head+4*rank:], binary.BigEndian)
	if err != nil {
		return nil, err
	}
	a.Name, a.Origin = strings.TrimSuffix(path.Base(name), ".gz"), name
	f := newFile(name, false)
	f.Lone = true
	f.add(a)
	return f, nil
}
