package host

import "ppl/compiler/backend/ir"

// maxPartial is the size of the largest buffer for which each tile has separate sums. For larger buffers, a single tile
// adds all points in order.
const maxPartial = 1024

// chooseTiles divides a kernel into tiles: entire rows of the outermost loop if no two rows write the same element;
// sequences of TilePoints points with partial sums if those are small; otherwise one tile. The division depends on the
// program alone, so sums have the same order for any number of threads.
func (k *kernelCode) chooseTiles() {
	k.tilePoints = max(1, k.points)
	if k.points <= ir.TilePoints {
		return
	}
	if row := k.rowPoints(); row < k.points {
		k.tilePoints = row * max(1, ir.TilePoints/row)
	} else if k.separable() {
		k.tilePoints = ir.TilePoints
		k.partial = true
	}
}

// rowPoints returns the number of points in an iteration of the outermost loop if iterations write different elements;
// otherwise the number of all points.
func (k *kernelCode) rowPoints() int {
	axis := 0
	for k.in.Extents[axis] == 1 {
		axis++
	}
	row := k.points / k.in.Extents[axis]
	for _, o := range k.in.Out {
		if len(o.Index.Dyn) > 0 || o.Index.Stride == nil || abs(o.Index.Stride[axis]) <= extent(o.Index.Stride[axis+1:],
			k.in.Extents[axis+1:]) {
			return k.points
		}
	}
	return row
}

// extent returns the largest distance between two elements that the loops visit.
func extent(strides, extents []int) int {
	r := 0
	for i, s := range strides {
		r += abs(s) * (extents[i] - 1)
	}
	return r
}

// separable reports whether tiles can run independently: no two points store to the same element, and combined results
// are small.
func (k *kernelCode) separable() bool {
	for _, o := range k.in.Out {
		w := newAffine(o.Index.Const, k.in.Extents, o.Index.Stride)
		if o.Combine == ir.Store && (len(o.Index.Dyn) > 0 || !w.injective()) ||
			o.Combine != ir.Store && k.c.program.Buffers[o.Buf].Size > maxPartial {
			return false
		}
	}
	return true
}
