package adapt

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Normal is a normal distribution, given by its mean and a root of its precision: z = Root (x − Mean) is standard
// normal.
type Normal struct {
	Mean []float64
	Root []float64 // [dim, dim], row-major, upper triangular
}

// NormalAt returns the normal with this mean and precision. ok is false if the precision is not positive definite, or
// almost singular.
func NormalAt(mean []float64, precision *mat.SymDense) (n Normal, ok bool) {
	const singular = 1e12
	var c mat.Cholesky
	unit, scale := unitDiagonal(precision)
	if scale == nil || !c.Factorize(unit) || !(c.Cond() < singular) {
		return n, false
	}
	var u mat.TriDense
	c.UTo(&u)
	d := len(mean)
	n = Normal{Mean: mean, Root: make([]float64, d*d)}
	for i := range d {
		for j := i; j < d; j++ {
			n.Root[i*d+j] = u.At(i, j) * scale[j]
		}
	}
	return n, true
}

// unitDiagonal returns m with rows and columns divided by the square roots of its diagonal, and these roots. Both are
// nil if a diagonal element is not positive and finite.
func unitDiagonal(m *mat.SymDense) (unit *mat.SymDense, scale []float64) {
	d := m.SymmetricDim()
	scale, unit = make([]float64, d), mat.NewSymDense(d, nil)
	for i := range scale {
		scale[i] = math.Sqrt(m.At(i, i))
		if !(scale[i] > 0) || math.IsInf(scale[i], 0) {
			return nil, nil
		}
	}
	for i := range d {
		for j := i; j < d; j++ {
			unit.SetSym(i, j, m.At(i, j)/(scale[i]*scale[j]))
		}
	}
	return unit, scale
}

// FitNormal returns the normal with the weighted mean and covariance of the points; nil weights mean equal weights. If
// there are too few points it uses the variances only. It returns false if a coordinate does not vary, or if the
// covariance is almost singular.
func FitNormal(points [][]float64, weights []float64) (Normal, bool) {
	x := rows(points) // centred
	n, d := x.Dims()
	number := float64(n)
	if weights != nil {
		number = floats.Sum(weights)
	}
	mean := scaled(points[0], 1)
	add(mean, x.RawRowView(0), -1)
	cov := mat.NewSymDense(d, nil)
	for j := range d {
		m, variance := stat.MeanVariance(mat.Col(nil, j, x), weights)
		if weights != nil {
			mean[j] += m
		}
		cov.SetSym(j, j, variance)
	}
	if number >= float64(2*d+10) {
		stat.CovarianceMatrix(cov, x, weights)
	}
	unit, scale := unitDiagonal(cov)
	var c mat.Cholesky
	if scale == nil || !c.Factorize(unit) {
		return Normal{}, false
	}
	var precision mat.SymDense
	if err := c.InverseTo(&precision); err != nil {
		return Normal{}, false
	}
	for i := range d {
		for j := i; j < d; j++ {
			precision.SetSym(i, j, precision.At(i, j)/(scale[i]*scale[j]))
		}
	}
	return NormalAt(mean, &precision)
}

// Whiten returns z = Root (x − Mean).
func (n *Normal) Whiten(x []float64) []float64 {
	d := len(n.Mean)
	z := floats.SubTo(make([]float64, d), x[:d], n.Mean)
	for i := range d { // row i of Root reads elements from i only, so z can be overwritten in this order
		z[i] = floats.Dot(n.Root[i*d+i:(i+1)*d], z[i:])
	}
	return z
}

// Point returns the point x with Whiten(x) = z.
func (n *Normal) Point(z []float64) []float64 {
	x := make([]float64, len(n.Mean))
	n.PointIn(x, z)
	return x
}

// PointIn writes Point(z) to x, which may be z.
func (n *Normal) PointIn(x, z []float64) {
	d := len(n.Mean)
	for i := d - 1; i >= 0; i-- {
		x[i] = (z[i] - floats.Dot(n.Root[i*d+i+1:(i+1)*d], x[i+1:])) / n.Root[i*d+i]
	}
	for i := range x {
		x[i] += n.Mean[i]
	}
}

// InverseRoot returns the inverse of Root, [dim, dim].
func (n *Normal) InverseRoot() []float64 {
	d := len(n.Mean)
	out := make([]float64, d*d)
	for k := range d {
		for i := k; i >= 0; i-- {
			sum := 0.0
			if i == k {
				sum = 1
			}
			for j := i + 1; j <= k; j++ {
				sum -= n.Root[i*d+j] * out[j*d+k]
			}
			out[i*d+k] = sum / n.Root[i*d+i]
		}
	}
	return out
}

// Distance returns the squared length of Whiten(x).
func (n *Normal) Distance(x []float64) (sum float64) {
	return n.DistanceIn(make([]float64, len(n.Mean)), x)
}

// DistanceIn is Distance with room, a buffer of len(Mean) numbers, for callers that measure thousands of points.
func (n *Normal) DistanceIn(room, x []float64) (sum float64) {
	d := len(n.Mean)
	from := floats.SubTo(room, x[:d], n.Mean)
	for i := range d {
		z := floats.Dot(n.Root[i*d+i:(i+1)*d], from[i:])
		sum += z * z
	}
	return sum
}

// Around reports whether x could be a draw from a target that is roughly this normal. Squared distances have mean dim;
// the bound is generous, since few targets are exactly normal.
func (n *Normal) Around(x []float64) bool { return n.Distance(x) <= FarthestAround(len(x)) }

// FarthestAround returns the largest squared distance at which Around is true in dim dimensions.
func FarthestAround(dim int) float64 {
	const times, more = 3, 12
	return float64(times*dim + more)
}

// StepFrom returns the squared length, in standard deviations, of the Newton step from a point with this gradient of
// the log density and the curvature of the normal.
func (n *Normal) StepFrom(gradient []float64) (sum float64) {
	for _, v := range n.whitenedStep(gradient) {
		sum += v * v
	}
	return sum
}

// whitenedStep returns the Newton step of StepFrom in whitened coordinates, so Point maps it to the mean plus the step.
func (n *Normal) whitenedStep(gradient []float64) []float64 {
	d := len(n.Mean)
	u := scaled(gradient, 1)
	for i := range d {
		for j := range i {
			u[i] -= n.Root[j*d+i] * u[j]
		}
		u[i] /= n.Root[i*d+i]
	}
	return u
}

// LogVolume returns log √det(2π covariance), which is minus the log density at the mean.
func (n *Normal) LogVolume() float64 {
	d := len(n.Mean)
	sum := float64(d) / 2 * math.Log(2*math.Pi)
	for i := range d {
		sum -= math.Log(n.Root[i*d+i])
	}
	return sum
}

// SD returns the standard deviations of the coordinates.
func (n *Normal) SD() []float64 {
	d := len(n.Mean)
	out, unit := make([]float64, d), make([]float64, d)
	for k := range d {
		clear(unit)
		unit[k] = 1
		for j, x := range n.Point(unit) {
			out[j] += (x - n.Mean[j]) * (x - n.Mean[j])
		}
	}
	for j := range out {
		out[j] = math.Sqrt(out[j])
	}
	return out
}
