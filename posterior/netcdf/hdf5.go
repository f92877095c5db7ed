package netcdf

import (
	"encoding/binary"
	"math/bits"
)

// The bytes of an HDF5 file, by the sections of its specification.

// nowhere is the address of what is not there.
const nowhere = -1

var order = binary.LittleEndian

func address(b []byte, at int) []byte { return order.AppendUint64(b, uint64(at)) }

const superblockSize = 48

// superblock is II.A, version 2: where the root group lies, and where the file ends.
func superblock(root, end int) []byte {
	b := []byte("\x89HDF\r\n\x1a\n\x02\x08\x08\x00")
	for _, at := range []int{0, nowhere, end, root} {
		b = address(b, at)
	}
	return order.AppendUint32(b, checksum(b))
}

// Types of messages in a header (IV.A.2).
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

// header is IV.A.1.b: an object header of version 2, in one chunk whose size has four bytes.
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

// noIndex is IV.A.2.c of a group whose links are all in its header.
func noIndex() []byte { return address(address([]byte{0, 0}, nowhere), nowhere) }

// linkTo is IV.A.2.g: a hard link, with its name in UTF-8 and of two bytes' length.
func linkTo(m member) []byte {
	b := order.AppendUint16([]byte{1, 0x11, 1}, uint16(len(m.name)))
	return address(append(b, m.name...), m.at)
}

// simple is IV.A.2.b: the shape of an array, a scalar without axes.
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

// Types of elements (IV.A.2.d), version 1: class, bits of the class, size, properties.

func real8() []byte {
	return []byte{0x11, 0x20, 63, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 0x03, 0, 0}
}

// integer has a sign.
func integer(size byte) []byte { return []byte{0x10, 8, 0, 0, size, 0, 0, 0, 0, 0, 8 * size, 0} }

// fixedText ends with a zero and is in UTF-8.
func fixedText(n int) []byte { return order.AppendUint32([]byte{0x13, 0x10, 0, 0}, uint32(n)) }

func variableText() []byte {
	return append([]byte{0x19, 1, 1, 0, referenceSize, 0, 0, 0}, fixedText(1)...)
}

func variableList(of []byte) []byte {
	return append([]byte{0x19, 0, 0, 0, referenceSize, 0, 0, 0}, of...)
}

func objectReference() []byte { return []byte{0x17, 0, 0, 0, 8, 0, 0, 0} }

// attributeOf is IV.A.2.m, version 3, with its name in UTF-8.
func attributeOf(name string, kind, space, value []byte) []byte {
	b := []byte{3, 0}
	for _, n := range []int{len(name) + 1, len(kind), len(space)} {
		b = order.AppendUint16(b, uint16(n))
	}
	b = append(append(append(b, 1), name...), 0)
	return message(attribute, append(append(append(b, kind...), space...), value...))
}

// longestText is the length of an attribute that its message can hold.
const longestText = 60000

func texts(all []Attribute) (messages [][]byte) {
	for _, a := range all {
		text := append([]byte(a.Text[:min(len(a.Text), longestText)]), 0)
		messages = append(messages, attributeOf(a.Name, fixedText(len(text)), simple(), text))
	}
	return messages
}

// A reference is a value in a heap.
type reference struct {
	heap  *object
	index int
}

const referenceSize = 16

// append writes a reference to a value of n elements (IV.B: how values of variable length are stored).
func (r reference) append(b []byte, n int) []byte {
	return order.AppendUint32(address(order.AppendUint32(b, uint32(n)), r.heap.at), uint32(r.index))
}

const (
	heapValues  = 1000 // values of one heap
	leastHeap   = 4096 // bytes
	heapHeading = 16
)

// heap lays values out in heaps (III.E), and says where each is.
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
	free := max(heapHeading, leastHeap-heapHeading-len(b)) // the object 0 is what is free
	b = append(b, order.AppendUint64(make([]byte, 8), uint64(free))...)
	b = append(b, make([]byte, free-heapHeading)...)
	return append(order.AppendUint64([]byte("GCOL\x01\x00\x00\x00"), uint64(heapHeading+len(b))), b...)
}

// checksum is Jenkins' hash of version 2 and 3 structures: Bob Jenkins 2006, lookup3.c, hashlittle with initial value
// 0.
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

// stir is lookup3's mix.
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

// settle is lookup3's final.
func settle(a, b, c uint32) uint32 {
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	return (c ^ b) - bits.RotateLeft32(b, 24)
}
