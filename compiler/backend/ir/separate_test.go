package ir

import "testing"

// TestSeparate checks that iterations of outermost loops can be divided among threads if each writes separate elements,
// and if together they cover every element that is combined.
func TestSeparate(t *testing.T) {
	at := func(strides ...int) Index { return Index{Stride: strides} }
	for name, c := range map[string]struct {
		out  []Output
		size int
		want int
	}{
		"stores":                        {[]Output{{Index: at(1, 20, 4)}}, 120, 3},
		"a sum over the innermost loop": {[]Output{{Index: at(5, 1, 0), Combine: Sum}}, 20, 2},
		"a sum over the outermost loop": {[]Output{{Index: at(0, 6, 1), Combine: Sum}}, 30, 0},
		"elements that no turn writes":  {[]Output{{Index: at(5, 1, 0), Combine: Sum}}, 21, 0},
		"a sum of all":                  {[]Output{{Combine: Max}}, 1, 0},
		"elements in another order":     {[]Output{{Index: at(1, 4, 0), Combine: Sum}}, 20, 2},
		"an element of several turns":   {[]Output{{Index: at(1, 1, 0), Combine: Sum}}, 20, 0},
		"an element that the data name": {[]Output{{Index: Index{Dyn: []Dyn{{Limit: 4}}}, Combine: Sum}}, 4, 0},
		"a store and a sum over a loop": {[]Output{{Index: at(30, 6, 1)}, {Index: at(5, 1, 0), Combine: Sum}}, 20, 2},
		"sums over one loop and another": {[]Output{{Index: at(6, 0, 1), Combine: Sum},
			{Index: at(5, 1, 0), Combine: Sum}}, 20, 0},
	} {
		k := &Kernel{Extents: []int{4, 5, 6}, Out: c.out}
		if got := k.Separate([]Buffer{{Size: c.size}}); got != c.want {
			t.Errorf("%s: %d loops, want %d", name, got, c.want)
		}
	}
	k := &Kernel{Extents: []int{9}, Out: []Output{{Index: at(1)}}}
	if k.Separate([]Buffer{{Size: 9, Type: I32}}) != 0 {
		t.Error("whole numbers are truncated after all points")
	}
}
