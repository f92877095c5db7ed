package numbers

import "math"

// A Builder makes a List by appending numbers. It stores them as bytes while all are integers from 0 to 255.
type Builder struct {
	room    int // number of elements to allocate
	bytes   []byte
	doubles []float64 // nil while all numbers are bytes
}

// Grow sets the number of elements for which the next allocation has space.
func (b *Builder) Grow(n int) { b.room = n }

// Add appends a number.
func (b *Builder) Add(v float64) {
	isByte := v == float64(uint8(v)) && !math.Signbit(v)
	if b.doubles == nil && isByte {
		if b.bytes == nil {
			b.bytes = make([]byte, 0, b.room)
		}
		b.bytes = append(b.bytes, byte(v))
		return
	}
	if b.doubles == nil {
		b.doubles = make([]float64, 0, max(b.room, len(b.bytes)+1))
		for _, v := range b.bytes {
			b.doubles = append(b.doubles, float64(v))
		}
		b.bytes = nil
	}
	b.doubles = append(b.doubles, v)
}

// List returns the list of the appended numbers, and empties the builder.
func (b *Builder) List() (l List) {
	l = OfBytes(b.bytes)
	if b.doubles != nil {
		l = Of(b.doubles...)
	}
	*b = Builder{}
	return l
}
