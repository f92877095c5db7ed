package host

import (
	"math"

	"ppl/autodiff/special"
)

// expSteps is the number of powers of 2 in expTable.
const expSteps = 128

// expTable has the bits of 2^(i/128), with i subtracted at the position of the exponent's lowest bits, so that adding k
// there multiplies by 2^(k/128).
var expTable = func() (t [expSteps]uint64) {
	for i := range t {
		t[i] = math.Float64bits(math.Exp2(float64(i)/expSteps)) - uint64(i)<<45
	}
	return t
}()

// expLoop computes d = eᵃ with an error below 1.1 ulp: x = k·ln 2/128 + r, |r| < 0.0028, and a polynomial of degree 5
// in r (Tang, Table-driven implementation of the exponential function, ACM TOMS 15, 1989). ln 2/128 is split into two
// parts, the first short enough that its product with k is exact.
func expLoop(d, a []float64) {
	const (
		perStep = 0x1.71547652b82fep+7 // 128/ln 2
		high    = 0x1.62e42fefa0000p-8
		low     = 0x1.cf79abc9e3b3ap-47
		integer = 0x1.8p52 // adding it rounds to an integer, which is then in the low bits
	)
	a = a[:len(d)]
	for i, x := range a {
		if !(math.Abs(x) < 708) {
			d[i] = math.Exp(x) // underflow, overflow or NaN
			continue
		}
		z := x*perStep + integer
		k := z - integer
		r := x - k*high - k*low
		n := math.Float64bits(z)
		s := math.Float64frombits(expTable[n%expSteps] + n<<45)
		p := r + r*r*(1./2+r*(1./6)+r*r*(1./24+r*(1./120)))
		d[i] = s + s*p
	}
}

// expNegAbs computes d = e^−|a|, from which sigmoid and softplus are computed.
func expNegAbs(d, a []float64) {
	a = a[:len(d)]
	for i, x := range a {
		d[i] = -math.Abs(x)
	}
	expLoop(d, d)
}

func sigmoidLoop(d, a []float64) {
	expNegAbs(d, a)
	for i, e := range d {
		d[i] = special.Sigmoid(a[i], e)
	}
}

func softplusLoop(d, a []float64) {
	expNegAbs(d, a)
	for i, e := range d {
		d[i] = special.Softplus(a[i], e)
	}
}

// logSigmoidLoop computes d = −softplus(−a).
func logSigmoidLoop(d, a []float64) {
	expNegAbs(d, a)
	for i, e := range d {
		d[i] = -special.Softplus(-a[i], e)
	}
}
