package noise

import (
	"math"
	"math/bits"
)

// MaxRows is the largest number of rows that can be shuffled.
const MaxRows = 1 << 32

// Shuffle returns the row at a position of an infinite sequence. The sequence consists of epochs, each of which is a
// permutation of 0…rows−1 that is a pure function of (seed, key, epoch). Minibatches are therefore drawn without
// replacement although no permutation is stored. Key and position are integers below 2³² and 2⁵³; fractions are
// truncated, negative numbers and NaN count as 0, and larger numbers as the largest allowed. 1 ≤ rows ≤ MaxRows.
func Shuffle(seed uint64, rows int, key, position float64) float64 {
	epoch, at := Epoch(rows, position)
	o := NewOrder(seed, rows, Whole(key, 1<<32-1), epoch)
	return o.At(at)
}

// Epoch returns the epoch of a position, and the index within the epoch.
func Epoch(rows int, position float64) (epoch, at uint64) {
	q, n := float64(Whole(position, 1<<53-1)), float64(rows)
	// q/n cannot round up to the next epoch: its distance to the next integer is more than half a unit in the last
	// place
	e := math.Floor(q / n)
	return uint64(e), uint64(q - e*n)
}

// Whole returns x as an integer of at most limit; negative numbers and NaN become 0.
func Whole(x float64, limit uint64) uint64 {
	if !(x > 0) {
		return 0
	}
	return uint64(min(x, float64(limit)))
}

// An Order is the permutation of one epoch. It is a Feistel network (Luby and Rackoff, SIAM J. Comput. 17, 1988) on the
// least number of bits, at least two, that represents rows−1. The bits are divided into two parts, and there are eight
// rounds, or sixteen if a part has a single bit. If a result is not a row, the network is applied again (cycle walking:
// Black and Rogaway, Ciphers with arbitrary finite domains, CT-RSA 2002), less than once on average. The rounds mix by
// the finaliser of MurmurHash3 (Appleby). Their keys come from a block of Philox whose key is the seed with its upper
// half complemented, so that no word of noise is used twice.
type Order struct {
	rows, low uint32 // rows−1; mask of the low part
	high      uint32 // mask of the high part
	shift     int
	rounds    int
	keys      [16]uint32
}

// NewOrder returns the permutation of an epoch.
func NewOrder(seed uint64, rows int, key, epoch uint64) Order {
	width := max(2, bits.Len32(uint32(rows-1)))
	shift := width / 2
	o := Order{rows: uint32(rows - 1), low: 1<<shift - 1, high: 1<<(width-shift) - 1, shift: shift, rounds: 8}
	if shift == 1 {
		o.rounds = 16
	}
	w0, w1, w2, w3 := philox(uint32(key), uint32(epoch), uint32(epoch>>32), uint32(rows), uint32(seed),
		^uint32(seed>>32))
	for i, w := range [4]uint32{w0, w1, w2, w3} {
		for r := i; r < o.rounds; r += 4 {
			o.keys[r] = w
			w += 0x9E3779B9
		}
	}
	return o
}

// At returns the row at index i < rows.
func (o *Order) At(i uint64) float64 {
	x := uint32(i)
	for {
		a, b := x&o.low, x>>o.shift
		for r := 0; r < o.rounds; r += 2 {
			a ^= mix(b^o.keys[r]) & o.low
			b ^= mix(a^o.keys[r+1]) & o.high
		}
		x = b<<o.shift | a
		if x <= o.rows {
			return float64(x)
		}
	}
}

func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85EBCA6B
	x ^= x >> 13
	x *= 0xC2B2AE35
	return x ^ x>>16
}
