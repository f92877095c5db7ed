package flow

import "ppl/autodiff"

// planar is a sequence of layers z ← z + û tanh(wᵀz + b), each of which stretches along one direction, followed by an
// affine map (Rezende and Mohamed 2015). û is u moved along w until wᵀû > −1, so that the layer is invertible: û = u +
// (softplus(wᵀu) − 1 − wᵀu) w/|w|². φ holds (u, w, b) of each layer, then the parameters of the affine map.
type planar struct{ dim, layers int }

func (f planar) affine() affine { return affine{dim: f.dim} }

func (f planar) size() int { return f.layers*(2*f.dim+1) + f.affine().size() }

func (f planar) start(draw func() float64) []float64 {
	phi := make([]float64, f.size())
	for i := range f.layers * (2*f.dim + 1) {
		phi[i] = 0.3 * draw()
	}
	return phi
}

func (f planar) diagonal() bool { return false }

func (f planar) rate() float64 { return 0.01 }

func (f planar) push(phi, eps node) (z, logDet node) {
	g, p := phi.Graph(), reader{phi: phi}
	one := g.Const(1)
	z, logDet = eps, g.Const(0)
	for range f.layers {
		u, w, b := p.take(f.dim), p.take(f.dim), p.scalar()
		wu := dot(w, u)
		along := autodiff.Div(autodiff.Sub(autodiff.Sub(autodiff.Softplus(wu), one), wu),
			autodiff.Add(dot(w, w), g.Const(1e-12)))
		u = autodiff.Add(u, autodiff.Mul(along, w))
		h := autodiff.Tanh(autodiff.Add(dot(w, z), b))
		z = autodiff.Add(z, autodiff.Mul(u, h))
		slope := autodiff.Sub(one, autodiff.Mul(h, h))
		logDet = autodiff.Add(logDet, autodiff.Log(autodiff.Abs(autodiff.Add(one, autodiff.Mul(slope, dot(u, w))))))
	}
	rest := autodiff.Slice(phi, []int{p.at}, []int{phi.Size()})
	z, last := f.affine().push(rest, z)
	return z, autodiff.Add(logDet, last)
}
