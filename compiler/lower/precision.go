package lower

import (
	"slices"

	"ppl/autodiff"
	"ppl/compiler/ir"
)

// A precision is that of a value. What no conversion says anything of is computed in double precision, and takes on
// that of what it meets: data are kept in both where both are read. Of two that conversions chose double precision
// wins, so that a part of what is single can be exact. Indices keep theirs. Cumulative sums and factorisations are
// double, between conversions.
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

// precisionOf is that of a result.
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

// arguments are those from number lo to below most.
type arguments struct{ lo, most int }

func (a arguments) hi(n int) int { return min(n, a.most) }

// numeric are the arguments whose elements, or what is made of them, are in the result.
func numeric(k autodiff.Kind) arguments {
	switch k {
	case autodiff.OpGather, autodiff.OpScatterAdd:
		return arguments{0, 1}
	case autodiff.OpSelect:
		return arguments{1, 3}
	}
	return arguments{0, 1 << 30}
}

// convert gives the numeric arguments of a kind its precision. A recurrence converts data itself, where it walks along
// them.
func (vs *values) convert(k autodiff.Kind, p precision, args []*value) []*value {
	if k == autodiff.OpSingle || k == autodiff.OpDouble {
		return args
	}
	out := slices.Clone(args)
	for i := numeric(k).lo; i < numeric(k).hi(len(args)); i++ {
		if a := args[i]; a != nil && !(k == autodiff.OpScan && i > 0 && a.precision == either) {
			out[i] = vs.as(p, a)
		}
	}
	return out
}

// onlyDouble reports kinds that lose too much in single precision.
func onlyDouble(k autodiff.Kind) bool {
	switch k {
	case autodiff.OpCumSum, autodiff.OpCholesky, autodiff.OpEigen, autodiff.OpTriSolve, autodiff.OpCholeskyPull:
		return true
	}
	return false
}

// as is v in a precision.
func (vs *values) as(p precision, v *value) *value {
	switch {
	case p == single && v.precision != single:
		return vs.single(v)
	case p == double && v.precision == single:
		return vs.double(v)
	}
	return v
}

// single converts data rather than what is taken from them.
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
				args[k] = vs.as(single, a)
			}
		}
		return vs.make(v.op, v.shape, args...)
	}
	return vs.narrow(autodiff.OpSingle, v.shape, []*value{v})
}

// double takes sums in double precision, and what is done with a few of them.
func (vs *values) double(v *value) *value {
	switch {
	case v.kind == autodiff.OpConst, v.kind == autodiff.OpData:
		return vs.make(v.op, v.shape)
	case v.kind == autodiff.OpSum:
		return vs.typed(v.op, v.shape, double, v.args...)
	case v.kind == autodiff.OpReshape:
		return vs.reshape(vs.as(double, v.args[0]), v.shape)
	case v.size() == 1 && (v.kind == autodiff.OpAdd || v.kind == autodiff.OpSub || v.kind == autodiff.OpMul ||
		v.kind == autodiff.OpNeg):
		args := make([]*value, len(v.args))
		for k, a := range v.args {
			args[k] = vs.as(double, a)
		}
		return vs.make(v.op, v.shape, args...)
	}
	return vs.narrow(autodiff.OpDouble, v.shape, []*value{v})
}
