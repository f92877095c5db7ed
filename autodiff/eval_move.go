package autodiff

import "slices"

// offsets returns base + Σ strides[k]·i_k for all index tuples of shape in row-major order.
func offsets(shape []int, base int, strides []int) []int {
	out := []int{base}
	for k, d := range shape {
		next := make([]int, 0, len(out)*d)
		for _, o := range out {
			for i := range d {
				next = append(next, o+i*strides[k])
			}
		}
		out = next
	}
	return out
}

// stridesOf returns the strides of a dense row-major array.
func stridesOf(shape []int) []int {
	out := make([]int, len(shape))
	step := 1
	for k, d := range slices.Backward(shape) {
		out[k] = step
		step *= d
	}
	return out
}

func dot(xs, ys []int) int {
	sum := 0
	for k := range xs {
		sum += xs[k] * ys[k]
	}
	return sum
}

// view computes a Broadcast, Permute or Slice of x.
func view(n Node, x []float64) []float64 {
	from := stridesOf(n.args[0].Shape())
	strides, base := from, 0
	switch n.op.Kind {
	case OpBroadcast:
		strides = make([]int, n.Rank())
		for k, a := range n.op.Axes {
			strides[a] = from[k]
		}
	case OpPermute:
		strides = pick(from, n.op.Axes)
	case OpSlice:
		base = dot(n.op.Lo, from)
	}
	return read(x, offsets(n.Shape(), base, strides))
}

func read(x []float64, at []int) []float64 {
	out := make([]float64, len(at))
	for i, o := range at {
		out[i] = x[o]
	}
	return out
}

// padOrConcat copies the arguments of a Pad or Concat to their positions in an array of zeros.
func padOrConcat(n Node, args [][]float64) []float64 {
	out, strides := make([]float64, n.Size()), stridesOf(n.Shape())
	base := dot(n.op.Lo, strides) // a Concat has no Lo
	for i, x := range args {
		for j, o := range offsets(n.args[i].Shape(), base, strides) {
			out[o] = x[j]
		}
		if n.op.Kind == OpConcat {
			axis := n.op.Axes[0]
			base += n.args[i].Shape()[axis] * strides[axis]
		}
	}
	return out
}

func gather(n Node, x []float64, index [][]float64) []float64 {
	return read(x, indexed(n.args[0].Shape(), index))
}

func scatterAdd(n Node, y []float64, index [][]float64) []float64 {
	out := make([]float64, n.Size())
	for i, o := range indexed(n.Shape(), index) {
		out[o] += y[i]
	}
	return out
}

// indexed returns the offsets of the elements that indices of the leading axes select in an array of the given shape.
// Indices are clamped, as on devices, because a branch that is not taken may contain any index.
func indexed(shape []int, index [][]float64) []int {
	strides := stridesOf(shape)
	rest := offsets(shape[len(index):], 0, strides[len(index):])
	var out []int
	for i := range index[0] {
		base := 0
		for k, values := range index {
			base += strides[k] * clamp(values[i], shape[k])
		}
		for _, r := range rest {
			out = append(out, base+r)
		}
	}
	return out
}

// clamp returns the index in [0, n) nearest to v, or 0 for NaN.
func clamp(v float64, n int) int {
	if v > 0 {
		return int(min(v, float64(n-1)))
	}
	return 0
}
