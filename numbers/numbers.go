// Package numbers holds lists of numbers in the memory that they need: data of a file are often whole numbers from 0
// to 255, such as pixels, and then take a byte each and not eight. Of
//
//	numbers.Of(0.5, 2)                  two float64s
//	numbers.OfBytes([]byte{0, 17})      two bytes, which read as 0 and 17
//	numbers.Packed(x)                   bytes, if x is long and all of it are bytes; else x itself
//
// every reader sees the same float64s. A list does not change once it is made.
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

// A List is a list of numbers; the zero List is none at all.
type List struct {
	bytes   []byte
	doubles []float64
	wide    *wide  // of bytes
	facts   *Facts // nil: not known
}

// wide is a list of bytes as float64s, as long as somebody holds on to them: programs that need them so share them.
type wide struct {
	lock  sync.Mutex
	first weak.Pointer[float64]
}

// Of returns a list of some numbers, which are kept and not copied; of a nil slice it is none.
func Of(values ...float64) List {
	return List{doubles: values}
}

// OfBytes returns a list of whole numbers from 0 to 255, which are kept and not copied.
func OfBytes(values []byte) List {
	if len(values) == 0 {
		return Of([]float64{}...)
	}
	return List{bytes: values, wide: &wide{}}
}

// Many is the number of elements from which it is worth keeping a byte of each.
const Many = 1 << 16

// Packed returns a list of numbers in the least memory: of fewer than Many, as they are.
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

// Settled returns the list as a program keeps it: of fewer than Many, as float64s.
func (l List) Settled() List {
	if l.bytes == nil || len(l.bytes) >= Many {
		return l
	}
	return Of(l.Doubles()...)
}

// None reports whether there is no list; a list without elements is one.
func (l List) None() bool { return l.bytes == nil && l.doubles == nil }

// Len returns the number of elements.
func (l List) Len() int { return max(len(l.bytes), len(l.doubles)) }

// At returns the element at a place, from 0.
func (l List) At(i int) float64 {
	if l.bytes != nil {
		return float64(l.bytes[i])
	}
	return l.doubles[i]
}

// All returns the places and the elements, in order.
func (l List) All() iter.Seq2[int, float64] {
	return func(yield func(int, float64) bool) {
		for i, b := range l.bytes {
			if !yield(i, float64(b)) {
				return
			}
		}
		for i, v := range l.doubles {
			if !yield(i, v) {
				return
			}
		}
	}
}

// Part returns the elements from a place to before another.
func (l List) Part(from, to int) List {
	if l.bytes != nil {
		return OfBytes(l.bytes[from:to])
	}
	return Of(l.doubles[from:to]...)
}

// Map returns the list of a function's values, which begins again as float64s.
func (l List) Map(f func(float64) float64) List {
	out := make([]float64, l.Len())
	for i, v := range l.All() {
		out[i] = f(v)
	}
	return Packed(out)
}

// Bytes returns the elements where they are kept as bytes, else nil. Nobody may write to them.
func (l List) Bytes() []byte { return l.bytes }

// AreBytes reports whether all elements are whole numbers from 0 to 255, however they are kept.
func (l List) AreBytes() bool {
	if l.facts != nil {
		return l.facts.Bytes
	}
	for _, v := range l.doubles {
		if v != float64(uint8(v)) || math.Signbit(v) {
			return false
		}
	}
	return true
}

// Missing reports whether an element is NaN.
func (l List) Missing() bool {
	if l.facts != nil {
		return l.facts.Missing
	}
	return slices.ContainsFunc(l.doubles, math.IsNaN)
}

// Finite reports whether no element is NaN or infinite: then the sum of zero times each is zero, which is the fastest
// way to look.
func (l List) Finite() bool {
	if l.facts != nil {
		return l.facts.Finite
	}
	sum := 0.0
	for _, v := range l.doubles {
		sum += 0 * v
	}
	return sum == 0
}

// Doubles returns the elements as float64s: where they are kept so, themselves. Nobody may write to them.
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

// Start returns where the elements are: only a list and its copies have the same.
func (l List) Start() unsafe.Pointer {
	if l.bytes != nil {
		return unsafe.Pointer(unsafe.SliceData(l.bytes))
	}
	return unsafe.Pointer(unsafe.SliceData(l.doubles))
}

// Equal reports whether two lists have the same elements, of which NaN is one.
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
