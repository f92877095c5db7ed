package autodiff

import "slices"

// A strided lists the positions base + Σ strides[k]·i_k for all index tuples i of shape in row-major order. Its last
// axis is the longest for which consecutive positions have a common distance:
//
//	columns 1 and 2 of a [3, 4] matrix    three runs of 2 positions with stride 1: 1 2, 5 6 and 9 10
//	its transpose                         four runs of 3 positions with stride 4: 0 4 8, 1 5 9, 2 6 10 and 3 7 11
//	its rows 1 and 2                      one run of 8 positions with stride 1: 4 to 11
type strided struct {
	shape, strides []int
	base           int
}

// newStrided merges neighbouring axes if this leaves the positions unchanged.
func newStrided(shape []int, base int, strides []int) strided {
	s := strided{base: base}
	for k, d := range shape {
		last := len(s.shape) - 1
		switch {
		case d == 1:
		case last >= 0 && s.strides[last] == strides[k]*d:
			s.shape[last] *= d
			s.strides[last] = strides[k]
		default:
			s.shape, s.strides = append(s.shape, d), append(s.strides, strides[k])
		}
	}
	if len(s.shape) == 0 {
		s.shape, s.strides = []int{1}, []int{1}
	}
	return s
}

// last returns the stride of the last axis.
func (s *strided) last() int { return s.strides[len(s.strides)-1] }

// visit calls run for each run along the last axis, with the index of its first position in the list, the position
// itself, and the number of positions.
func (s *strided) visit(run func(i, at, length int)) { s.visitAxis(0, 0, s.base, run) }

// visitAxis visits the axes from k on and returns the index after the last position.
func (s *strided) visitAxis(k, i, at int, run func(i, at, length int)) int {
	if k == len(s.shape)-1 {
		if s.shape[k] > 0 {
			run(i, at, s.shape[k])
		}
		return i + s.shape[k]
	}
	for range s.shape[k] {
		i = s.visitAxis(k+1, i, at, run)
		at += s.strides[k]
	}
	return i
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

// viewKernel computes a Broadcast, Permute or Slice.
func viewKernel(n Node) kernel {
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
	s := newStrided(n.Shape(), base, strides)
	step := s.last()
	return func(out []float64, args [][]float64) {
		x := args[0]
		s.visit(func(i, at, length int) { readRun(out[i:i+length], x, at, step) })
	}
}

// readRun copies the elements of x at at, at + step, … to out.
func readRun(out, x []float64, at, step int) {
	switch step {
	case 0:
		setAll(out, x[at])
	case 1:
		copy(out, x[at:])
	default:
		for i := range out {
			out[i] = x[at]
			at += step
		}
	}
}

// placeKernel computes a Pad or Concat: it copies the arguments to their positions in an array of zeros.
func placeKernel(n Node) kernel {
	strides := stridesOf(n.Shape())
	base := dot(n.op.Lo, strides) // a Concat has no Lo
	places := make([]strided, len(n.args))
	for i, a := range n.args {
		places[i] = newStrided(a.Shape(), base, strides)
		if n.op.Kind == OpConcat {
			axis := n.op.Axes[0]
			base += a.Shape()[axis] * strides[axis]
		}
	}
	return func(out []float64, args [][]float64) {
		if n.op.Kind == OpPad {
			clear(out)
		}
		for k, x := range args {
			step := places[k].last()
			places[k].visit(func(i, at, length int) { writeRun(out, at, step, x[i:i+length]) })
		}
	}
}

// writeRun copies x to the elements of out at at, at + step, ….
func writeRun(out []float64, at, step int, x []float64) {
	if step == 1 {
		copy(out[at:], x)
		return
	}
	for _, v := range x {
		out[at] = v
		at += step
	}
}

// gatherKernel copies the parts of args[0] that indices of its leading axes select.
func gatherKernel(n Node) kernel {
	s := newSelection(n.args[0].Shape(), len(n.args)-1)
	return func(out []float64, args [][]float64) {
		x, index := args[0], args[1:]
		for i := range index[0] {
			at := s.offset(index, i)
			copy(out[i*s.width:(i+1)*s.width], x[at:at+s.width])
		}
	}
}

// scatterKernel adds the parts of args[0] to those that indices of the result's leading axes select.
func scatterKernel(n Node) kernel {
	s := newSelection(n.Shape(), len(n.args)-1)
	return func(out []float64, args [][]float64) {
		y, index := args[0], args[1:]
		clear(out)
		for i := range index[0] {
			at := s.offset(index, i)
			for j, v := range y[i*s.width : (i+1)*s.width] {
				out[at+j] += v
			}
		}
	}
}

// A selection maps indices of the leading axes of an array to the part that they select, of width elements.
type selection struct {
	shape, strides []int // of the leading axes
	width          int
}

func newSelection(shape []int, leading int) selection {
	return selection{shape[:leading], stridesOf(shape)[:leading], size(shape[leading:])}
}

// offset returns the position of the first element of the part that index i of each axis selects. Indices are clamped,
// as on devices, because a branch that is not taken may contain any index.
func (s *selection) offset(index [][]float64, i int) (at int) {
	for k, values := range index {
		at += s.strides[k] * clamp(values[i], s.shape[k])
	}
	return at
}

// clamp returns the index in [0, n) nearest to v, or 0 for NaN.
func clamp(v float64, n int) int {
	if v > 0 {
		return int(min(v, float64(n-1)))
	}
	return 0
}
