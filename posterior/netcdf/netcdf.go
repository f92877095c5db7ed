// Package netcdf writes netCDF-4 files: groups of arrays with named axes, as xarray and ArviZ read them. Such a file is
// an HDF5 file in which the axes are data sets of their own, to which arrays refer (dimension scales).
//
//	netcdf.Write(w, netcdf.Group{Groups: []netcdf.Group{{Name: "posterior",
//		Axes:   []netcdf.Axis{{Name: "draw", Size: 2}},
//		Arrays: []netcdf.Array{{Name: "mu", Axes: []string{"draw"}, Write: …}}}}})
//
// Everything but the numbers has a size that does not depend on where it lies, so that a file is written from its
// beginning to its end: first what describes it, then array by array. Nothing is compressed.
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

// A Group has axes, arrays over them, and groups.
type Group struct {
	Name       string
	Attributes []Attribute
	Axes       []Axis
	Arrays     []Array
	Groups     []Group
}

// An Attribute is text about a group or an array.
type Attribute struct{ Name, Text string }

// An Axis of a group has a coordinate for each of its Size places: the numbers from First on, or Labels.
type Axis struct {
	Name        string
	First, Size int
	Labels      []string // nil for numbers
}

// write writes the numbers, some at a time.
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

// Elements of 8 bytes, and truth values of one byte.
const (
	Real Kind = iota
	Int
	Bool
)

// An Array has elements over some axes of its group, row-major, which Write writes in little-endian order.
type Array struct {
	Name       string
	Kind       Kind
	Axes       []string
	Attributes []Attribute
	Write      func(w io.Writer) error
}

// Write writes a file with one group at its root. It gives an error of w, or of an array's Write; one that writes
// another number of bytes than its axes have is a broken invariant.
func Write(w io.Writer, root Group) error {
	f := &file{end: superblockSize}
	top := f.group(root)
	for _, d := range f.data {
		d.at = f.end
		f.end += d.size
	}
	head := superblock(top.at, f.end)
	for _, o := range f.objects { // each has its place now
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

// A file is what has been laid out so far: objects, then the numbers of arrays.
type file struct {
	end     int // the next free place
	objects []*object
	data    []*block
}

// An object is a header or a heap at a place in the file. Its size does not depend on the places of others.
type object struct {
	at   int
	make func() []byte
}

// A block is where the numbers of an array lie.
type block struct {
	at, size int
	write    func(w io.Writer) error
}

// object takes room for what make gives, which may name the places of other objects.
func (f *file) object(make func() []byte) *object {
	o := &object{at: f.end, make: make}
	f.end += len(make())
	f.objects = append(f.objects, o)
	return o
}

// group lays out a group and what is in it.
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

// A member is what a group calls by a name.
type member struct {
	name string
	*object
}

// axis lays out a coordinate: a data set that arrays refer to.
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

// array lays out an array that refers to its axes.
func (f *file) array(a Array, shape []int, axes []reference) *object {
	kind, width, about := real8(), 8, slices.Clone(a.Attributes)
	switch a.Kind {
	case Int:
		kind = integer(8)
	case Bool: // as xarray marks them
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

// dataset lays out an array of elements of a type and a width.
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
		layout := binary.LittleEndian.AppendUint64(address([]byte{3, 1}, at), uint64(d.size)) // version 3, in one piece
		return header(append([][]byte{message(dataspace, simple(shape...)), message(datatype, kind),
			message(fillValue, []byte{3, 10}), message(dataLayout, layout)}, about()...)) // no fill value of its own
	})
}
