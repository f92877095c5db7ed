package adapt

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Path is a climb to a mode that fits a normal at each of its points and keeps the normal most similar to the target
// (Zhang, Carpenter, Gelman, Vehtari, "Pathfinder: parallel quasi-Newton variational inference", JMLR 23, 2022). The
// mode itself may be a narrow spike with negligible mass, as in a hierarchy whose scale is 0; the evidence lower bound
// (ELBO) is highest at the bulk of the mass. Moves are those of BFGS (Nocedal and Wright, Numerical Optimization, 2006,
// section 6.1). The first has length 1; each later one is at most ten times longer than the previous one.
//
//	p := adapt.NewPath(start, noise, nil)
//	for !p.Done {
//		p.Report(density(p.X), gradient(p.X))
//		if at := p.Draws(); at != nil {
//			p.Score(densities(at))
//		}
//	}
//	// p.Fit is the best normal; its Mean is nil if none could be fitted
//
// The struct is plain data, so it can be saved between two evaluations.
type Path struct {
	X           []float64 // next point to evaluate
	Evaluations int
	Done        bool

	Best      []float64 // highest point so far; nil before the first finite density
	Density   float64
	Gradient  []float64
	Direction []float64  // search direction from Best
	Step      float64    // fraction of Direction from Best to X
	Longest   float64    // maximum length of the move to X
	Spread    Covariance // covariance estimated from the moves so far; nil if unknown

	Noise [][]float64 // standard normal numbers for the draws that compare normals; if empty, no normals are fitted
	Next  *Fit        // normal whose bound is not known yet; nil if there is none
	Fit   Fit
	Worse int // number of consecutive normals that were not better than Fit
}

// A Fit is a normal, with measures of how well it approximates the target.
type Fit struct {
	At     []float64 // point at which it was fitted
	Mean   []float64
	Spread Covariance
	Level  float64 // mean log density of the target at its draws
	Bound  float64 // evidence lower bound
	Rough  float64 // standard deviation of log density − log normal over its draws; 0 for a perfect fit
}

// A Covariance is a matrix [dim, dim], row-major.
type Covariance []float64

const (
	pathEvaluations = 100
	pathPatience    = 8    // a path ends after this many consecutive normals that were not better
	pathNear        = 0.02 // a path ends at this squared distance from the mode, in sd, for each coordinate
	pathRise        = 1e-4 // minimum rise, as a fraction of the rise that the gradient predicts
	pathStraight    = 0.9  // a move was far too short if more than this share of the slope remains
	// pathLonger is the maximum ratio of the length of a move to that of the previous one. The covariance is multiplied
	// by it after a move that was far too short.
	pathLonger = 10.0
)

// NewPath returns a Path at a starting point whose density has not been evaluated. spread is the covariance of the
// target, or nil if it is unknown.
func NewPath(start []float64, noise [][]float64, spread Covariance) Path {
	return Path{X: start, Noise: noise, Spread: spread, Longest: 1, Fit: Fit{Bound: math.Inf(-1)}}
}

// Report updates the path by the density and gradient at X, and chooses the next X.
func (p *Path) Report(density float64, gradient []float64) {
	const smallest = 1e-10
	p.Evaluations++
	rise := pathRise * p.Step * dot(p.Direction, p.Gradient)
	usable := !math.IsNaN(density) && !math.IsInf(density, 0) && finite(gradient)
	switch {
	case usable && (p.Best == nil || density >= p.Density+rise):
		p.accept(density, gradient)
	case p.Best == nil:
		p.Done = true
	default:
		p.Step *= p.shorter(density)
		p.Done = p.Step < smallest
	}
	p.Done = p.Done || p.Evaluations >= pathEvaluations
	if !p.Done {
		p.X = scaled(p.Best, 1)
		add(p.X, p.Direction, p.Step)
	}
}

// ClimbTogether evaluates, in one call, the next point of each unfinished path and the draws of the normals fitted at
// the previous points. It returns false if there was nothing to evaluate.
func ClimbTogether(paths []Path, evaluate Evaluator) (climbed bool, err error) {
	var at [][]float64
	var climbing, scored []*Path
	for k := range paths {
		if p := &paths[k]; !p.Done {
			climbing, at = append(climbing, p), append(at, p.X)
		}
	}
	for k := range paths {
		if draws := paths[k].Draws(); draws != nil {
			scored, at = append(scored, &paths[k]), append(at, draws...)
		}
	}
	if len(at) == 0 {
		return false, nil
	}
	density, gradient, err := evaluate(at)
	if err != nil {
		return false, err
	}
	first := len(climbing)
	for _, p := range scored {
		p.Score(density[first : first+len(p.Noise)])
		first += len(p.Noise)
	}
	for i, p := range climbing {
		p.Report(density[i], gradient[i])
	}
	return true, nil
}

// StandardNormal returns a matrix [draws, dim] of standard normal numbers.
func StandardNormal(draws, dim int, random *rand.Rand) [][]float64 {
	out := make([][]float64, draws)
	for i := range out {
		for range dim {
			out[i] = append(out[i], random.NormFloat64())
		}
	}
	return out
}

// shorter returns the factor by which to shorten the step: to the maximum of the parabola through the known values,
// within limits.
func (p *Path) shorter(density float64) float64 {
	const least, most = 0.1, 0.5
	slope := p.Step * dot(p.Direction, p.Gradient)
	if to := slope / (2 * (slope + p.Density - density)); to > least { // false if to is NaN
		return math.Min(to, most)
	}
	return least
}

func (p *Path) accept(density float64, gradient []float64) {
	if p.Best != nil {
		move := difference(p.X, p.Best)
		p.learn(move, difference(p.Gradient, gradient))
		p.Longest = pathLonger * norm(move)
	}
	p.Best, p.Density, p.Gradient = p.X, density, gradient
	if p.Spread == nil {
		p.Direction, p.Step = scaled(gradient, 1/math.Max(norm(gradient), math.SmallestNonzeroFloat64)), 1
		return
	}
	p.Direction = p.Spread.times(gradient)
	p.Step = math.Min(1, p.Longest/norm(p.Direction))
	p.Done = dot(p.Direction, gradient) < pathNear*float64(len(gradient))
	if len(p.Noise) > 0 {
		next := fitAt(p.Best, gradient, p.Spread)
		p.Next = &next
	}
}

// learn updates the covariance by a move and the decrease of the gradient along it. If the density hardly curves along
// the move, moves were too short, and the covariance is increased.
func (p *Path) learn(move, change []float64) {
	straight := dot(move, difference(p.Gradient, change)) > pathStraight*dot(move, p.Gradient)
	if p.Spread == nil {
		variance := dot(move, change) / dot(change, change)
		if straight {
			variance = norm(move) / norm(p.Gradient)
		}
		if !(variance > 0) {
			return
		}
		p.Spread = roundCovariance(len(move), variance)
	}
	p.Spread = p.Spread.updated(move, change)
	if straight {
		p.Spread = scaled(p.Spread, pathLonger)
	}
}

// Draws returns draws of the latest normal, for Score. It returns nil if there is no new normal.
func (p *Path) Draws() (at [][]float64) {
	if p.Next == nil {
		return nil
	}
	at = p.Next.Draws(p.Noise)
	if at == nil {
		p.Next = nil
	}
	return at
}

// Score updates the path by the log densities at Draws.
func (p *Path) Score(densities []float64) {
	fit := *p.Next
	p.Next = nil
	fit.Score(p.Noise, densities)
	if fit.Bound > p.Fit.Bound {
		p.Fit, p.Worse = fit, 0
		return
	}
	p.Worse++
	p.Done = p.Done || p.Fit.Mean != nil && p.Worse >= pathPatience
}

// Draws maps standard normal numbers to draws of the normal. It returns nil if the covariance is not positive definite.
func (f *Fit) Draws(noise [][]float64) (at [][]float64) {
	root, ok := f.Spread.root(len(f.Mean))
	if !ok || !finite(f.Mean) {
		return nil
	}
	for _, z := range noise {
		x := scaled(f.Mean, 1)
		add(x, Covariance(root).times(z), 1)
		at = append(at, x)
	}
	return at
}

// Score sets Level, Bound and Rough from the log densities at Draws.
func (f *Fit) Score(noise [][]float64, densities []float64) {
	own, _ := f.Density()
	differences := make([]float64, len(noise))
	for i, z := range noise {
		differences[i] = densities[i] + dot(z, z)/2 - own.top
	}
	f.Level = stat.Mean(densities[:len(noise)], nil)
	f.Bound, f.Rough = stat.MeanStdDev(differences, nil)
	if math.IsNaN(f.Bound) {
		f.Bound = math.Inf(-1)
	}
}

// A Density computes log densities of a normal.
type Density struct {
	mean, root []float64
	top        float64 // the log density at the mean
}

// Density returns the density of the normal. ok is false if its covariance is not positive definite.
func (f *Fit) Density() (d Density, ok bool) {
	dim := len(f.Mean)
	root, ok := f.Spread.root(dim)
	if !ok {
		return d, false
	}
	d = Density{f.Mean, root, -float64(dim) / 2 * math.Log(2*math.Pi)}
	for i := range dim {
		d.top -= math.Log(root[i*dim+i])
	}
	return d, true
}

// Log returns the log density at a point.
func (d *Density) Log(x []float64) float64 {
	dim, z, out := len(d.mean), difference(x, d.mean), d.top
	for i := range dim {
		z[i] = (z[i] - floats.Dot(d.root[i*dim:i*dim+i], z[:i])) / d.root[i*dim+i]
		out -= z[i] * z[i] / 2
	}
	return out
}

// IsNear reports whether a point with this gradient is so near the mode that no more Newton steps are needed.
func (f *Fit) IsNear(gradient []float64) bool {
	return dot(f.Spread.times(gradient), gradient) < pathNear*float64(len(gradient))
}

// FitAt returns the normal for a point x, given the gradient and −∇∇ᵀ of the log density there. In directions in which
// the density curves upwards, it uses the absolute value of the curvature. It returns false if all curvature is 0 or
// not finite.
func FitAt(x, gradient []float64, curvature *mat.SymDense) (Fit, bool) {
	const flat = 1e-12 // curvatures below this fraction of the greatest count as zero
	d := len(x)
	var e mat.EigenSym
	if !finite(curvature.RawSymmetric().Data) || !e.Factorize(curvature, true) {
		return Fit{}, false
	}
	var directions, widths, product mat.Dense
	e.VectorsTo(&directions)
	values := e.Values(nil)
	greatest := math.Max(-values[0], values[d-1])
	widths.Apply(func(_, k int, v float64) float64 {
		return v / math.Max(math.Abs(values[k]), flat*greatest)
	}, &directions)
	product.Mul(&widths, directions.T())
	return fitAt(x, gradient, product.RawMatrix().Data), greatest > 0
}

// fitAt returns the normal with covariance spread whose log density has this gradient at x.
func fitAt(x, gradient []float64, spread Covariance) Fit {
	f := Fit{At: x, Mean: scaled(x, 1), Spread: spread, Bound: math.Inf(-1)}
	add(f.Mean, spread.times(gradient), 1)
	return f
}

func roundCovariance(dim int, variance float64) Covariance {
	out := make(Covariance, dim*dim)
	for i := range dim {
		out[i*dim+i] = variance
	}
	return out
}

// updated returns the covariance updated by a move and the decrease of the gradient along it. It returns c if the
// density curves upwards along the move.
func (c Covariance) updated(move, change []float64) Covariance {
	const flat = 1e-12
	d, along := len(move), dot(move, change)
	if !(along > flat*norm(move)*norm(change)) || !finite(move) || !finite(change) {
		return c
	}
	out, product := Covariance(scaled(c, 1)), c.times(change)
	scale := (1 + dot(change, product)/along) / along
	for i := range d {
		for j := range d {
			out[i*d+j] += scale*move[i]*move[j] - (product[i]*move[j]+move[i]*product[j])/along
		}
	}
	if !finite(out) {
		return c
	}
	return out
}

// times returns the product of the matrix and x.
func (c Covariance) times(x []float64) []float64 {
	d := len(x)
	out := make([]float64, d)
	for i := range out {
		out[i] = floats.Dot(c[i*d:(i+1)*d], x)
	}
	return out
}

// root returns a lower triangular root [dim, dim]. ok is false if the covariance is not positive definite.
func (c Covariance) root(dim int) (root []float64, ok bool) {
	var f mat.Cholesky
	if !f.Factorize(mat.NewSymDense(dim, scaled(c, 1))) {
		return nil, false
	}
	var l mat.TriDense
	f.LTo(&l)
	return mat.DenseCopyOf(&l).RawMatrix().Data, true
}

// OfFit returns a metric of m's form in which a fitted normal is round, as far as the form allows: a metric of low rank
// gets no stretched directions. It returns false if the covariance is not positive definite.
func (m Metric) OfFit(f Fit) (Metric, bool) {
	root, ok := f.Spread.root(m.Dim)
	if !ok {
		return m, false
	}
	if m.Rank < 0 {
		return Metric{Dim: m.Dim, Rank: -1, Factor: root}, true
	}
	out := lowRank(m.Dim, m.Rank)
	for j := range out.Scale {
		out.Scale[j] = math.Sqrt(f.Spread[j*m.Dim+j])
	}
	return out, true
}
