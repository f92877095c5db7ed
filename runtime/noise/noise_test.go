package noise

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestPhiloxKnownAnswers compares words with the vectors of Random123 1.14.0, tests/kat_vectors, "philox4x32 10".
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = 0xffffffff
	for _, c := range []struct{ counter, key, want []uint32 }{
		{[]uint32{0, 0, 0, 0}, []uint32{0, 0}, []uint32{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{[]uint32{ones, ones, ones, ones}, []uint32{ones, ones}, []uint32{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
			0x6d5451fd}},
		{[]uint32{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, []uint32{0xa4093822, 0x299f31d0},
			[]uint32{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		w0, w1, w2, w3 := philox(c.counter[0], c.counter[1], c.counter[2], c.counter[3], c.key[0], c.key[1])
		if got := []uint32{w0, w1, w2, w3}; !slices.Equal(got, c.want) {
			t.Errorf("philox(%x, %x) = %x, want %x", c.counter, c.key, got, c.want)
		}
	}
}

// TestAddress checks that each part of an address sets its own bits of the counter or the key, up to its limit, and
// that each point has its own words.
func TestAddress(t *testing.T) {
	w0, w1, w2, w3 := philox(1<<31-1, 0x89abcdef, 0xff<<24|0x654321, 77, 0xdeadbeef, 0x12345678)
	want := []uint64{uint64(w1)<<32 | uint64(w0), uint64(w3)<<32 | uint64(w2)}
	for half := range uint32(2) {
		if got := Word(0x12345678deadbeef, 77, 0xff89abcdef, 0x654321, 1<<32-2+half); got != want[half] {
			t.Errorf("got %x, want %x", got, want[half])
		}
	}
}

// TestUniformRange checks that the smallest and the largest number are half a step away from 0 and 1.
func TestUniformRange(t *testing.T) {
	if u := Open(0); u != 0x1p-53 {
		t.Errorf("smallest %v", u)
	}
	if u := Open(math.MaxUint64); u != 1-0x1p-53 {
		t.Errorf("largest %v", u)
	}
}

// score returns by how many standard errors the mean of f over n numbers differs from the expected mean.
func score(f func(i int) float64, n int, mean, variance float64) float64 {
	sum := 0.0
	for i := range n {
		sum += f(i)
	}
	return math.Abs(sum/float64(n)-mean) / math.Sqrt(variance/float64(n))
}

// directions vary one part of the address. The numbers along each must look independent and follow the distribution.
var directions = map[string]func(i int) (lane uint32, step uint64, site, point uint32){
	"point": func(i int) (uint32, uint64, uint32, uint32) { return 1, 2, 3, uint32(i) },
	"site":  func(i int) (uint32, uint64, uint32, uint32) { return 1, 2, uint32(i), 3 },
	"step":  func(i int) (uint32, uint64, uint32, uint32) { return 1, uint64(i) << 15, 2, 3 },
	"lane":  func(i int) (uint32, uint64, uint32, uint32) { return uint32(i), 1, 2, 3 },
}

// TestLaws checks that moments 1 to 4 and the correlation of neighbours are within 4.5 standard errors. For these 40
// numbers a fair generator fails with probability 3e-4; the seed is fixed. A planted shift by 2 % of a standard
// deviation must fail.
func TestLaws(t *testing.T) {
	const n, limit = 100_000, 4.5
	for name, at := range directions {
		uniform := func(i int) float64 { l, s, c, p := at(i); return Uniform(2024, l, s, c, p) }
		normal := func(i int) float64 { l, s, c, p := at(i); return Normal(2024, l, s, c, p) }
		worst := worstScore(uniform, normal, n)
		if worst > limit {
			t.Errorf("along %s: %.2f standard errors", name, worst)
		}
		if faulty := worstScore(uniform, func(i int) float64 { return normal(i) + 0.02 }, n); faulty < limit {
			t.Errorf("along %s: the planted fault passes with %.2f standard errors", name, faulty)
		}
	}
}

// worstScore returns the largest score of the moments of both distributions, and of the products of neighbours.
func worstScore(uniform, normal func(i int) float64, n int) float64 {
	worst := 0.0
	for k := 1; k <= 4; k++ {
		power := func(x float64) float64 { return math.Pow(x, float64(k)) }
		m := 1 / float64(k+1) // of uˣ
		worst = max(worst, score(func(i int) float64 { return power(uniform(i)) }, n, m, 1/float64(2*k+1)-m*m))
		m = normalMoment(k)
		worst = max(worst, score(func(i int) float64 { return power(normal(i)) }, n, m, normalMoment(2*k)-m*m))
	}
	for lag := 1; lag <= 2; lag++ {
		worst = max(worst, score(func(i int) float64 { return normal(i) * normal(i+lag) }, n, 0, 1))
	}
	return worst
}

// normalMoment returns E zᵏ for standard normal z: (k−1)!! for even k, and 0 for odd k.
func normalMoment(k int) float64 {
	if k%2 == 1 {
		return 0
	}
	m := 1.0
	for j := k - 1; j > 1; j -= 2 {
		m *= float64(j)
	}
	return m
}

// TestStream checks that a stream returns the words of its addresses, and that it is a source for math/rand/v2.
func TestStream(t *testing.T) {
	s := &Stream{Seed: 4, Lane: 3, Step: 2, Site: 1}
	for i := range uint32(5) {
		if got, want := s.Uint64(), Word(4, 3, 2, 1, i); got != want {
			t.Errorf("word %d of the stream is %x, want %x", i, got, want)
		}
	}
	if x := rand.New(s).Float64(); x < 0 || x >= 1 {
		t.Errorf("%v", x)
	}
}
