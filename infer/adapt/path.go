package adapt

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// A Path is a climb to a mode that fits a normal at each of its points, and keeps the one that is most like the target
// (Zhang, Carpenter, Gelman, Vehtari, "Pathfinder: parallel quasi-Newton variational inference", JMLR 23, 2022). The
// top itself may be a narrow spike that holds next to nothing of the target, as that of a hierarchy whose scale is 0;
// the evidence lower bound (ELBO) is highest where the mass is. Moves are those of BFGS (Nocedal and Wright, Numerical
// Optimization, 2006, section 6.1), the first of length 1, and none ten times longer than the one before.
//
//	p := adapt.NewPath(start, noise, nil)
//	for !p.Done {
//		p.Report(density(p.X), gradient(p.X))
//		if at := p.Draws(); at != nil {
//			p.Score(densities(at))
//		}
//	}
//	p.Fit     the best normal; without a mean if none could be fitted
//
// All of it is data, so that it can be saved between two evaluations.
type Path struct {
	X           []float64 // to be evaluated next
	Evaluations int
	Done        bool

	Best      []float64 // the highest point so far; nil before the first with a density
	Density   float64
	Gradient  []float64
	Direction []float64  // from Best
	Step      float64    // of the direction, to X
	Longest   float64    // of the move to X
	Spread    Covariance // by the moves so far; nil if nothing is known

	Noise [][]float64 // standard normal numbers of the draws by which normals are compared; none: nothing is fitted
	Next  *Fit        // whose bound is not known yet
	Fit   Fit
	Worse int // how many normals since the best were no better
}

// A Fit is a normal, and how well it approximates the target.
type Fit struct {
	At     []float64 // the point that it was fitted at
	Mean   []float64
	Spread Covariance
	Level  float64 // the mean log density of its draws
	Bound  float64 // the evidence lower bound
	Rough  float64 // the standard deviation of log density − log normal over its draws: 0 if it is the target
}

// A Covariance is a matrix [dim, dim].
type Covariance []float64

const (
	pathEvaluations = 100
	pathPatience    = 8    // normals in a row that are no better than one before
	pathNear        = 0.02 // the squared distance from the mode in standard deviations, for each coordinate
	pathRise        = 1e-4 // of what the gradient promises
	pathStraight    = 0.9  // of the slope is left if a move was far too short
	pathLonger      = 10.0 // times as long is the next one then
)

// NewPath has no density at its start yet. The covariance of the target may be known; nil: it is not.
func NewPath(start []float64, noise [][]float64, spread Covariance) Path {
	return Path{X: start, Noise: noise, Spread: spread, Longest: 1, Fit: Fit{Bound: math.Inf(-1)}}
}

// Report takes in the density and gradient at X and chooses the next point.
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

// ClimbTogether evaluates the next point of each path that has not ended, and the draws of the normals that came from
// the points before, all at once. It is false if there was nothing left to evaluate.
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

// StandardNormal returns standard normal numbers of some draws in a number of dimensions.
func StandardNormal(draws, dim int, random *rand.Rand) [][]float64 {
	out := make([][]float64, draws)
	for i := range out {
		for range dim {
			out[i] = append(out[i], random.NormFloat64())
		}
	}
	return out
}

// shorter is by how much the next step is shorter: to the top of the parabola through what is known, within limits.
func (p *Path) shorter(density float64) float64 {
	const least, most = 0.1, 0.5
	slope := p.Step * dot(p.Direction, p.Gradient)
	if to := slope / (2 * (slope + p.Density - density)); to > least { // false if it is not a number
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

// learn updates the covariance by a move and the change of the gradient with it, its sign turned. If the density hardly
// curves along the move, moves were too short.
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

// Draws returns points of the normal at the best point, for Score; nil if there is no new normal.
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

// Score takes in the log densities at Draws.
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

// Draws returns points of the normal, from standard normal numbers; nil if it is not one.
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

// Score sets what is known of the fit from the log densities at Draws.
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

// Density is that of the normal; false if its covariance is not positive definite.
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

// IsNear reports whether a point with a gradient is so near the mode that Newton's steps have nothing to add.
func (f *Fit) IsNear(gradient []float64) bool {
	return dot(f.Spread.times(gradient), gradient) < pathNear*float64(len(gradient))
}

// FitAt returns the normal at a point with a gradient and −∇∇ᵀ of the log density. If the density curves upwards in
// some directions, it is as wide there as if it curved as much downwards. It is false if no curvature is known.
func FitAt(x, gradient []float64, curvature *mat.SymDense) (Fit, bool) {
	const flat = 1e-12 // of the greatest curvature counts as none
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

// fitAt returns the normal that has a gradient at a point.
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

// updated returns the covariance after a move and the change of the gradient with it, its sign turned. Nothing is
// learned if the density curves upwards.
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

// times returns the product with a vector.
func (c Covariance) times(x []float64) []float64 {
	d := len(x)
	out := make([]float64, d)
	for i := range out {
		out[i] = floats.Dot(c[i*d:(i+1)*d], x)
	}
	return out
}

// root returns a lower triangular root [dim, dim]; false if the covariance is not positive definite.
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
// has no directions to stretch. It is false if the covariance is not positive definite.
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
