package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
)

// minState is the least number of elements of lane buffers that a program of single precision stores in F32.
const minState = 1 << 12

// A precision is the number type in which a value is computed. If no conversion determines the precision of a value, as
// for data, the value takes the precision of the values with which it is combined, and double precision otherwise; data
// are stored in both precisions if both are read. If a conversion to single and one to double precision are combined,
// the result is double, so that a part of a single-precision density can be exact. Indices keep their precision.
// Cumulative sums and factorisations are always double, with conversions before and after.
type precision byte

const (
	either precision = iota
	double
	single
)

func (p precision) typ() ir.Type {
	if p == single {
		return ir.F32
	}
	return ir.F64
}

// precisionOf returns the precision of a result.
func precisionOf(k autodiff.Kind, args []*value) precision {
	switch k {
	case autodiff.OpSingle:
		return single
	case autodiff.OpDouble:
		return double
	}
	p := either
	for _, a := range args[numeric(k).lo:numeric(k).hi(len(args))] {
		switch {
		case a == nil || a.precision == either:
		case a.precision == double:
			return double
		default:
			p = single
		}
	}
	return p
}

// arguments is a range of argument numbers: lo ≤ i < most.
type arguments struct{ lo, most int }

func (a arguments) hi(n int) int { return min(n, a.most) }

// numeric returns the arguments whose elements, or functions of them, are in the result. The other arguments are
// indices and conditions.
func numeric(k autodiff.Kind) arguments {
	switch k {
	case autodiff.OpGather, autodiff.OpScatterAdd:
		return arguments{0, 1}
	case autodiff.OpSelect:
		return arguments{1, 3}
	}
	return arguments{0, 1 << 30}
}

// convert converts the numeric arguments of a kind to the precision of its result. A Scan is an exception: it converts
// data when it reads their rows.
func (vs *values) convert(k autodiff.Kind, p precision, args []*value) []*value {
	if k == autodiff.OpSingle || k == autodiff.OpDouble {
		return args
	}
	out := slices.Clone(args)
	for i := numeric(k).lo; i < numeric(k).hi(len(args)); i++ {
		if a := args[i]; a != nil && !(k == autodiff.OpScan && i > 0 && a.precision == either) {
			out[i] = vs.inPrecision(p, a)
		}
	}
	return out
}

// onlyDouble reports whether a kind loses too much accuracy in single precision.
func onlyDouble(k autodiff.Kind) bool {
	switch k {
	case autodiff.OpCumSum, autodiff.OpCholesky, autodiff.OpEigen, autodiff.OpTriSolve, autodiff.OpCholeskyPull:
		return true
	}
	return false
}

// inPrecision returns v converted to a precision.
func (vs *values) inPrecision(p precision, v *value) *value {
	switch {
	case p == single && v.precision != single:
		return vs.single(v)
	case p == double && v.precision == single:
		return vs.double(v)
	}
	return v
}

// single converts a value to single precision. It converts data before elements are moved or selected, so that the
// conversion is done once.
func (vs *values) single(v *value) *value {
	switch v.kind {
	case autodiff.OpConst, autodiff.OpData:
		return vs.typed(v.op, v.shape, single)
	case autodiff.OpDouble:
		return v.args[0]
	case autodiff.OpBroadcast, autodiff.OpPermute, autodiff.OpReshape, autodiff.OpSlice, autodiff.OpGather:
		args := slices.Clone(v.args)
		args[0] = vs.single(args[0])
		return vs.make(v.op, v.shape, args...)
	case autodiff.OpConcat:
		args := slices.Clone(v.args)
		for k, a := range args {
			if a != nil {
				args[k] = vs.inPrecision(single, a)
			}
		}
		return vs.make(v.op, v.shape, args...)
	}
	return vs.narrow(autodiff.OpSingle, v.shape, []*value{v})
}

// double converts a value to double precision. Sums, and scalar arithmetic on them, are instead computed in double
// precision.
func (vs *values) double(v *value) *value {
	switch {
	case v.kind == autodiff.OpConst, v.kind == autodiff.OpData:
		return vs.make(v.op, v.shape)
	case v.kind == autodiff.OpSum:
		return vs.typed(v.op, v.shape, double, v.args...)
	case v.kind == autodiff.OpReshape:
		return vs.reshape(vs.inPrecision(double, v.args[0]), v.shape)
	case v.size() == 1 && (v.kind == autodiff.OpAdd || v.kind == autodiff.OpSub || v.kind == autodiff.OpMul ||
		v.kind == autodiff.OpNeg):
		args := make([]*value, len(v.args))
		for k, a := range v.args {
			args[k] = vs.inPrecision(double, a)
		}
		return vs.make(v.op, v.shape, args...)
	}
	return vs.narrow(autodiff.OpDouble, v.shape, []*value{v})
}
