package arrow

import (
	flatbuffers "github.com/google/flatbuffers/go"
)

// An otherType is the error of a column whose type is not supported.
type otherType struct{ error }

// A layout describes the buffers of a column, and of its children, in a batch. Each column and each child also has a
// node.
type layout struct {
	buffers  int
	view     bool // whether it has further buffers, whose number the batch declares
	children []*layout
}

// fieldChildren is the number of the field with the children of a Field.
const fieldChildren = 5

// deepest is the largest nesting depth of types.
const deepest = 64

// layoutOf returns the layout of a column whose type is not supported, according to the columnar format
// (arrow.apache.org/docs/format/Columnar.html). It returns nil if types are nested too deeply.
func layoutOf(t fields, depth int) *layout {
	kind := t.byte(fieldKind)
	l := &layout{buffers: 2}
	if _, ok := t.table(fieldDictionary); ok {
		return l
	}
	of, _ := t.table(fieldType)
	switch kind {
	case typeNull, 22: // run-end encoding has children alone
		l.buffers = 0
	case 4, typeText, 19, typeLargeText, 25, 26: // bytes, texts and list views, with offsets
		l.buffers = 3
	case 13, 16: // records and lists of one length
		l.buffers = 1
	case 14:
		l.buffers = 1 + int(of.int16(0, 0)) // a dense union has offsets
	case 23, typeTextView:
		l.buffers, l.view = 2, true
	}
	from, n := t.vector(fieldChildren, 4)
	if depth == deepest {
		return nil
	}
	for i := range n {
		at := t
		at.Pos = t.Indirect(from + 4*flatbuffers.UOffsetT(i))
		child := layoutOf(at, depth+1)
		if child == nil {
			return nil
		}
		l.children = append(l.children, child)
	}
	return l
}

// skip removes the nodes and buffers of a column from the lists of the batch.
func (b *batchReader) skip(l *layout) error {
	if l == nil || len(b.sizes) == 0 || len(b.buffers) < l.buffers {
		return b.in.damaged("a batch lacks values")
	}
	b.sizes, b.buffers = b.sizes[1:], b.buffers[l.buffers:]
	if l.view {
		if len(b.views) == 0 || b.views[0] < 0 || b.views[0] > int64(len(b.buffers)) {
			return b.in.damaged("a batch lacks texts")
		}
		b.buffers, b.views = b.buffers[b.views[0]:], b.views[1:]
	}
	for _, child := range l.children {
		if err := b.skip(child); err != nil {
			return err
		}
	}
	return nil
}

// nodes returns the number of nodes of all columns and their children.
func nodes(all []schemaField) (n int) {
	var count func(l *layout)
	count = func(l *layout) {
		n++
		if l != nil {
			for _, child := range l.children {
				count(child)
			}
		}
	}
	for _, f := range all {
		count(f.skipped)
	}
	return n
}
