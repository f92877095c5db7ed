// Package noise computes random numbers by address: a number is a pure function of (seed, lane, step, site, point).
//
//	noise.Normal(1, 0, 7, 2, 3)    // seed 1, lane 0, step 7, site 2, point 3: the same number on every device
//
// No state is advanced, so results are the same for any number of threads and lanes, and in any order of evaluation.
//
// The words are those of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC
// 2011) with the seed as key and the address as counter. A counter gives four words, two for each of a pair of
// neighbouring points; different addresses never share a word.
package noise

import (
	"math"

	"ppl/autodiff/special"
)

// Limits of an address, which must fit a counter of 128 bits. Lanes and points have 32 bits.
const (
	Steps = 1 << 40
	Sites = 1 << 24
)

// A Block is the noise of the points 2·pair and 2·pair+1: two words of 64 bits, each composed of two words of the
// generator.
type Block struct{ Even, Odd uint64 }

// At returns the block at an address, for step < Steps and site < Sites.
func At(seed uint64, lane uint32, step uint64, site, pair uint32) Block {
	w0, w1, w2, w3 := philox(pair, uint32(step), uint32(step>>32)<<24|site, lane, uint32(seed), uint32(seed>>32))
	return Block{uint64(w1)<<32 | uint64(w0), uint64(w3)<<32 | uint64(w2)}
}

// Open maps a word to the open interval (0, 1): to one of the 2⁵² numbers (k + ½)·2⁻⁵², symmetric about ½.
func Open(word uint64) float64 { return (float64(word>>12) + 0.5) * (1.0 / (1 << 52)) }

// Word returns the word at an address.
func Word(seed uint64, lane uint32, step uint64, site, point uint32) uint64 {
	b := At(seed, lane, step, site, point/2)
	if point%2 == 0 {
		return b.Even
	}
	return b.Odd
}

// Uniform returns a number that is uniform on (0, 1).
func Uniform(seed uint64, lane uint32, step uint64, site, point uint32) float64 {
	return Open(Word(seed, lane, step, site, point))
}

// Common returns a number that is uniform on (0, 1) and the same for all lanes: its address has the largest lane
// number, which no lane has.
func Common(seed, step uint64, site uint32) float64 {
	return Uniform(seed, math.MaxUint32, step, site, 0)
}

// Addressed returns Uniform at an address of integers in double precision, which are clamped to their limits; NaN
// becomes 0.
func Addressed(seed uint64, site uint32, lane, step, point float64) float64 {
	return Uniform(seed, uint32(Whole(lane, 1<<32-1)), Whole(step, Steps-1), site, uint32(Whole(point, 1<<32-1)))
}

// Normal returns the standard normal quantile of Uniform.
func Normal(seed uint64, lane uint32, step uint64, site, point uint32) float64 {
	return special.NormQuantile(Uniform(seed, lane, step, site, point))
}

// Single returns standard normal noise of single precision, by the Box–Muller transform (Ann. Math. Statist. 29, 1958)
// of uniform numbers of 24 bits; its absolute value is at most 5.8. Four points share the words of an address, which
// are not those of Normal: points form groups of 64 with 16 addresses, and address j serves points j, j+16, j+32 and
// j+48 of its group.
func Single(seed uint64, lane uint32, step uint64, site, point uint32) float64 {
	b := At(seed, lane, step, site, point>>6<<4|point&15)
	words := b.Even
	if point&32 != 0 {
		words = b.Odd
	}
	radius := math.Sqrt(-2 * math.Log(float64(uint32(words)>>8+1)*0x1p-24))
	sine, cosine := math.Sincos(2 * math.Pi * float64(words>>40) * 0x1p-24)
	if point&16 != 0 {
		return float64(float32(radius * cosine))
	}
	return float64(float32(radius * sine))
}

// philox returns the ten-round bijection of counters c under a key k.
func philox(c0, c1, c2, c3, k0, k1 uint32) (w0, w1, w2, w3 uint32) {
	for range 10 {
		p0, p1 := uint64(c0)*0xD2511F53, uint64(c2)*0xCD9E8D57
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += 0x9E3779B9 // golden ratio
		k1 += 0xBB67AE85 // √3 − 1
	}
	return c0, c1, c2, c3
}

// A Stream returns the words of one (seed, lane, step, site) in the order of points: a source for math/rand/v2.
type Stream struct {
	Seed uint64
	Lane uint32
	Step uint64
	Site uint32

	point uint32 // next point
}

// Uint64 returns the next of the 2³² words.
func (s *Stream) Uint64() uint64 {
	w := Word(s.Seed, s.Lane, s.Step, s.Site, s.point)
	s.point++
	return w
}
