package stats

// Thinned returns at most n evenly spaced elements of a list.
func Thinned[T any](list []T, n int) (out []T) {
	for i := 0; i < len(list); i += 1 + len(list)/n {
		out = append(out, list[i])
	}
	return out
}

// A Thinning selects evenly spaced elements of a sequence of unknown length, for a list of bounded length:
//
//	if t.Takes() {
//		list = Kept(&t, append(list, x), 512)
//	}
type Thinning struct {
	Seen, Stride int // number of elements seen; distance between kept elements
}

// Takes counts the next element, and reports whether to keep it.
func (t *Thinning) Takes() bool {
	t.Stride = max(t.Stride, 1)
	t.Seen++
	return t.Seen%t.Stride == 0
}

// Kept returns the list of kept elements. When the list reaches most elements, Kept removes every second one and
// doubles the stride.
func Kept[T any](t *Thinning, list []T, most int) []T {
	if len(list) < most {
		return list
	}
	t.Stride *= 2
	for i := range most / 2 {
		list[i] = list[2*i+1]
	}
	return list[:most/2]
}
