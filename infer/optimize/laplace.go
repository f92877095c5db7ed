package optimize

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A peak is a point with the curvature there.
type peak struct {
	point
	theta []float64

	// decrement is ½ gᵀ(−∇²)⁻¹g: the difference between the maximum of log p and its value here, if the curvature is
	// constant. It is +∞ if curvature is nil.
	decrement float64
	converged bool
	curvature *mat.SymDense // −∇² log p; nil if it is not positive definite or was not computed
	root      *mat.Dense    // R such that R Rᵀ is the inverse, Laplace's covariance; nil if curvature is
}

func (at peak) curved() bool { return at.root != nil }

// MostCurvature is the largest dimension in which the curvature is computed.
const MostCurvature = 500

// Constants of the refinement.
const (
	flat   = 1e-4 // a point is a maximum if its decrement is below this
	within = 1    // Newton steps are tried below this decrement
	// singular is a condition number, after scaling to unit curvature, that differences of gradients cannot distinguish
	// from infinity.
	singular    = 1e10
	level       = 1e-4 // a point is a maximum if its gradient is below this, in dimensions above MostCurvature
	newtonSteps = 8
)

// refine makes Newton steps from the end of a search, as long as they raise the density, and computes the curvature at
// the peak.
func (p *problem) refine(theta []float64) (peak, error) {
	at, step, err := p.survey(theta)
	for k := 0; k < newtonSteps && err == nil && at.curved() && at.decrement > 1e-14 && at.decrement < within; k++ {
		next, nextStep, nextErr := p.survey(plus(at.theta, step))
		if nextErr != nil || !next.curved() || next.total() < at.total()-1e-9 || next.decrement >= at.decrement {
			err = nextErr
			break
		}
		at, step = next, nextStep
	}
	at.converged = at.curved() && at.decrement < flat
	if p.dim > MostCurvature {
		at.converged = largest(at.gradient) < level
	}
	return at, err
}

func plus(x, dx []float64) []float64 {
	out := make([]float64, len(x))
	for i := range x {
		out[i] = x[i] + dx[i]
	}
	return out
}

func largest(xs []float64) (most float64) {
	for _, x := range xs {
		most = math.Max(most, math.Abs(x))
	}
	return most
}

// survey computes density, gradient and curvature at a point, and the Newton step from there.
func (p *problem) survey(theta []float64) (at peak, step []float64, err error) {
	here, err := p.evaluate([][]float64{theta})
	if err != nil {
		return at, nil, err
	}
	at = peak{point: here[0], theta: theta, decrement: math.Inf(1)}
	if p.dim > MostCurvature || !finite(at.gradient) || math.IsInf(at.total(), 0) {
		return at, nil, nil
	}
	h, err := p.curvature(theta)
	if err != nil {
		return at, nil, err
	}
	root, ok := factor(h)
	if !ok {
		return at, nil, nil
	}
	at.curvature, at.root = h, root
	var z, newton mat.VecDense
	slope := mat.NewVecDense(p.dim, at.gradient)
	z.MulVec(root.T(), slope)
	newton.MulVec(root, &z)
	at.decrement = mat.Dot(&newton, slope) / 2
	return at, newton.RawVector().Data, nil
}

// factor returns R with R Rᵀ = h⁻¹. ok is false if h is not positive definite, or almost singular.
func factor(h *mat.SymDense) (root *mat.Dense, ok bool) {
	d := h.SymmetricDim()
	unit := mat.NewSymDense(d, nil)
	for i := range d {
		if !(h.At(i, i) > 0) {
			return nil, false
		}
		for j := range i + 1 {
			unit.SetSym(i, j, h.At(i, j)/math.Sqrt(h.At(i, i)*h.At(j, j)))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(unit) || !(chol.Cond() < singular) {
		return nil, false
	}
	var u mat.TriDense
	chol.UTo(&u)
	var inverse mat.TriDense
	if err := inverse.InverseTri(&u); err != nil {
		return nil, false
	}
	root = mat.DenseCopyOf(&inverse)
	for i := range d {
		for j := range d {
			root.Set(i, j, root.At(i, j)/math.Sqrt(h.At(i, i)))
		}
	}
	return root, true
}

// curvature returns −∇² log p by central differences of the gradient: first with steps of 1e-5, then with a thousandth
// of each coordinate's conditional standard deviation, which gives relative errors of some 1e-6.
func (p *problem) curvature(theta []float64) (*mat.SymDense, error) {
	steps := make([]float64, p.dim)
	for i, x := range theta {
		steps[i] = 1e-5 * math.Max(1, math.Abs(x))
	}
	h, err := p.differences(theta, steps)
	if err != nil {
		return nil, err
	}
	return p.differences(theta, deviations(h, steps))
}

// deviations returns 1e-3/√h for each coordinate, or otherwise[i] if the diagonal element of h is not positive.
func deviations(h *mat.SymDense, otherwise []float64) []float64 {
	out := make([]float64, len(otherwise))
	for i := range out {
		out[i] = otherwise[i]
		if h.At(i, i) > 0 {
			out[i] = 1e-3 / math.Sqrt(h.At(i, i))
		}
	}
	return out
}

func (p *problem) differences(theta, steps []float64) (*mat.SymDense, error) {
	around, err := p.evaluate(star(theta, steps))
	if err != nil {
		return nil, err
	}
	slope := func(i, j int) float64 { return (around[2*i].gradient[j] - around[2*i+1].gradient[j]) / (2 * steps[i]) }
	h := mat.NewSymDense(p.dim, nil)
	for i := range p.dim {
		for j := i; j < p.dim; j++ {
			h.SetSym(i, j, -(slope(i, j)+slope(j, i))/2)
		}
	}
	return h, nil
}

// star returns, for each coordinate, theta with a step up and with a step down.
func star(theta, steps []float64) (out [][]float64) {
	for i, h := range steps {
		for _, s := range []float64{h, -h} {
			x := append([]float64(nil), theta...)
			x[i] += s
			out = append(out, x)
		}
	}
	return out
}

// spread returns Laplace's standard deviations of the saved values, √diag(J R Rᵀ Jᵀ), with the Jacobian J by central
// differences. It returns nil if the curvature at the peak is nil.
func (p *problem) spread(at peak) ([]float64, error) {
	if !at.curved() {
		return nil, nil
	}
	steps := deviations(at.curvature, make([]float64, p.dim))
	around, err := p.valuesAt(star(at.theta, steps))
	if err != nil {
		return nil, err
	}
	n := len(around[0])
	if n == 0 {
		return nil, nil
	}
	jacobian := mat.NewDense(n, p.dim, nil)
	for i := range p.dim {
		for j := range n {
			jacobian.Set(j, i, (around[2*i][j]-around[2*i+1][j])/(2*steps[i]))
		}
	}
	var z mat.Dense
	z.Mul(jacobian, at.root)
	sd := make([]float64, n)
	for j := range sd {
		sd[j] = mat.Norm(z.RowView(j), 2)
	}
	return sd, nil
}
