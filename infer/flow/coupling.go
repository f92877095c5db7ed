package flow

import (
	"math"

	"ppl/autodiff"
)

// coupling is a sequence of layers that scale and shift one part of z by functions of the other, y₂ = z₂ e^{s(z₁)} +
// t(z₁) (Dinh, Sohl-Dickstein, Bengio: Real NVP, 2017). A network with one hidden layer computes s and t; a soft clamp
// bounds s. Between layers coordinates are cyclically shifted, alternately by a half and a quarter of their number, so
// that each affects the others. A triangular affine map follows (diagonal in many dimensions). φ holds the networks'
// weights, then the parameters of this map.
type coupling struct{ dim, layers, hidden int }

// mostTriangular is the dimension up to which the last map is triangular.
const mostTriangular = 50

func (f coupling) affine() affine { return affine{dim: f.dim, correlated: f.dim <= mostTriangular} }

// split returns the sizes of the part that is read and the part that is changed.
func (f coupling) split() (read, changed int) { return f.dim / 2, f.dim - f.dim/2 }

func (f coupling) layer() int {
	read, changed := f.split()
	return f.hidden*(read+1) + 2*changed*(f.hidden+1)
}

func (f coupling) size() int { return f.layers*f.layer() + f.affine().size() }

// start draws hidden weights that keep sums of order one, and sets output weights to 0, which gives the identity.
func (f coupling) start(draw func() float64) []float64 {
	phi := make([]float64, f.size())
	read, _ := f.split()
	for layer := range f.layers {
		for i := range f.hidden * (read + 1) {
			phi[layer*f.layer()+i] = draw() / math.Sqrt(float64(read+1))
		}
	}
	return phi
}

func (f coupling) diagonal() bool { return false }

func (f coupling) rate() float64 { return 0.01 }

func (f coupling) push(phi, eps node) (z, logDet node) {
	g, p := phi.Graph(), reader{phi: phi}
	read, changed := f.split()
	z, logDet = eps, g.Const(0)
	for layer := range f.layers {
		first, second := autodiff.Slice(z, []int{0}, []int{read}), autodiff.Slice(z, []int{read}, []int{f.dim})
		hidden := autodiff.Softplus(autodiff.Add(apply(p.take(f.hidden, read), first), p.take(f.hidden)))
		s := softClamp(autodiff.Add(apply(p.take(changed, f.hidden), hidden), p.take(changed)))
		t := autodiff.Add(apply(p.take(changed, f.hidden), hidden), p.take(changed))
		second = autodiff.Add(autodiff.Mul(second, autodiff.Exp(s)), t)
		z = rotateLeft(autodiff.Concat(0, first, second), max(1, f.dim/(2+2*(layer%2))))
		logDet = autodiff.Add(logDet, autodiff.SumAll(s))
	}
	rest := autodiff.Slice(phi, []int{p.at}, []int{phi.Size()})
	z, last := f.affine().push(rest, z)
	return z, autodiff.Add(logDet, last)
}

// softClamp keeps a log scale within ±3.
func softClamp(s node) node {
	three := s.Graph().Const(3)
	return autodiff.Mul(three, autodiff.Tanh(autodiff.Div(s, three)))
}

// rotateLeft moves the first k elements to the end.
func rotateLeft(z node, k int) node {
	n := z.Size()
	return autodiff.Concat(0, autodiff.Slice(z, []int{k}, []int{n}), autodiff.Slice(z, []int{0}, []int{k}))
}
