package images

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"

	"ppl/compiler/datasets/datafile/budget"
	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/densearray"
	"ppl/compiler/datasets/datafile/elements"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
)

// IDXMagic is the beginning of IDX files.
const IDXMagic = "\x00\x00"

// ReadIDX returns the array of an IDX file, named after the file. The file has two zero bytes, the type, the number of
// axes, their sizes and the elements, all big-endian (LeCun, Cortes, Burges: The MNIST database, "the IDX file
// format").
func ReadIDX(name, text string) (*content.File, error) {
	h, err := readIDXHeader(name, text)
	if err != nil {
		return nil, err
	}
	a, err := h.Array(name, text)
	if err != nil {
		return nil, err
	}
	a.Name, a.Origin = strings.TrimSuffix(path.Base(name), ".gz"), name
	f := content.NewFile(name, false)
	f.Lone = true
	f.Add(a)
	return f, nil
}

// IDXCost returns the cost of an IDX file from its first bytes; ok is false if it has no valid header.
func IDXCost(path, start string) (c budget.Cost, ok bool) {
	h, err := readIDXHeader(path, start)
	if err != nil {
		return c, false
	}
	return budget.ArrayCost(h.Element.Size), true
}

func readIDXHeader(name, text string) (h densearray.Header, err error) {
	const head = 4
	switch {
	case len(text) < head:
		return h, fmt.Errorf("%s: not an IDX file: it has only %d bytes", name, len(text))
	case text[:2] != IDXMagic:
		return h, fmt.Errorf("%s: not an IDX file: it does not begin with two zero bytes", name)
	}
	h.Code = map[byte]string{0x08: "u1", 0x09: "i1", 0x0B: "i2", 0x0C: "i4", 0x0D: "f4", 0x0E: "f8"}[text[2]]
	e, ok := elements.Of(h.Code)
	if !ok {
		return h, fmt.Errorf("%s: 0x%02x is not a type of IDX elements", name, text[2])
	}
	rank := int(text[3])
	h.Order = binary.BigEndian
	h.Element, h.Size, h.Shape = e, head+4*rank, make([]int, rank)
	if len(text) < h.Size {
		return h, fmt.Errorf("%s: the file ends within its header", name)
	}
	for k := range h.Shape {
		h.Shape[k] = int(binary.BigEndian.Uint32([]byte(text[head+4*k:])))
	}
	return h, nil
}

// IDXRows returns a source of the rows of an IDX file.
func IDXRows(in *stream.Input, _ *stream.Learned) (rowfile.Source, error) {
	in.Lone = true
	start, _ := in.Text.Peek(1 << 16)
	h, err := readIDXHeader(in.Path, string(start))
	if err != nil {
		return nil, err
	}
	return densearray.ReadRows(in, h)
}
