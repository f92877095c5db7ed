package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// A part is the range lo ≤ i < hi of the axis of a concatenation, and the value there.
type part struct {
	lo, hi int
	value  *value // nil if the part is zeros
}

func (vs *values) parts(axis int, args []*value) []part {
	var out []part
	lo := 0
	for _, a := range args {
		hi := lo + a.shape[axis]
		out = append(out, part{lo, hi, a})
		lo = hi
	}
	return out
}

// concatParts returns the parts of a value that concat made. Op.Lo and Op.Hi of a Concat hold the ends of its parts.
func concatParts(v *value) []part {
	out := make([]part, len(v.args))
	for k, a := range v.args {
		out[k] = part{v.op.Lo[k], v.op.Hi[k], a}
	}
	return out
}

// concat joins consecutive parts that fill the axis. A part that is itself a concatenation along the same axis is
// replaced by its parts.
func (vs *values) concat(axis int, shape []int, parts []part) *value {
	op := autodiff.Op{Kind: autodiff.OpConcat, Axes: []int{axis}}
	var args []*value
	parts = flatParts(axis, parts)
	if rows := wholeScan(axis, parts); rows != nil {
		return vs.reshape(rows, shape)
	}
	for _, p := range parts {
		last := len(args) - 1
		if p.value == nil && last >= 0 && args[last] == nil {
			op.Hi[last] = p.hi
			continue
		}
		args = append(args, p.value)
		op.Lo, op.Hi = append(op.Lo, p.lo), append(op.Hi, p.hi)
	}
	switch {
	case len(args) == 1 && args[0] != nil:
		return args[0]
	case len(args) == 1:
		return vs.constant(0, shape)
	}
	if v := vs.joinedPermutes(op, shape, args); v != nil {
		return v
	}
	return vs.make(op, shape, args...)
}

func flatParts(axis int, parts []part) []part {
	var out []part
	for _, p := range parts {
		switch v := p.value; {
		case p.lo == p.hi:
		case v != nil && v.kind == autodiff.OpConst && v.op.Value == 0:
			out = append(out, part{p.lo, p.hi, nil})
		case v != nil && v.kind == autodiff.OpConcat && v.op.Axes[0] == axis:
			for _, q := range concatParts(v) {
				out = append(out, part{p.lo + q.lo, p.lo + q.hi, q.value})
			}
		default:
			out = append(out, p)
		}
	}
	return out
}

// pad adds zeros before and after, one axis at a time.
func (vs *values) pad(x *value, before, after []int) *value {
	for k := range x.shape {
		if before[k] == 0 && after[k] == 0 {
			continue
		}
		shape := slices.Clone(x.shape)
		end := before[k] + shape[k]
		shape[k] = end + after[k]
		x = vs.concat(k, shape, []part{{0, before[k], nil}, {before[k], end, x}, {end, shape[k], nil}})
	}
	return x
}

// gatherConcats reorders additions so that concatenations become neighbours: it rewrites (x + p) + q to x + (p + q) if
// p and q are concatenations. It returns nil if that does not apply.
func (vs *values) gatherConcats(a, b *value) *value {
	if v := vs.addConcats(a, b); v != nil {
		return v
	}
	for _, t := range [][2]*value{{a, b}, {b, a}} {
		sum, p := t[0], t[1]
		if sum.kind != autodiff.OpAdd {
			continue
		}
		for k, q := range sum.args {
			if v := vs.addConcats(q, p); v != nil {
				return vs.apply(autodiff.OpAdd, sum.args[1-k], v)
			}
		}
	}
	return nil
}

// addConcats adds two concatenations along one axis part by part. Parts that are not zero must coincide or not overlap;
// otherwise the result is nil. Sums of gradients of slices have this form.
func (vs *values) addConcats(a, b *value) *value {
	if a.kind != autodiff.OpConcat || b.kind != autodiff.OpConcat || a.op.Axes[0] != b.op.Axes[0] {
		return nil
	}
	all := append(nonzero(concatParts(a)), nonzero(concatParts(b))...)
	slices.SortStableFunc(all, func(p, q part) int { return p.lo - q.lo })
	axis := a.op.Axes[0]
	var parts []part
	end := 0
	for _, p := range all {
		last := len(parts) - 1
		switch {
		case last >= 0 && parts[last].lo == p.lo && parts[last].hi == p.hi:
			parts[last].value = vs.apply(autodiff.OpAdd, parts[last].value, p.value)
			continue
		case p.lo < end:
			return nil
		case p.lo > end:
			parts = append(parts, part{end, p.lo, nil})
		}
		parts = append(parts, p)
		end = p.hi
	}
	if n := a.shape[axis]; end < n {
		parts = append(parts, part{end, n, nil})
	}
	return vs.concat(axis, a.shape, parts)
}

func nonzero(parts []part) []part {
	return slices.DeleteFunc(parts, func(p part) bool { return p.value == nil })
}

// slice returns a slice of x. A slice within one part of a concatenation becomes a slice of that part.
func (vs *values) slice(x *value, lo, hi, shape []int) *value {
	if x.kind == autodiff.OpConcat {
		axis := x.op.Axes[0]
		for _, p := range concatParts(x) {
			if lo[axis] < p.lo || hi[axis] > p.hi {
				continue
			}
			if p.value == nil {
				return vs.constant(0, shape)
			}
			lo, hi = slices.Clone(lo), slices.Clone(hi)
			lo[axis], hi[axis] = lo[axis]-p.lo, hi[axis]-p.lo
			return vs.slice(p.value, lo, hi, shape)
		}
	}
	if sameShape(x.shape, shape) {
		return x
	}
	if vs.layout == ir.Apart && x.kind == autodiff.OpPermute {
		return vs.slicedPermute(x, lo, hi, shape)
	}
	return vs.make(autodiff.Op{Kind: autodiff.OpSlice, Lo: lo, Hi: hi}, shape, x)
}

// wholeScan recognises a concatenation of a Scan's first row and its later rows, which is how recurrences are written,
// and returns the Scan, which is stored as one array. It returns nil for other parts.
func wholeScan(axis int, parts []part) *value {
	if axis != 0 || len(parts) != 2 {
		return nil
	}
	for k, p := range parts {
		first := parts[1-k].value
		if first == nil || p.value == nil || base(p.value).kind != autodiff.OpSlice {
			continue
		}
		cut := base(p.value)
		scan := cut.args[0]
		lo, hi := make([]int, len(cut.shape)), slices.Clone(scan.shape)
		if k == 1 {
			lo[0] = 1
		} else {
			hi[0]--
		}
		if scan.kind == autodiff.OpScan && scan.op.Reverse == (k == 0) && slices.Equal(cut.op.Lo, lo) &&
			slices.Equal(cut.op.Hi, hi) && sameElements(first, scan.args[0]) {
			return scan
		}
	}
	return nil
}
