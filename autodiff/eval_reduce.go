package autodiff

import (
	"math"
	"slices"
)

// fold reduces x over the axes of a Sum, Max, Min or LogSumExp.
func fold(n Node, x []float64) []float64 {
	switch n.op.Kind {
	case OpMax:
		return combine(n, x, OpMaximum.Row().Binary)
	case OpMin:
		return combine(n, x, OpMinimum.Row().Binary)
	case OpLogSumExp:
		return logSumExp(n, x)
	}
	return combine(n, x, OpAdd.Row().Binary)
}

func combine(n Node, x []float64, f func(x, y float64) float64) []float64 {
	out := constant(nothing(n.op.Kind), n.Size())
	for i, o := range Reduced(n) {
		out[o] = f(out[o], x[i])
	}
	return out
}

// logSumExp returns m + log Σ exp(x − m) with m = max x, or m if m is infinite.
func logSumExp(n Node, x []float64) []float64 {
	most := combine(n, x, OpMaximum.Row().Binary)
	sums := make([]float64, n.Size())
	for i, o := range Reduced(n) {
		sums[o] += math.Exp(x[i] - most[o])
	}
	return mapBinary(func(m, s float64) float64 {
		if math.IsInf(m, 0) {
			return m
		}
		return m + math.Log(s)
	}, most, sums)
}

// Reduced maps each element of a reduction's argument to the element of the result to which it contributes.
func Reduced(n Node) []int {
	shape := n.args[0].Shape()
	strides, to := make([]int, len(shape)), stridesOf(n.Shape())
	for k := range shape {
		if !slices.Contains(n.op.Axes, k) {
			strides[k], to = to[0], to[1:]
		}
	}
	return offsets(shape, 0, strides)
}

func cumSum(n Node, x []float64) []float64 { return Cumulated(n, x, OpAdd.Row().Binary) }

// Cumulated returns the value of a CumSum whose argument has values x. T may be any type of number.
func Cumulated[T any](n Node, x []T, plus func(x, y T) T) []T {
	out, axis, shape := slices.Clone(x), n.op.Axes[0], n.Shape()
	step, length := stridesOf(shape)[axis], shape[axis]
	for outer := 0; outer < len(x); outer += step * length {
		for inner := range step {
			for i := 1; i < length; i++ {
				at, before := outer+inner+i*step, outer+inner+(i-1)*step
				if n.op.Reverse {
					at, before = outer+inner+(length-1-i)*step, outer+inner+(length-i)*step
				}
				out[at] = plus(out[at], out[before])
			}
		}
	}
	return out
}
