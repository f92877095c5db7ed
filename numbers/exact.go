package numbers

import (
	"encoding/binary"
	"math"
)

// Exact is a list of numbers in little-endian bytes, as files have it: four bytes for each number if all numbers are
// exact in single precision, and otherwise eight.
type Exact struct {
	Single bool
	Bytes  []byte
}

// ExactOf encodes numbers without loss of precision.
func ExactOf(values []float64) Exact {
	single := true
	for _, v := range values {
		if math.Float64bits(float64(float32(v))) != math.Float64bits(v) {
			single = false
			break
		}
	}
	if !single {
		bytes := make([]byte, 0, 8*len(values))
		for _, v := range values {
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
		}
		return Exact{Bytes: bytes}
	}
	bytes := make([]byte, 0, 4*len(values))
	for _, v := range values {
		bytes = binary.LittleEndian.AppendUint32(bytes, math.Float32bits(float32(v)))
	}
	return Exact{true, bytes}
}

// Len returns the number of elements.
func (e Exact) Len() int {
	if e.Single {
		return len(e.Bytes) / 4
	}
	return len(e.Bytes) / 8
}

// Copy decodes the first len(to) elements into to.
func (e Exact) Copy(to []float64) {
	for i := range to {
		if e.Single {
			to[i] = float64(math.Float32frombits(binary.LittleEndian.Uint32(e.Bytes[4*i:])))
		} else {
			to[i] = math.Float64frombits(binary.LittleEndian.Uint64(e.Bytes[8*i:]))
		}
	}
}
