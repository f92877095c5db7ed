// Package numbers stores lists of numbers compactly. Data in files are often integers from 0 to 255, such as pixels; a
// List stores each of these in one byte instead of eight. Examples:
//
//	numbers.Of(0.5, 2)                  two float64s
//	numbers.OfBytes([]byte{0, 17})      two bytes, which read as 0 and 17
//	numbers.Packed(x)                   bytes if x is long and has only integers from 0 to 255, and otherwise x itself
//
// All readers get float64s, however the list is stored. Lists are immutable.
package numbers

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"
	"unsafe"
	"weak"
)

// A List is an immutable list of numbers. The zero List means that there is no list.
type List struct {
	bytes   []byte
	doubles []float64
	wide    *wide             // the float64s of bytes
	facts   *Facts            // nil if they are not known
	release func(part []byte) // frees memory of a list in an area (InArea); nil for a list on the heap
}

// A wide has a weak pointer to the float64s of a list of bytes, so that all programs that need them share one copy.
type wide struct {
	lock  sync.Mutex
	first weak.Pointer[float64]
}

// Of returns a list of values, which it does not copy. For a nil slice it returns the zero List.
func Of(values ...float64) List {
	return List{doubles: values}
}

// OfBytes returns a list of integers from 0 to 255, which it does not copy.
func OfBytes(values []byte) List {
	if len(values) == 0 {
		return Of([]float64{}...)
	}
	return List{bytes: values, wide: &wide{}}
}

// Many is the least number of elements for which Packed and Settled use bytes.
const Many = 1 << 16

// Packed returns a list of values. It stores them as bytes if there are at least Many and all are integers from 0 to
// 255.
func Packed(values []float64) List {
	l := Of(values...)
	if len(values) < Many || !l.AreBytes() {
		return l
	}
	bytes := make([]byte, len(values))
	for i, v := range values {
		bytes[i] = byte(v)
	}
	return OfBytes(bytes)
}

// Settled returns the list as programs store it: with float64s if it has fewer than Many elements, and otherwise
// unchanged.
func (l List) Settled() List {
	if l.bytes == nil || len(l.bytes) >= Many {
		return l
	}
	return Of(l.Doubles()...)
}

// None reports whether l is the zero List. An empty list is not.
func (l List) None() bool { return l.bytes == nil && l.doubles == nil }

// Len returns the number of elements.
func (l List) Len() int { return max(len(l.bytes), len(l.doubles)) }

// At returns element i, counted from 0.
func (l List) At(i int) float64 {
	if l.bytes != nil {
		return float64(l.bytes[i])
	}
	return l.doubles[i]
}

// All iterates over the indices and the elements, in order.
func (l List) All() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for at, part := range l.blocks() {
			for i, b := range part.bytes {
				if !yield(at+i, float64(b)) {
					return
				}
			}
			for i, v := range part.doubles {
				if !yield(at+i, v) {
					return
				}
			}
		}
	}
}

// Part returns the elements with indices from ≤ i < to, without copying them.
func (l List) Part(from, to int) (part List) {
	if l.bytes != nil {
		part = OfBytes(l.bytes[from:to])
	} else {
		part = Of(l.doubles[from:to]...)
	}
	part.release = l.release
	return part
}

// Map returns the list of f(v) for all elements v, stored as by Packed.
func (l List) Map(f func(float64) float64) List {
	out := make([]float64, l.Len())
	for i, v := range l.All() {
		out[i] = f(v)
	}
	return Packed(out)
}

// Bytes returns the elements if they are stored as bytes, and otherwise nil. The caller must not modify them.
func (l List) Bytes() []byte { return l.bytes }

// AreBytes reports whether all elements are integers from 0 to 255, however they are stored.
func (l List) AreBytes() bool {
	if l.facts != nil {
		return l.facts.Bytes
	}
	for _, part := range l.blocks() {
		for _, v := range part.doubles {
			if v != float64(uint8(v)) || math.Signbit(v) {
				return false
			}
		}
	}
	return true
}

// Missing reports whether an element is NaN.
func (l List) Missing() bool {
	if l.facts != nil {
		return l.facts.Missing
	}
	for _, part := range l.blocks() {
		if slices.ContainsFunc(part.doubles, math.IsNaN) {
			return true
		}
	}
	return false
}

// Finite reports whether no element is NaN or infinite. The fastest test is whether the sum of 0 times each element is
// 0.
func (l List) Finite() bool {
	if l.facts != nil {
		return l.facts.Finite
	}
	sum := 0.0
	for _, part := range l.blocks() {
		for _, v := range part.doubles {
			sum += 0 * v
		}
	}
	return sum == 0
}

// Doubles returns the elements as float64s. It copies them only if they are stored as bytes. The caller must not modify
// them.
func (l List) Doubles() []float64 {
	if l.bytes == nil {
		return l.doubles
	}
	l.wide.lock.Lock()
	defer l.wide.lock.Unlock()
	if first := l.wide.first.Value(); first != nil {
		return unsafe.Slice(first, len(l.bytes))
	}
	out := make([]float64, len(l.bytes))
	for i, b := range l.bytes {
		out[i] = float64(b)
	}
	l.wide.first = weak.Make(&out[0])
	return out
}

func (l List) String() string { return fmt.Sprint(l.Doubles()) }

// Start returns the address of the first element. Copies of a list, and parts that begin with its first element, have
// the same address.
func (l List) Start() unsafe.Pointer {
	if l.bytes != nil {
		return unsafe.Pointer(unsafe.SliceData(l.bytes))
	}
	return unsafe.Pointer(unsafe.SliceData(l.doubles))
}

// Equal reports whether two lists have the same elements. It treats NaN as equal to NaN.
func (l List) Equal(m List) bool {
	if l.Len() != m.Len() {
		return false
	}
	for i, v := range l.All() {
		if w := m.At(i); v != w && (v == v || w == w) {
			return false
		}
	}
	return true
}
