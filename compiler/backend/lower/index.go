package lower

import (
	"strconv"

	"ppl/compiler/backend/ir"
)

// A coordinate of a value is an index expression over the loops of the kernel that reads it, represented by an
// ir.Index. Affine movement (broadcast, permute, slice, most reshapes) is arithmetic on coordinates at compile time and
// costs nothing when the kernel runs.

func fixed(c int) ir.Index { return ir.Index{Const: c} }

func shift(a ir.Index, by int) ir.Index {
	a.Const += by
	return a
}

func scale(a ir.Index, by int) ir.Index {
	if by == 0 {
		return ir.Index{}
	}
	out := ir.Index{Const: a.Const * by}
	for _, s := range a.Stride {
		out.Stride = append(out.Stride, s*by)
	}
	for _, d := range a.Dyn {
		d.Stride *= by
		out.Dyn = append(out.Dyn, d)
	}
	return out
}

func plus(a, b ir.Index) ir.Index {
	if len(a.Stride) < len(b.Stride) {
		a, b = b, a
	}
	out := ir.Index{Const: a.Const + b.Const, Stride: append([]int(nil), a.Stride...)}
	for k, s := range b.Stride {
		out.Stride[k] += s
	}
	out.Dyn = append(append(out.Dyn, a.Dyn...), b.Dyn...)
	return out
}

// flatten returns the row-major offset of a point in a shape.
func flatten(at []ir.Index, shape []int) ir.Index {
	var out ir.Index
	stride := 1
	for k := len(shape) - 1; k >= 0; k-- {
		if shape[k] != 1 {
			out = plus(out, scale(at[k], stride))
		}
		stride *= shape[k]
	}
	return out
}

// unflatten inverts flatten if the result is affine: each term of the offset belongs to the outermost axis whose stride
// divides it, provided that the rest stays below that stride. Otherwise ok is false.
func unflatten(flat ir.Index, shape, extents []int) (at []ir.Index, ok bool) {
	stride := size(shape)
	for _, n := range shape {
		stride /= n
		if n == 1 {
			at = append(at, ir.Index{})
			continue
		}
		var axis ir.Index
		axis, flat = divide(flat, stride)
		if lo, hi := flat.Span(extents); lo < 0 || hi >= stride {
			return nil, false
		}
		if lo, hi := axis.Span(extents); lo < 0 || hi >= n {
			return nil, false
		}
		at = append(at, axis)
	}
	return at, true
}

// divide splits an offset into quotient·by + rest, term by term.
func divide(a ir.Index, by int) (quotient, rest ir.Index) {
	quotient.Const, rest.Const = a.Const/by, a.Const%by
	quotient.Stride, rest.Stride = make([]int, len(a.Stride)), make([]int, len(a.Stride))
	for k, s := range a.Stride {
		if s%by == 0 {
			quotient.Stride[k] = s / by
		} else {
			rest.Stride[k] = s
		}
	}
	for _, d := range a.Dyn {
		if d.Stride%by == 0 {
			d.Stride /= by
			quotient.Dyn = append(quotient.Dyn, d)
		} else {
			rest.Dyn = append(rest.Dyn, d)
		}
	}
	return quotient, rest
}

// canonical removes a stride list that is all zero, so that equal indices have equal fields.
func canonical(a ir.Index) ir.Index {
	for _, s := range a.Stride {
		if s != 0 {
			return a
		}
	}
	a.Stride = nil
	return a
}

// appendKey appends a text that is equal for equal indices.
func appendKey(key []byte, a ir.Index) []byte {
	a = canonical(a)
	key = strconv.AppendInt(append(key, '|'), int64(a.Const), 10)
	key = strconv.AppendInt(append(key, '/'), int64(a.Step), 10)
	for _, s := range a.Stride {
		key = strconv.AppendInt(append(key, ','), int64(s), 10)
	}
	for _, d := range a.Dyn {
		key = strconv.AppendInt(append(key, '+'), int64(d.Reg), 10)
		key = strconv.AppendInt(append(key, '*'), int64(d.Stride), 10)
		key = strconv.AppendInt(append(key, '<'), int64(d.Limit), 10)
	}
	return key
}

func sameIndex(a, b ir.Index) bool {
	return string(appendKey(nil, a)) == string(appendKey(nil, b))
}

func size(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

// loops returns the extents of the kernel that runs over a shape: axes of one element need no loop.
func loops(shape []int) []int {
	var out []int
	for _, n := range shape {
		if n != 1 {
			out = append(out, n)
		}
	}
	return out
}

// identity returns the coordinates of the current point of a kernel with extents loops(shape), one for each axis of
// shape.
func identity(shape []int) []ir.Index {
	at := make([]ir.Index, len(shape))
	n, loop := len(loops(shape)), 0
	for k, s := range shape {
		if s == 1 {
			continue
		}
		at[k].Stride = make([]int, n)
		at[k].Stride[loop] = 1
		loop++
	}
	return at
}
