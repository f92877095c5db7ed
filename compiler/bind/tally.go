package bind

import (
	"cmp"
	"math"
	"slices"
)

// A repeated is a value and how often it stands in data.
type repeated struct {
	value float64
	times int
}

func byValue(a, b repeated) int { return cmp.Compare(a.value, b.value) }

// tallied is the number of different values up to which they are repeated in one pass: pixels, codes and ratings have
// few, and sorting a copy of them would take longer than all the rest and several times the memory.
const tallied = 1 << 12

// tally is the different values in increasing order; those that are missing do not count.
func tally(values []float64) (all []repeated) {
	times := map[float64]int{}
	for i := 0; i < len(values); {
		first := i
		for i++; i < len(values) && values[i] == values[first]; {
			i++
		}
		if values[first] == values[first] {
			times[values[first]] += i - first
		}
		if len(times) > tallied {
			return tallySorted(values)
		}
	}
	for y, n := range times {
		all = append(all, repeated{y, n})
	}
	slices.SortFunc(all, byValue)
	return all
}

func tallySorted(values []float64) (all []repeated) {
	known := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(known)
	for _, y := range known {
		if n := len(all); n > 0 && all[n-1].value == y {
			all[n-1].times++
		} else {
			all = append(all, repeated{y, 1})
		}
	}
	return all
}

// total is how many values there are.
func total(all []repeated) (n int) {
	for _, y := range all {
		n += y.times
	}
	return n
}

// ranked is the value that stands at place k, from 0, of all values in order.
func ranked(all []repeated, k int) float64 {
	for _, y := range all {
		if k -= y.times; k < 0 {
			return y.value
		}
	}
	panic("bind: no such rank")
}
