package numbers

import (
	"math"
	"testing"
)

// A list with known facts gives the same results as one without, and does not read its elements.
func TestFacts(t *testing.T) {
	long := make([]float64, 3*DigestBlock+7)
	for i := range long {
		long[i] = math.Sin(float64(i))
	}
	for name, l := range map[string]List{"long": Of(long...), "bytes": OfBytes([]byte{3, 0, 255}), "one": Of(2),
		"negative": Of(-1, 4), "none": Of([]float64{}...), "missing": Of(1, math.NaN(), 3),
		"infinite":         Of(0, math.Inf(1)),
		"bytes as doubles": Of(0, 7, 255)} {
		facts := FactsOf(l)
		other := Of(make([]float64, l.Len())...).Knowing(facts)
		again := FactsOf(other)
		if facts.Missing {
			again.Low, again.High, facts.Low, facts.High = 0, 0, 0, 0 // NaN, which is not equal to itself
		}
		if again != facts {
			t.Errorf("%s: %v, and known %v", name, facts, again)
		}
		low, high := l.Range()
		for _, v := range l.All() {
			if v < low || v > high {
				t.Errorf("%s: %v is not between %v and %v", name, v, low, high)
			}
		}
	}
}

// The digest depends on each element and its position, and not on how elements are stored.
func TestDigest(t *testing.T) {
	values := make([]float64, 2*DigestBlock+3)
	for i := range values {
		values[i] = float64(i % 251)
	}
	want := Of(values...).Digest()
	if Packed(values).Digest() != want {
		t.Error("bytes have another digest")
	}
	for _, i := range []int{0, DigestBlock - 1, DigestBlock, len(values) - 1} {
		values[i]++
		if Of(values...).Digest() == want {
			t.Errorf("another element %d has the same digest", i)
		}
		values[i]--
	}
	values[0], values[1] = values[1], values[0]
	if Of(values...).Digest() == want {
		t.Error("another order has the same digest")
	}
	if Of(values[:DigestBlock]...).Digest() == want {
		t.Error("fewer elements have the same digest")
	}
}
