package host

import "ppl/compiler/ir"

// maxPartial is the size of the largest buffer that tiles sum into separately. Larger ones take all points in order.
const maxPartial = 1024

// cut chooses the tiles: whole rows of the outermost loop where no two rows meet in an output; runs of TilePoints
// points with partial sums where these are small; else one tile. It depends on the program alone.
func (k *kernelCode) cut() {
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

// rowPoints is the number of points in a turn of the outermost loop, if turns write apart from one another; else all
// points.
func (k *kernelCode) rowPoints() int {
	axis := 0
	for k.in.Extents[axis] == 1 {
		axis++
	}
	row := k.points / k.in.Extents[axis]
	for _, o := range k.in.Out {
		if len(o.Index.Dyn) > 0 || o.Index.Stride == nil || abs(o.Index.Stride[axis]) <= reach(o.Index.Stride[axis+1:],
			k.in.Extents[axis+1:]) {
			return k.points
		}
	}
	return row
}

// reach is the farthest apart two elements are that the loops visit.
func reach(strides, extents []int) int {
	r := 0
	for i, s := range strides {
		r += abs(s) * (extents[i] - 1)
	}
	return r
}

// separable reports whether tiles can run apart: stores never meet, and what is combined is small.
func (k *kernelCode) separable() bool {
	for _, o := range k.in.Out {
		w := newWalk(o.Index.Const, k.in.Extents, o.Index.Stride)
		if o.Combine == ir.Store && (len(o.Index.Dyn) > 0 || !w.injective()) ||
			o.Combine != ir.Store && k.c.program.Buffers[o.Buf].Size > maxPartial {
			return false
		}
	}
	return true
}
