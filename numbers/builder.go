package numbers

import "math"

// A Builder makes a list of one number after the other. It keeps a byte of each as long as all are bytes.
type Builder struct {
	room    int
	bytes   []byte
	doubles []float64 // nil: all are bytes
}

// Grow makes room for n numbers in all.
func (b *Builder) Grow(n int) { b.room = n }

// Add adds a number.
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

// List returns the list of what was added, which the builder has no longer.
func (b *Builder) List() (l List) {
	l = OfBytes(b.bytes)
	if b.doubles != nil {
		l = Of(b.doubles...)
	}
	*b = Builder{}
	return l
}
