package bind

import (
	"math"
	"slices"

	"ppl/numbers"
)

// extent returns the number of values, and the least and the greatest value. It ignores missing values and those equal
// to except.
func extent(values numbers.List, except float64) (n int, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, y := range values.All() {
		if y == y && y != except {
			n, low, high = n+1, min(low, y), max(high, y)
		}
	}
	return n, low, high
}

// spreadOut reports whether no small part of the range from low to high contains half of the n values. Then the median
// absolute deviation is at least 1/256 of the range. This takes one pass and suffices for most data; ranked takes
// several passes.
func spreadOut(values numbers.List, n int, low, high float64) bool {
	const bins = 64
	scale := bins / (high - low)
	if !(scale > 0) || math.IsInf(scale, 0) {
		return false
	}
	var times [bins]int
	for _, y := range values.All() {
		if y == y {
			times[min(int((y-low)*scale), bins-1)]++
		}
	}
	for i := range bins - 1 {
		if times[i]+times[i+1] > n/2 {
			return false
		}
	}
	return true
}

// few is the largest number of values that ranked copies and sorts. Among more values it first counts digits.
const few = 1 << 12

// ranked returns the number of rank k, from 0, among f(y) for all values y that are not missing. Sorting a copy of
// large data could take longer than sampling from the model. Instead, one pass counts the first 16 bits of the sort
// keys, and further passes count the next 16 bits of the keys that begin like the key of rank k, until few keys are
// left.
func ranked(values numbers.List, f func(float64) float64, k int) float64 {
	var begins uint64
	left, shift := values.Len(), 64
	for left > few && shift > 0 {
		times := countDigits(values, f, begins, shift)
		digit := 0
		for ; k >= times[digit]; digit++ {
			k -= times[digit]
		}
		begins, left, shift = begins<<16|uint64(digit), times[digit], shift-16
	}
	if shift == 0 {
		return fromKey(begins)
	}
	var rest []uint64
	for _, y := range values.All() {
		if key := keyOf(f(y)); y == y && key>>shift == begins {
			rest = append(rest, key)
		}
	}
	slices.Sort(rest)
	return fromKey(rest[k])
}

// countDigits counts the next 16 bits, below shift, among the keys with the given leading bits.
func countDigits(values numbers.List, f func(float64) float64, begins uint64, shift int) []int {
	times := make([]int, 1<<16)
	for _, y := range values.All() {
		if key := keyOf(f(y)); y == y && key>>shift == begins {
			times[key>>(shift-16)&0xffff]++
		}
	}
	return times
}

// keyOf maps a number to an integer with the same order.
func keyOf(y float64) uint64 {
	const sign = 1 << 63
	if b := math.Float64bits(y); b < sign {
		return b | sign
	} else {
		return ^b
	}
}

func fromKey(key uint64) float64 {
	const sign = 1 << 63
	if key >= sign {
		return math.Float64frombits(key &^ sign)
	}
	return math.Float64frombits(^key)
}
