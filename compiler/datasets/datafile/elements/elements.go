// Package elements reads and writes numbers in the binary representations of NumPy:
//
//	e, ok := elements.Of("i2")                  // signed integers of 2 bytes
//	v := e.Read(bytes, binary.LittleEndian)     // as a float64
//	bytes = elements.Append(bytes, "f4", v)     // as a float32
//
// The names are those of the NumPy reference, "Array interface": a letter for the kind and the number of bytes.
package elements

import (
	"encoding/binary"
	"math"
)

// Append appends the bytes of a number in the representation u1, i1 or f4, and f8 for other kinds, little-endian.
func Append(b []byte, kind string, v float64) []byte {
	switch kind {
	case "u1":
		return append(b, byte(v))
	case "i1":
		return append(b, byte(int8(v)))
	case "f4":
		return binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
	}
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}

// An Element is a binary representation of numbers.
type Element struct {
	Size  int  // in bytes
	Whole bool // whether the numbers are integers
	Bytes bool // whether each byte is a number from 0 to 255
	Read  func(b []byte, order binary.ByteOrder) float64
}

// Of returns the representation that NumPy names with a letter and a size in bytes, such as f8.
func Of(code string) (Element, bool) {
	type bs = []byte
	type bo = binary.ByteOrder
	e, ok := map[string]Element{
		"b1": {1, true, true, func(b bs, _ bo) float64 { return float64(b[0]) }},
		"i1": {1, true, false, func(b bs, _ bo) float64 { return float64(int8(b[0])) }},
		"u1": {1, true, true, func(b bs, _ bo) float64 { return float64(b[0]) }},
		"i2": {2, true, false, func(b bs, o bo) float64 { return float64(int16(o.Uint16(b))) }},
		"u2": {2, true, false, func(b bs, o bo) float64 { return float64(o.Uint16(b)) }},
		"i4": {4, true, false, func(b bs, o bo) float64 { return float64(int32(o.Uint32(b))) }},
		"u4": {4, true, false, func(b bs, o bo) float64 { return float64(o.Uint32(b)) }},
		"i8": {8, true, false, func(b bs, o bo) float64 { return float64(int64(o.Uint64(b))) }},
		"u8": {8, true, false, func(b bs, o bo) float64 { return float64(o.Uint64(b)) }},
		"f4": {4, false, false, func(b bs, o bo) float64 { return float64(math.Float32frombits(o.Uint32(b))) }},
		"f8": {8, false, false, func(b bs, o bo) float64 { return math.Float64frombits(o.Uint64(b)) }},
	}[code]
	return e, ok
}

// LargestExact is the number up to which a float64 represents all integers exactly.
const LargestExact = 1 << 53
