package netcdf

import (
	"encoding/binary"
	"math/bits"
)

// This file encodes the parts of an HDF5 file. Comments give the sections of the HDF5 specification.

// nowhere is the undefined address, used for a part that does not exist.
const nowhere = -1

var order = binary.LittleEndian

func address(b []byte, at int) []byte { return order.AppendUint64(b, uint64(at)) }

const superblockSize = 48

// superblock encodes the file header (II.A, version 2): the addresses of the root group and of the end of the file.
func superblock(root, end int) []byte {
	b := []byte("\x89HDF\r\n\x1a\n\x02\x08\x08\x00")
	for _, at := range []int{0, nowhere, end, root} {
		b = address(b, at)
	}
	return order.AppendUint32(b, checksum(b))
}

// Types of header messages (IV.A.2).
const (
	dataspace  = 0x01
	linkInfo   = 0x02
	datatype   = 0x03
	fillValue  = 0x05
	link       = 0x06
	dataLayout = 0x08
	groupInfo  = 0x0a
	attribute  = 0x0c
)

func message(kind byte, content []byte) []byte {
	return append(append(order.AppendUint16([]byte{kind}, uint16(len(content))), 0), content...)
}

// header encodes an object header of version 2 (IV.A.1.b) in one chunk, whose size is stored in four bytes.
func header(messages [][]byte) []byte {
	size := 0
	for _, m := range messages {
		size += len(m)
	}
	b := order.AppendUint32([]byte("OHDR\x02\x02"), uint32(size))
	for _, m := range messages {
		b = append(b, m...)
	}
	return order.AppendUint32(b, checksum(b))
}

// noIndex encodes the link info (IV.A.2.c) of a group that stores all links in its header.
func noIndex() []byte { return address(address([]byte{0, 0}, nowhere), nowhere) }

// linkTo encodes a hard link (IV.A.2.g), with a name in UTF-8 whose length is stored in two bytes.
func linkTo(m member) []byte {
	b := order.AppendUint16([]byte{1, 0x11, 1}, uint16(len(m.name)))
	return address(append(b, m.name...), m.at)
}

// simple encodes the shape of an array (IV.A.2.b). Without arguments, it encodes a scalar.
func simple(shape ...int) []byte {
	b := []byte{2, byte(len(shape)), 0, 1}
	if len(shape) == 0 {
		b[3] = 0
	}
	for _, n := range shape {
		b = order.AppendUint64(b, uint64(n))
	}
	return b
}

// These functions encode element types (IV.A.2.d, version 1): class, class bits, size, properties.

func real8() []byte {
	return []byte{0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 0x03, 0, 0}
}

// integer encodes a signed integer of size bytes.
func integer(size byte) []byte { return []byte{0x10, 8, 0, 0, size, 0, 0, 0, 0, 0, 8 * size, 0} }

// fixedText encodes a zero-terminated UTF-8 string of n bytes.
func fixedText(n int) []byte { return order.AppendUint32([]byte{0x13, 0x10, 0, 0}, uint32(n)) }

func variableText() []byte {
	return append([]byte{0x19, 1, 1, 0, referenceSize, 0, 0, 0}, fixedText(1)...)
}

func variableList(of []byte) []byte {
	return append([]byte{0x19, 0, 0, 0, referenceSize, 0, 0, 0}, of...)
}

func objectReference() []byte { return []byte{0x17, 0, 0, 0, 8, 0, 0, 0} }

// attributeOf encodes an attribute (IV.A.2.m, version 3), with its name in UTF-8.
func attributeOf(name string, kind, space, value []byte) []byte {
	b := []byte{3, 0}
	for _, n := range []int{len(name) + 1, len(kind), len(space)} {
		b = order.AppendUint16(b, uint16(n))
	}
	b = append(append(append(b, 1), name...), 0)
	return message(attribute, append(append(append(b, kind...), space...), value...))
}

// longestText is the maximum length, in bytes, of an attribute's text; longer texts do not fit in a message and are
// cut.
const longestText = 60000

func texts(all []Attribute) (messages [][]byte) {
	for _, a := range all {
		text := append([]byte(a.Text[:min(len(a.Text), longestText)]), 0)
		messages = append(messages, attributeOf(a.Name, fixedText(len(text)), simple(), text))
	}
	return messages
}

// A reference is the position of a value in a heap.
type reference struct {
	heap  *object
	index int
}

const referenceSize = 16

// append appends a reference to a value of n elements (IV.B: storage of values of variable length).
func (r reference) append(b []byte, n int) []byte {
	return order.AppendUint32(address(order.AppendUint32(b, uint32(n)), r.heap.at), uint32(r.index))
}

const (
	heapValues  = 1000 // maximum number of values in one heap
	leastHeap   = 4096 // minimum size of a heap, in bytes
	heapHeading = 16
)

// heap stores n values in global heaps (III.E), and returns a reference to each value.
func (f *file) heap(n int, value func(k int) []byte) (at []reference) {
	for from := 0; from < n; from += heapValues {
		to := min(n, from+heapValues)
		o := f.object(func() []byte { return heapOf(from, to, value) })
		for k := from; k < to; k++ {
			at = append(at, reference{o, k - from + 1})
		}
	}
	return at
}

func heapOf(from, to int, value func(k int) []byte) []byte {
	var b []byte
	for k := from; k < to; k++ {
		v := value(k)
		b = order.AppendUint64(append(order.AppendUint16(b, uint16(k-from+1)), 1, 0, 0, 0, 0, 0), uint64(len(v)))
		b = append(append(b, v...), make([]byte, -len(v)&7)...)
	}
	free := max(heapHeading, leastHeap-heapHeading-len(b)) // object 0 describes the free space
	b = append(b, order.AppendUint64(make([]byte, 8), uint64(free))...)
	b = append(b, make([]byte, free-heapHeading)...)
	return append(order.AppendUint64([]byte("GCOL\x01\x00\x00\x00"), uint64(heapHeading+len(b))), b...)
}

// checksum returns the checksum of version 2 and 3 structures: hashlittle of lookup3.c (Bob Jenkins 2006) with initial
// value 0.
func checksum(data []byte) uint32 {
	start := 0xdeadbeef + uint32(len(data))
	a, b, c := start, start, start
	for len(data) > 12 {
		a, b, c = a+order.Uint32(data), b+order.Uint32(data[4:]), c+order.Uint32(data[8:])
		a, b, c = stir(a, b, c)
		data = data[12:]
	}
	if len(data) == 0 {
		return c
	}
	var last [12]byte
	copy(last[:], data)
	return settle(a+order.Uint32(last[:]), b+order.Uint32(last[4:]), c+order.Uint32(last[8:]))
}

// stir is the mix step of lookup3.
func stir(a, b, c uint32) (uint32, uint32, uint32) {
	for _, by := range [2][3]int{{4, 6, 8}, {16, 19, 4}} {
		a = (a - c) ^ bits.RotateLeft32(c, by[0])
		c += b
		b = (b - a) ^ bits.RotateLeft32(a, by[1])
		a += c
		c = (c - b) ^ bits.RotateLeft32(b, by[2])
		b += a
	}
	return a, b, c
}

// settle is the final step of lookup3.
func settle(a, b, c uint32) uint32 {
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	return (c ^ b) - bits.RotateLeft32(b, 24)
}
