package host

// An affine is an affine function of the loop counters, base + Σ stride·counter, as a function of the point in the
// flattened iteration space. Neighbouring loops are merged if one stride continues the other:
//
//	for i < 2, j < 3: 10 + 3·i + j    becomes    for p < 6: 10 + p
type affine struct {
	base        int
	ext, stride []int // innermost last
}

func newAffine(base int, extents, strides []int) affine {
	w := affine{base: base}
	for k, n := range extents {
		if n == 1 {
			continue
		}
		s := 0
		if strides != nil {
			s = strides[k]
		}
		if last := len(w.ext) - 1; last >= 0 && w.stride[last] == s*n {
			w.ext[last] *= n
			w.stride[last] = s
			continue
		}
		w.ext = append(w.ext, n)
		w.stride = append(w.stride, s)
	}
	return w
}

// constant reports whether the value is base at every point.
func (w *affine) constant() bool {
	return len(w.ext) == 0 || len(w.ext) == 1 && w.stride[0] == 0
}

// linear reports whether the value at point p is base + p.
func (w *affine) linear() bool { return len(w.ext) == 1 && w.stride[0] == 1 }

// injective reports whether no two points have the same value. It requires that each stride exceeds the largest value
// that the smaller strides reach together.
func (w *affine) injective() bool {
	reach, used := 0, make([]bool, len(w.ext))
	for range w.ext {
		best := -1
		for k := range w.ext {
			if !used[k] && (best < 0 || abs(w.stride[k]) < abs(w.stride[best])) {
				best = k
			}
		}
		if abs(w.stride[best]) <= reach {
			return false
		}
		used[best] = true
		reach += abs(w.stride[best]) * (w.ext[best] - 1)
	}
	return true
}

// fill sets dst to the values at points start, start+1, ….
func (w *affine) fill(dst []int, start int) {
	if w.constant() {
		for i := range dst {
			dst[i] = w.base
		}
		return
	}
	s := w.stride[len(w.stride)-1]
	for len(dst) > 0 {
		at, left := w.at(start)
		n := min(left, len(dst))
		for i := range dst[:n] {
			dst[i] = at
			at += s
		}
		start += n
		dst = dst[n:]
	}
}

// at returns the value at a point, and the number of points that remain in the innermost loop there.
func (w *affine) at(point int) (value, left int) {
	value, left = w.base, 0
	for k := len(w.ext) - 1; k >= 0; k-- {
		q := point / w.ext[k]
		i := point - q*w.ext[k]
		value += i * w.stride[k]
		if k == len(w.ext)-1 {
			left = w.ext[k] - i
		}
		point = q
	}
	return value, left
}

func abs(x int) int { return max(x, -x) }
