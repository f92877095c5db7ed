package numbers

import (
	"io"
	"iter"
	"unsafe"
)

// A Room keeps long lists outside the memory of the process, such as in a file that is mapped.
type Room interface {
	// Take returns an area of some bytes. It returns false if there is none; then the list is kept on the heap.
	Take(bytes int) (Area, bool)
}

// An Area is a part of a Room for one list. It begins at a multiple of 64 bytes.
type Area interface {
	io.WriterAt
	// Bytes returns the contents, which can only be read, and which show what is written later.
	Bytes() []byte
	// Release frees the memory of the process for a part of Bytes, which keeps its contents.
	Release(part []byte)
}

// InArea returns a list of the contents of an area, which are bytes, or float64s as they are in memory. A pass over the
// list calls release for each part that it has read, so that little of the list is in memory at a time.
func InArea(contents []byte, areBytes bool, release func(part []byte)) (l List) {
	switch {
	case len(contents) == 0:
		return Of([]float64{}...)
	case areBytes:
		l = OfBytes(contents)
	default:
		l = Of(asDoubles(contents)...)
	}
	l.release = release
	return l
}

func asDoubles(raw []byte) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(raw))), len(raw)/8)
}

// Raw returns the memory of the elements. Nobody may write to it.
func (l List) Raw() []byte {
	if l.bytes != nil {
		return l.bytes
	}
	return unsafe.Slice((*byte)(l.Start()), 8*l.Len())
}

// blockLength is the number of elements that a pass over a list in an area reads before it releases them.
const blockLength = 1 << 16

// blocks returns the elements in parts, with the place of the first element of each: of a list on the heap, in one
// part. A part of a list in an area is released after its use.
func (l List) blocks() iter.Seq2[int, List] {
	return func(yield func(int, List) bool) {
		length := l.Len()
		if l.release != nil {
			length = blockLength
		}
		for at := 0; at < l.Len(); at += length {
			part := l.Part(at, min(at+length, l.Len()))
			more := yield(at, part)
			part.free()
			if !more {
				return
			}
		}
	}
}

// free releases the elements of a list in an area.
func (l List) free() {
	if l.release != nil {
		l.release(l.Raw())
	}
}
