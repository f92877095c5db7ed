// Package netcdf writes netCDF-4 files: groups of arrays with named axes, in the layout that xarray and ArviZ read.
// Such a file is an HDF5 file in which each axis is a data set, called a dimension scale, to which arrays refer.
//
//	netcdf.Write(w, netcdf.Group{Groups: []netcdf.Group{{Name: "posterior",
//		Axes:   []netcdf.Axis{{Name: "draw", Size: 2}},
//		Arrays: []netcdf.Array{{Name: "mu", Axes: []string{"draw"}, Write: …}}}}})
//
// The sizes of all headers are independent of their addresses. A file can therefore be written front to back: first all
// headers, then array by array. Nothing is compressed.
//
// The format: The HDF Group, HDF5 File Format Specification Version 3.0; Unidata, NetCDF-4 File Format Specification
// (appendix B of the NetCDF User's Guide).
package netcdf

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// A Group holds axes, arrays over these axes, and subgroups.
type Group struct {
	Name       string
	Attributes []Attribute
	Axes       []Axis
	Arrays     []Array
	Groups     []Group
}

// An Attribute is a named text that describes a group or an array.
type Attribute struct{ Name, Text string }

// An Axis has Size coordinates: the integers from First on, or Labels if set.
type Axis struct {
	Name        string
	First, Size int
	Labels      []string // nil for integer coordinates
}

// write writes the integer coordinates in blocks, to limit memory.
func (a Axis) write(w io.Writer) error {
	const some = 1 << 13
	b := make([]byte, 0, 8*some)
	for from := 0; from < a.Size; from += some {
		b = b[:0]
		for k := from; k < min(from+some, a.Size); k++ {
			b = binary.LittleEndian.AppendUint64(b, uint64(a.First+k))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// A Kind is the type of an array's elements.
type Kind uint8

// Real and Int elements have 8 bytes; Bool elements have one byte.
const (
	Real Kind = iota
	Int
	Bool
)

// An Array has elements over some axes of its group. Write writes them row-major in little-endian order.
type Array struct {
	Name       string
	Kind       Kind
	Axes       []string
	Attributes []Attribute
	Write      func(w io.Writer) error
}

// Write writes a file whose root group is root. It returns errors of w and of the arrays' Write functions, and panics
// if an array writes a number of bytes that does not match its axes.
func Write(w io.Writer, root Group) error {
	f := &file{end: superblockSize}
	top := f.group(root)
	for _, d := range f.data {
		d.at = f.end
		f.end += d.size
	}
	head := superblock(top.at, f.end)
	for _, o := range f.objects { // all addresses are known now
		head = append(head, o.make()...)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	for _, d := range f.data {
		count := &counter{w: w}
		if err := d.write(count); err != nil {
			return err
		}
		if count.n != d.size {
			panic(fmt.Sprintf("internal error: %d bytes of an array that has %d", count.n, d.size))
		}
	}
	return nil
}

type counter struct {
	w io.Writer
	n int
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += n
	return n, err
}

// A file collects the objects and data blocks laid out so far. Objects come first in the file, then the data.
type file struct {
	end     int // next free address
	objects []*object
	data    []*block
}

// An object is a header or a heap at an address of the file. Its size does not depend on the addresses of other
// objects.
type object struct {
	at   int
	make func() []byte
}

// A block is the part of the file that holds the elements of an array.
type block struct {
	at, size int
	write    func(w io.Writer) error
}

// object reserves space for the bytes that make returns. It calls make once for the size and again after layout, when
// the addresses of other objects are known.
func (f *file) object(make func() []byte) *object {
	o := &object{at: f.end, make: make}
	f.end += len(make())
	f.objects = append(f.objects, o)
	return o
}

// group lays out a group with its axes, arrays and subgroups.
func (f *file) group(g Group) *object {
	members := []member{}
	sizes := map[string]int{}
	var axes []*object
	for _, a := range g.Axes {
		axes, sizes[a.Name] = append(axes, f.axis(a)), a.Size
		members = append(members, member{a.Name, axes[len(axes)-1]})
	}
	heap := f.heap(len(axes), func(k int) []byte { return address(nil, axes[k].at) })
	for _, a := range g.Arrays {
		shape, refers := []int{}, []reference{}
		for _, name := range a.Axes {
			k := slices.IndexFunc(g.Axes, func(x Axis) bool { return x.Name == name })
			shape, refers = append(shape, sizes[name]), append(refers, heap[k])
		}
		members = append(members, member{a.Name, f.array(a, shape, refers)})
	}
	for _, sub := range g.Groups {
		members = append(members, member{sub.Name, f.group(sub)})
	}
	return f.object(func() []byte {
		messages := [][]byte{message(linkInfo, noIndex()), message(groupInfo, []byte{0, 0})}
		for _, m := range members {
			messages = append(messages, message(link, linkTo(m)))
		}
		return header(append(messages, texts(g.Attributes)...))
	})
}

// A member is a named object in a group.
type member struct {
	name string
	*object
}

// axis lays out the data set of an axis.
func (f *file) axis(a Axis) *object {
	about := func() [][]byte {
		return texts([]Attribute{{"CLASS", "DIMENSION_SCALE"}, {"NAME", a.Name}})
	}
	if a.Labels == nil {
		return f.dataset(integer(8), []int{a.Size}, 8, about, a.write)
	}
	words := f.heap(len(a.Labels), func(k int) []byte { return []byte(a.Labels[k]) })
	return f.dataset(variableText(), []int{a.Size}, referenceSize, about, func(w io.Writer) error {
		var b []byte
		for k, at := range words {
			b = at.append(b, len(a.Labels[k]))
		}
		_, err := w.Write(b)
		return err
	})
}

// array lays out an array with references to its axes.
func (f *file) array(a Array, shape []int, axes []reference) *object {
	kind, width, about := real8(), 8, slices.Clone(a.Attributes)
	switch a.Kind {
	case Int:
		kind = integer(8)
	case Bool: // xarray marks truth values this way
		kind, width, about = integer(1), 1, append(about, Attribute{"dtype", "bool"})
	}
	return f.dataset(kind, shape, width, func() [][]byte {
		all := texts(about)
		if len(axes) > 0 {
			var list []byte
			for _, at := range axes {
				list = at.append(list, 1)
			}
			all = append(all, attributeOf("DIMENSION_LIST", variableList(objectReference()), simple(len(axes)), list))
		}
		return all
	}, a.Write)
}

// dataset lays out a data set with elements of the given type and width in bytes.
func (f *file) dataset(kind []byte, shape []int, width int, about func() [][]byte,
	write func(w io.Writer) error) *object {
	d := &block{size: width, write: write}
	for _, n := range shape {
		d.size *= n
	}
	f.data = append(f.data, d)
	return f.object(func() []byte {
		at := d.at
		if d.size == 0 {
			at = nowhere
		}
		layout := binary.LittleEndian.AppendUint64(address([]byte{3, 1}, at), uint64(d.size)) // version 3, contiguous
		return header(append([][]byte{message(dataspace, simple(shape...)), message(datatype, kind),
			// no explicit fill value
			message(fillValue, []byte{3, 10}), message(dataLayout, layout)}, about()...))
	})
}
