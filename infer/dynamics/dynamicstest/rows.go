package dynamicstest

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"ppl/autodiff"
)

// Rows is a target whose likelihood is a sum over rows.
type Rows struct {
	whole
	N    int
	Term func(theta, rows autodiff.Node) autodiff.Node // log ℓ(θ; x) of each of the given rows
}

// whole embeds Density under another name, so that Rows can have the method Density.
type whole = Density

// NewRows returns a target with prior N(0, spread²) for each of d parameters.
func NewRows(d, n int, spread float64, term func(theta, rows autodiff.Node) autodiff.Node) Rows {
	prior := func(theta autodiff.Node) autodiff.Node {
		return autodiff.Mul(theta.Graph().Const(-0.5/(spread*spread)), autodiff.SumAll(autodiff.Mul(theta, theta)))
	}
	all := func(theta autodiff.Node) autodiff.Node { return autodiff.SumAll(term(theta, theta.Graph().Iota(n))) }
	return Rows{Density{D: d, LogPrior: prior, LogLik: all, Proper: true, Spread: spread}, n, term}
}

// Rows returns N.
func (t Rows) Rows() (int, error) { return t.N, nil }

// Split returns 0 for the part of log ℓ that is not a sum over rows.
func (t Rows) Split(theta, rows autodiff.Node) (logPrior, whole, terms autodiff.Node) {
	return t.LogPrior(theta), theta.Graph().Const(0), t.Term(theta, rows)
}

// Means returns a target with y[i] ~ N(θ, 1) and prior N(0, 10²), and the mean and variance of its normal posterior.
func Means(y []float64) (target Rows, mean, variance float64) {
	for _, v := range y {
		mean += v
	}
	precision := float64(len(y)) + 1./100
	return NewRows(1, len(y), 10, func(theta, rows autodiff.Node) autodiff.Node {
		g := theta.Graph()
		at := autodiff.Gather(g.Data("y", y, len(y)), rows)
		r := autodiff.Sub(at, autodiff.Broadcast(autodiff.Reshape(theta), []int{rows.Size()}, nil))
		return autodiff.Mul(g.Full(-0.5, rows.Size()), autodiff.Mul(r, r))
	}), mean / precision, 1 / precision
}

// Logistic returns a target with y[i] ~ Bernoulli(1/(1 + e^{−x[i]·θ})), x [n, d] row-major, and prior N(0, spread²).
func Logistic(x, y []float64, d int, spread float64) Rows {
	n := len(y)
	return NewRows(d, n, spread, func(theta, rows autodiff.Node) autodiff.Node {
		g, m := theta.Graph(), rows.Size()
		some := autodiff.Gather(g.Data("x", x, n, d), rows)
		eta := autodiff.Reshape(autodiff.MatMul(some, autodiff.Reshape(theta, d, 1), false, false), m)
		sign := autodiff.Sub(autodiff.Mul(g.Const(2), autodiff.Gather(g.Data("y", y, n), rows)), g.Const(1))
		return autodiff.LogSigmoid(autodiff.Mul(sign, eta))
	})
}

// SimulateLogistic draws correlated covariates with an intercept, coefficients with standard deviation ½, and outcomes.
func SimulateLogistic(n, d int, seed uint64) (x, y []float64) {
	r := rand.New(rand.NewPCG(seed, 1))
	theta := make([]float64, d)
	for j := range theta {
		theta[j] = r.NormFloat64() / 2
	}
	x, y = make([]float64, 0, n*d), make([]float64, 0, n)
	for range n {
		shared, eta := r.NormFloat64(), theta[0]
		x = append(x, 1)
		for j := 1; j < d; j++ {
			v := 0.6*shared + 0.8*r.NormFloat64()
			x, eta = append(x, v), eta+theta[j]*v
		}
		y = append(y, 0)
		if r.Float64() < 1/(1+math.Exp(-eta)) {
			y[len(y)-1] = 1
		}
	}
	return x, y
}

// Laplace returns the mode and the standard deviations of the Laplace approximation of a logistic regression's
// posterior, by Newton's method with gonum. At 10⁵ rows it equals the posterior to far below one per cent.
func Laplace(x, y []float64, d int, spread float64) (mode, sd []float64) {
	theta, covariance := mat.NewVecDense(d, nil), mat.NewDense(d, d, nil)
	for range 30 {
		gradient, hessian := mat.NewVecDense(d, nil), mat.NewSymDense(d, nil)
		gradient.AddScaledVec(gradient, -1/(spread*spread), theta)
		for j := range d {
			hessian.SetSym(j, j, 1/(spread*spread))
		}
		for i := range y {
			row := mat.NewVecDense(d, x[i*d:(i+1)*d])
			p := 1 / (1 + math.Exp(-mat.Dot(row, theta)))
			gradient.AddScaledVec(gradient, y[i]-p, row)
			hessian.SymRankOne(hessian, p*(1-p), row)
		}
		if err := covariance.Inverse(hessian); err != nil {
			panic(err)
		}
		var step mat.VecDense
		step.MulVec(covariance, gradient)
		theta.AddVec(theta, &step)
		// twice the predicted gain of log density: the next step would only be rounding error
		if mat.Dot(&step, gradient) < 1e-20 {
			break
		}
	}
	for j := range d {
		mode, sd = append(mode, theta.AtVec(j)), append(sd, math.Sqrt(covariance.At(j, j)))
	}
	return mode, sd
}
