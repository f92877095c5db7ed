package evaluate

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// markovMarginal computes hmm_marginal from probabilities that are rescaled at each time (Rabiner, "A tutorial on
// hidden Markov models", Proceedings of the IEEE 77, 1989).
func markovMarginal(omega, gamma, rho value) float64 {
	states, times := omega.dims[0], omega.dims[1]
	mustMatch(states, len(rho.nums))
	mustMatch(states, gamma.dims[0])
	total, p := 0.0, append([]float64(nil), rho.nums...)
	for t := range times {
		if t > 0 {
			before := p
			p = make([]float64, states)
			for k := range p {
				for j, q := range before {
					p[k] += q * gamma.nums[j*states+k]
				}
			}
		}
		top := math.Inf(-1)
		for k := range states {
			top = math.Max(top, omega.nums[k*times+t])
		}
		for k := range p {
			p[k] *= math.Exp(omega.nums[k*times+t] - top)
		}
		sum := floats.Sum(p)
		floats.Scale(1/sum, p)
		total += top + math.Log(sum)
	}
	return total
}

// kalman computes gaussian_dlm_obs by the covariance filter (West and Harrison, Bayesian Forecasting and Dynamic
// Models, 1997, section 4.3).
func kalman(y value, a []value) float64 {
	r, times := y.dims[0], y.dims[1]
	f, g, w, m0, c0 := dense(a[0]), dense(a[1]), dense(a[3]), a[4], dense(a[5])
	v := a[2]
	if len(v.dims) == 1 {
		v = diagonalMatrix(v.nums)
	}
	mean, covariance := mat.NewVecDense(len(m0.nums), append([]float64(nil), m0.nums...)), mat.DenseCopyOf(c0)
	total := 0.0
	for t := range times {
		var state mat.VecDense
		state.MulVec(g, mean)
		var prior, spread mat.Dense
		prior.Product(g, covariance, g.T())
		prior.Add(&prior, w)
		spread.Product(f.T(), &prior, f)
		spread.Add(&spread, dense(v))
		var expected mat.VecDense
		expected.MulVec(f.T(), &state)
		now := make([]float64, r)
		for i := range now {
			now[i] = y.nums[i*times+t]
		}
		residual := mat.NewVecDense(r, now)
		total += multiNormal(vector(append([]float64(nil), now...)), vector(expected.RawVector().Data),
			cholesky(ofDense(&spread)))
		residual.SubVec(residual, &expected)
		var weights, change mat.Dense // weights is the transpose of the gain
		var cross mat.Dense
		cross.Mul(f.T(), &prior)
		if err := weights.Solve(&spread, &cross); err != nil {
			panic(rejected{})
		}
		var move mat.VecDense
		move.MulVec(weights.T(), residual)
		mean.AddVec(&state, &move)
		change.Mul(weights.T(), &cross)
		covariance = mat.DenseCopyOf(&prior)
		covariance.Sub(covariance, &change)
	}
	return total
}

// fromLowerTriangle computes symmetrize_from_lower_tri.
func fromLowerTriangle(a value) value {
	mustBeSquare(a)
	n := a.dims[0]
	out := matrix(n, n, make([]float64, n*n))
	for i := range n {
		for j := range n {
			out.nums[i*n+j] = a.nums[max(i, j)*n+min(i, j)]
		}
	}
	return out
}
