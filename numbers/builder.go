package numbers

import "math"

// A Builder makes a List by appending numbers. It stores them as bytes while all are integers from 0 to 255.
type Builder struct {
	Room Room // stores lists of at least Many numbers whose length Grow has set; nil: all lists are on the heap

	length  int // number of elements to allocate
	bytes   []byte
	doubles []float64 // nil while all numbers are bytes
	area    Area      // has the numbers before those in bytes or doubles; nil: there are none
	written int       // number of bytes written to area
}

// Grow sets the number of elements for which the next allocation has space.
func (b *Builder) Grow(n int) { b.length = n }

// Add appends a number.
func (b *Builder) Add(v float64) {
	isByte := v == float64(uint8(v)) && !math.Signbit(v)
	if b.doubles == nil && isByte {
		if b.bytes == nil {
			b.bytes = make([]byte, 0, b.begin(1))
		}
		b.bytes = append(b.bytes, byte(v))
	} else {
		if b.doubles == nil {
			b.widen()
		}
		b.doubles = append(b.doubles, v)
	}
	if b.area != nil && len(b.bytes)+len(b.doubles) == blockLength {
		b.spill()
	}
}

// begin takes an area for numbers of some bytes each if the list is long, and returns how many numbers are to be held
// on the heap.
func (b *Builder) begin(size int) int {
	b.area, b.written = nil, 0
	if b.Room == nil || b.length < Many {
		return b.length
	}
	area, ok := b.Room.Take(size * b.length)
	if !ok {
		return b.length
	}
	b.area = area
	return blockLength
}

// widen makes float64s of the bytes so far.
func (b *Builder) widen() {
	all := b.soFar()
	b.bytes = nil
	n := b.begin(8)
	if b.area == nil {
		n = max(n, all.Len()+1)
	}
	b.doubles = make([]float64, 0, n)
	for _, v := range all.All() {
		b.Add(v)
	}
}

// spill writes the numbers on the heap to the area. If that fails, as on a full disk, or if there are more numbers than
// Grow announced, the list is kept on the heap.
func (b *Builder) spill() {
	raw := b.bytes
	if b.doubles != nil {
		raw = Of(b.doubles...).Raw()
	}
	fits := b.written+len(raw) <= len(b.area.Bytes())
	if fits {
		_, err := b.area.WriteAt(raw, int64(b.written))
		fits = err == nil
	}
	if !fits {
		b.moveToHeap()
		return
	}
	b.written += len(raw)
	b.bytes, b.doubles = b.bytes[:0], b.doubles[:0]
}

// moveToHeap copies the numbers in the area to the heap, where the list stays.
func (b *Builder) moveToHeap() {
	before := b.area.Bytes()[:b.written]
	if b.doubles == nil {
		b.bytes = append(append(make([]byte, 0, b.length), before...), b.bytes...)
	} else {
		b.doubles = append(append(make([]float64, 0, b.length), asDoubles(before)...), b.doubles...)
	}
	b.area, b.Room = nil, nil
}

// soFar returns the list of the appended numbers.
func (b *Builder) soFar() List {
	if b.area != nil && len(b.bytes)+len(b.doubles) > 0 {
		b.spill()
	}
	switch {
	case b.area != nil:
		return InArea(b.area.Bytes()[:b.written], b.doubles == nil, b.area.Release)
	case b.doubles != nil:
		return Of(b.doubles...)
	}
	return OfBytes(b.bytes)
}

// List returns the list of the appended numbers, and empties the builder.
func (b *Builder) List() List {
	l := b.soFar()
	*b = Builder{Room: b.Room}
	return l
}
