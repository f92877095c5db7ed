package stats

// Thinned are at most n elements of a list, evenly spread.
func Thinned[T any](list []T, n int) (out []T) {
	for i := 0; i < len(list); i += 1 + len(list)/n {
		out = append(out, list[i])
	}
	return out
}

// Thinning chooses some elements of a sequence of unknown length, of which a bounded list is kept:
//
//	if t.Takes() {
//		list = Kept(&t, append(list, x), 512)
//	}
type Thinning struct {
	Seen, Stride int // elements that came, and from one that is kept to the next
}

// Takes counts the next element and reports whether it is kept.
func (t *Thinning) Takes() bool {
	t.Stride = max(t.Stride, 1)
	t.Seen++
	return t.Seen%t.Stride == 0
}

// Kept returns a list of elements kept; once it has most of them, every second is left out from then on.
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
