package ir

import "slices"

// Separate returns the number of outermost loops of a kernel whose iterations can be divided among threads: each
// iteration writes separate elements. Together they cover every element that is combined into, so that each iteration
// can initialise its own sums.
//
//	for i<28 j<512 k<128: sum b0[512·i + j]      2, if b0 has 28·512 elements
//	for i<128 k<512: sum b0[0]                   0: all iterations add to one element
func (k *Kernel) Separate(buffers []Buffer) int {
	for axes := len(k.Extents); axes > 0; axes-- {
		if !slices.ContainsFunc(k.Out, func(o Output) bool { return !o.separate(k, axes, buffers[o.Buf]) }) {
			return axes
		}
	}
	return 0
}

// pointsEach is the largest average number of points per separate iteration for which a kernel of the minimal size is
// shareable.
const pointsEach = 16

// Shareable reports whether a kernel has at least `least` points and enough separate iterations to divide them.
func (k *Kernel) Shareable(buffers []Buffer, least int) bool {
	n := k.Separate(buffers)
	return n > 0 && k.Points() >= least && points(k.Extents[:n])*pointsEach >= least
}

// separate reports whether each iteration of the `axes` outermost loops writes separate elements.
func (o *Output) separate(k *Kernel, axes int, b Buffer) bool {
	switch ix := o.Index; {
	case b.Type == I32:
		return false
	case o.Combine == Store:
		return true
	case ix.Const != 0 || ix.Step != 0 || len(ix.Dyn) > 0 || ix.Stride == nil:
		return false
	case slices.ContainsFunc(ix.Stride[axes:], func(s int) bool { return s != 0 }):
		return false
	default:
		return fills(ix.Stride[:axes], k.Extents[:axes], b.Size)
	}
}

// fills reports whether an index takes each of the values 0 to n − 1 exactly once.
func fills(strides, extents []int, n int) bool {
	var axes []int
	for a, e := range extents {
		if e != 1 {
			axes = append(axes, a)
		}
	}
	slices.SortFunc(axes, func(a, b int) int { return strides[a] - strides[b] })
	next := 1
	for _, a := range axes {
		if strides[a] != next {
			return false
		}
		next *= extents[a]
	}
	return next == n
}
