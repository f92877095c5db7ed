package autodiff

import (
	"math"
	"slices"
)

// foldKernel computes a Sum, Max or Min.
func foldKernel(n Node) kernel {
	to, first := reduction(n), nothing(n.op.Kind)
	f := map[Kind]Kind{OpSum: OpAdd, OpMax: OpMaximum, OpMin: OpMinimum}[n.op.Kind].Row().Binary
	return func(out []float64, args [][]float64) {
		setAll(out, first)
		x := args[0]
		to.visit(func(i, at, length int) { combineRun(out, at, to.last(), x[i:i+length], f) })
	}
}

// combineRun combines the elements of x, one after the other, with those of out at at, at + step, ….
func combineRun(out []float64, at, step int, x []float64, f func(x, y float64) float64) {
	for _, v := range x {
		out[at] = f(out[at], v)
		at += step
	}
}

// logSumExpKernel computes m + log Σ exp(x − m) with m = max x, or m if m is infinite.
func logSumExpKernel(n Node) kernel {
	to, lowest := reduction(n), nothing(OpMax)
	step := to.last()
	return func(out []float64, args [][]float64) {
		x, most := args[0], constant(lowest, len(out))
		to.visit(func(i, at, length int) { combineRun(most, at, step, x[i:i+length], OpMaximum.Row().Binary) })
		clear(out)
		to.visit(func(i, at, length int) {
			for j, v := range x[i : i+length] {
				out[at+j*step] += math.Exp(v - most[at+j*step])
			}
		})
		for i, m := range most {
			if math.IsInf(m, 0) {
				out[i] = m
			} else {
				out[i] = m + math.Log(out[i])
			}
		}
	}
}

// reduction lists for each element of a reduction's argument the element of the result to which it contributes.
func reduction(n Node) strided {
	shape := n.args[0].Shape()
	strides, to := make([]int, len(shape)), stridesOf(n.Shape())
	for k := range shape {
		if !slices.Contains(n.op.Axes, k) {
			strides[k], to = to[0], to[1:]
		}
	}
	return newStrided(shape, 0, strides)
}

// Reduced maps each element of a reduction's argument to the element of the result to which it contributes.
func Reduced(n Node) []int {
	out, to := make([]int, n.args[0].Size()), reduction(n)
	to.visit(func(i, at, length int) {
		for j := range length {
			out[i+j] = at + j*to.last()
		}
	})
	return out
}

func cumSumKernel(n Node) kernel {
	return func(out []float64, args [][]float64) {
		copy(out, args[0])
		Cumulate(n, out, OpAdd.Row().Binary)
	}
}

// Cumulate replaces the values of the argument of a CumSum by those of the result. T may be any type of number.
func Cumulate[T any](n Node, out []T, plus func(x, y T) T) {
	axis, shape := n.op.Axes[0], n.Shape()
	step, length := stridesOf(shape)[axis], shape[axis]
	for outer := 0; outer < len(out); outer += step * length {
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
}
