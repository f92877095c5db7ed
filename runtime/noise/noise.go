// Package noise is random numbers by address: a number is a pure function of (seed, lane, step, site, point), so it is the same
// on every device, for any number of threads and lanes, and nothing is drawn in order.
//
// The words are those of Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC 2011)
// with the seed as key and the address as counter. A counter gives four words, two for each of a pair of neighbouring points;
// distinct addresses never share a word.
package noise

import "ppl/runtime/special"

// Limits of an address: it has to fit a counter of 128 bits. Lanes and points have 32 and 31 bits.
const (
	Steps = 1 << 40
	Sites = 1 << 24
)

// A Block is the noise of the points 2·pair and 2·pair+1: four words.
type Block [4]uint32

// At is the block of an address. Step < Steps, site < Sites.
func At(seed uint64, lane uint32, step uint64, site, pair uint32) Block {
	counter := [4]uint32{pair, uint32(step), uint32(step>>32)<<24 | site, lane}
	return Philox(counter, [2]uint32{uint32(seed), uint32(seed >> 32)})
}

// Uniform is uniform on the open interval (0, 1) for the even (half 0) or odd (half 1) point of the pair: one of the 2⁵²
// numbers (k + ½)·2⁻⁵², symmetric about ½.
func (b *Block) Uniform(half int) float64 {
	word := uint64(b[2*half+1])<<32 | uint64(b[2*half])
	return (float64(word>>12) + 0.5) * (1.0 / (1 << 52))
}

// Normal is the standard normal quantile of Uniform(half).
func (b *Block) Normal(half int) float64 { return special.NormQuantile(b.Uniform(half)) }

// Uniform is the uniform number of one address.
func Uniform(seed uint64, lane uint32, step uint64, site, point uint32) float64 {
	b := At(seed, lane, step, site, point/2)
	return b.Uniform(int(point % 2))
}

// Normal is the standard normal number of one address.
func Normal(seed uint64, lane uint32, step uint64, site, point uint32) float64 {
	b := At(seed, lane, step, site, point/2)
	return b.Normal(int(point % 2))
}

// Philox is the ten-round bijection of counters under a key.
func Philox(c [4]uint32, key [2]uint32) Block {
	c0, c1, c2, c3, k0, k1 := c[0], c[1], c[2], c[3], key[0], key[1]
	for range 10 {
		p0, p1 := uint64(c0)*0xD2511F53, uint64(c2)*0xCD9E8D57
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += 0x9E3779B9 // golden ratio
		k1 += 0xBB67AE85 // √3 − 1
	}
	return Block{c0, c1, c2, c3}
}

// A Stream reads the words of one (seed, lane, step, site) in order of points: a source for math/rand/v2.
type Stream struct {
	Seed uint64
	Lane uint32
	Step uint64
	Site uint32

	point uint64 // drawn so far
}

// Uint64 is the next pair of words.
func (s *Stream) Uint64() uint64 {
	if s.point >= 1<<33 {
		panic("noise: stream exhausted")
	}
	b := At(s.Seed, s.Lane, s.Step, s.Site, uint32(s.point/2))
	half := s.point % 2
	s.point++
	return uint64(b[2*half+1])<<32 | uint64(b[2*half])
}
