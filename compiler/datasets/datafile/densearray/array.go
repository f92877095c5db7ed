package densearray

import (
	"encoding/binary"
	"fmt"
	"math"
	"unsafe"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/elements"
	"ppl/numbers"
)

// Array returns the array in the text of a file with header h. It returns an error if the length of the text does not
// agree with the shape. name is the name of the file, for errors.
func (h Header) Array(name, text string) (*content.Array, error) {
	e, shape, body, order := h.Element, h.Shape, text[h.Size:], h.Order
	n := 1
	for _, d := range shape {
		if d > 0 && n > len(body)/d {
			n = len(body) + 1
			break
		}
		n *= d
	}
	if len(body) != n*e.Size {
		return nil, fmt.Errorf("%s: %d bytes of elements do not match the shape %v (bytes per element: %d)", name,
			len(body), shape, e.Size)
	}
	if values := inPlace(e, body, order); values != nil {
		return &content.Array{Shape: shape, Values: numbers.Of(values...)}, nil
	}
	raw := unsafe.Slice(unsafe.StringData(body), len(body)) // no copy, because nothing writes to raw
	if e.Bytes {
		return &content.Array{Shape: shape, Values: numbers.OfBytes(raw), Int: true}, nil
	}
	values := make([]float64, n)
	for i := range values {
		v := e.Read(raw[i*e.Size:], order)
		if e.Whole && math.Abs(v) > elements.LargestExact {
			return nil, tooLong(name, i, v)
		}
		values[i] = v
	}
	return &content.Array{Shape: shape, Values: numbers.Packed(values), Int: e.Whole}, nil
}

// inPlace returns the elements in body without copying them if they are aligned float64 values in the byte order of the
// machine, otherwise nil. Nothing changes the text of a file after it is read, so the array may refer to it.
func inPlace(e elements.Element, body string, order binary.ByteOrder) []float64 {
	at := unsafe.Pointer(unsafe.StringData(body))
	alike := binary.NativeEndian.Uint16([]byte{1, 0}) == order.Uint16([]byte{1, 0})
	if e.Whole || e.Size != 8 || !alike || body == "" || uintptr(at)%unsafe.Alignof(float64(0)) != 0 {
		return nil
	}
	return unsafe.Slice((*float64)(at), len(body)/8)
}

func tooLong(name string, at int, v float64) error {
	return fmt.Errorf("%s: element %d, %.0f, is too large for a float64 to hold exactly", name, at+1, v)
}
