package modular

import (
	"math"
	"math/bits"
)

// A Residue is an integer modulo Prime.
type Residue uint64

// Prime is 2⁶¹ − 1. Since 2⁶¹ is 1 modulo Prime, reduction and multiplication by powers of two are cheap.
const Prime = 1<<61 - 1

func reduced(x uint64) Residue {
	x = x&Prime + x>>61
	if x >= Prime {
		x -= Prime
	}
	return Residue(x)
}

// Plus returns x + y.
func (x Residue) Plus(y Residue) Residue { return reduced(uint64(x) + uint64(y)) }

// Minus returns x − y.
func (x Residue) Minus(y Residue) Residue { return x.Plus(y.Negative()) }

// Negative returns −x.
func (x Residue) Negative() Residue {
	if x == 0 {
		return 0
	}
	return Prime - x
}

// Times returns x·y.
func (x Residue) Times(y Residue) Residue {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	return reduced(lo & Prime).Plus(reduced(hi<<3 | lo>>61))
}

// power returns x^n, by repeated squaring.
func (x Residue) power(n uint64) Residue {
	out := Residue(1)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = out.Times(x)
		}
		x = x.Times(x)
	}
	return out
}

// Inverse returns 1/x by Fermat's little theorem, and 0 for 0.
func (x Residue) Inverse() Residue { return x.power(Prime - 2) }

// Of returns the residue of a float64, which is a fraction whose denominator is a power of two. Infinities and NaN have
// arbitrary but fixed residues.
func Of(v float64) Residue {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return hash(0, Residue(math.Float64bits(v)>>52))
	}
	fraction, exponent := math.Frexp(math.Abs(v))
	x := reduced(uint64(math.Ldexp(fraction, 53)))
	x = x.Times(1 << (((exponent-53)%61 + 61) % 61))
	if v < 0 {
		return x.Negative()
	}
	return x
}

// hash returns an arbitrary function of residues. Different names give different functions.
func hash(name uint64, xs ...Residue) Residue {
	h := mix(name + 0x9e3779b97f4a7c15)
	for _, x := range xs {
		h = mix(h ^ uint64(x) + 0x9e3779b97f4a7c15)
	}
	return reduced(h)
}

// mix returns the finaliser of SplitMix64 (Steele, Lea and Flood 2014, OOPSLA).
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
