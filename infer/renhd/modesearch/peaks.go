package modesearch

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
	"ppl/posterior/evidence"
	"ppl/posterior/stats"
)

// barrierDepth is the fall of the log density between two positions that counts as a barrier. Smaller falls hardly slow
// walkers down.
const barrierDepth = 2

// peakNear takes Newton steps from the end of a climb to the maximum, and returns Laplace's approximation there. ok is
// false if there is no maximum: at a saddle, the edge of a support, or an endless ridge. The curvature of the first
// round only sets the difference steps of the next one, and decides nothing.
func (r *Known) peakNear(x []float64) (m Mode, ok bool, err error) {
	const rounds, close = 5, 0.05
	steps := adapt.DifferenceSteps(x)
	for round := range rounds {
		height, slope, precision, err := r.curvature(x, steps)
		if err != nil {
			return m, false, err
		}
		n, ok := adapt.NormalAt(x, precision)
		if !ok && round == 0 {
			continue
		}
		if !ok || m.At != nil && height < m.Height-1e-9 {
			return m, false, nil
		}
		decrement, next := newton(&n, slope)
		m = Mode{At: x, Height: height, Normal: n, Mass: height + decrement + n.LogVolume()}
		if decrement < close && round > 0 {
			ok, err := r.isLike(&m)
			return m, ok, err
		}
		x = next
	}
	return m, false, nil
}

// isLike reports whether the target around a mode is roughly like the mode's normal: at no fewer than half of some
// points of the normal, the log density is not hopelessly far below the normal's. Along a shell or an endless ridge,
// the curvature at the peak does not determine the extent.
func (r *Known) isLike(m *Mode) (bool, error) {
	const points = 32
	random := rand.New(rand.NewPCG(r.Phase.Options.Seed, likenessStream))
	var at [][]float64
	var expected []float64
	for range points {
		z := NormalNumbers(len(m.At), 1, random)
		at, expected = append(at, m.Normal.Point(z)), append(expected, m.Height-floats.Dot(z, z)/2)
	}
	density, _, err := r.Evaluate(at, false)
	far := 0
	for i, d := range density {
		far += int(population.OneIf(!(d > expected[i]-population.Hopeless(len(m.At)))))
	}
	return 2*far <= points, err
}

// newton returns the maximum of the quadratic function with a normal's precision and this slope: its height above the
// current point, and its position.
func newton(n *adapt.Normal, slope []float64) (rise float64, top []float64) {
	d := len(slope)
	z := make([]float64, d) // solves Rootᵀ z = slope by forward substitution
	for i := range d {
		z[i] = slope[i]
		for j := range i {
			z[i] -= n.Root[j*d+i] * z[j]
		}
		z[i] /= n.Root[i*d+i]
		rise += z[i] * z[i] / 2
	}
	return rise, n.Point(z)
}

// curvature returns the log density at x, its gradient and its −∇∇ᵀ, by central differences of gradients. It sets steps
// to a hundredth of each coordinate's conditional standard deviation, for the next call.
func (r *Known) curvature(x, steps []float64) (height float64, slope []float64, h *mat.SymDense, err error) {
	height, slope, h, err = adapt.Curvature(x, adapt.AllOf(len(x)), steps, r.EvaluateSlopes)
	if err != nil {
		return 0, nil, nil, err
	}
	for i := range x {
		if c := h.At(i, i); c > 0 {
			steps[i] = 0.01 / math.Sqrt(c)
		}
	}
	return height, slope, h, nil
}

// withBarriers returns the modes that a barrier separates from the centres of all walkers' positions. The others are
// mostly local maxima of a region that walkers are in already, or so narrow that walkers hardly enter them.
func (t *Search) withBarriers(modes []Mode) (out []Mode, err error) {
	if len(modes) == 0 {
		return nil, nil
	}
	var at [][]float64
	var highest []float64
	for _, late := range t.seen.Late {
		if late.Top != nil {
			at, highest = append(at, late.Mean()), append(highest, late.Density)
		}
	}
	height, err := t.run.Heights(at)
	if err != nil {
		return nil, err
	}
	from := slices.DeleteFunc(adapt.AllOf(len(at)), func(k int) bool { return height[k] < highest[k] })
	for _, m := range modes {
		lowest, err := t.run.LowestBetween(append(slices.Clip(at), m.At), len(at), from)
		if err != nil {
			return nil, err
		}
		connected := false
		for i, k := range from {
			connected = connected || lowest[i] >= math.Min(height[k], m.Height)-barrierDepth
		}
		if connected {
			if connected, err = t.entered(m); err != nil {
				return nil, err
			}
		}
		if !connected {
			out = append(out, m)
		}
	}
	return out, nil
}

// entered reports whether walkers have visited a mode without a barrier in proportion to its mass. It also returns true
// if too little is known to decide: in a spike inside a wide mode, no step may ever have ended. The mass of the mode is
// estimated by importance sampling from its normal, the mass visited by walkers by bridge sampling.
func (t *Search) entered(m Mode) (bool, error) {
	const exact, notable = 0.5, 0.2
	in, ok, err := t.run.massAround(&m)
	if err != nil || !ok {
		return true, err
	}
	shown, err := t.visitedMass()
	if errors.As(err, new(evidence.Unusable)) || err == nil && (shown.SE > exact || shown.Disagree()) {
		return true, nil
	}
	return in-shown.LogZ < math.Log(notable/(1-notable)), err
}

// massAround estimates the log mass of a mode by importance sampling from its normal approximation. ok is false if the
// weights vary too much for an estimate.
func (r *Known) massAround(m *Mode) (mass float64, ok bool, err error) {
	mass, sd, err := r.massBy(m, math.Inf(1), 1)
	return mass, sd < mostOfWeights, err
}

// MassOfTails is massAround for a mode that may have heavier tails than a normal. If points of the normal give no
// estimate, it tries Student's t of increasing scale; the wider ones suit modes with a sharp peak.
func (r *Known) MassOfTails(m *Mode) (mass float64, ok bool, err error) {
	const freedom = 5
	mass, sd, err := r.massBy(m, math.Inf(1), 1)
	for _, scale := range []float64{1, 1.5, 2} {
		if err != nil || sd < mostOfWeights {
			break
		}
		mass, sd, err = r.massBy(m, freedom, scale)
	}
	return mass, sd < mostOfWeights, err
}

// weighedPoints is the number of points for importance sampling. mostOfWeights is the maximum standard deviation of
// their weights divided by the mean; at this value the error of the mass is about a quarter.
const (
	weighedPoints = 256
	mostOfWeights = 2
)

// massBy returns the log mass of a mode from points of Student's t around its peak, and the standard deviation of their
// weights divided by the mean. freedom is the number of degrees of freedom, infinite for a normal; scale multiplies the
// width of the mode's normal.
func (r *Known) massBy(m *Mode, freedom, scale float64) (mass, sd float64, err error) {
	random := rand.New(rand.NewPCG(r.Phase.Options.Seed, entryStream))
	dim := float64(len(m.At))
	var at [][]float64
	var weights []float64
	for range weighedPoints {
		z := NormalNumbers(len(m.At), 1, random)
		weight := floats.Dot(z, z)/2 + m.Normal.LogVolume()
		if !math.IsInf(freedom, 1) {
			floats.Scale(math.Sqrt(freedom/chiSquared(freedom, random)), z)
			weight = m.Normal.LogVolume() - dim/2*math.Log(2*math.Pi) - logStudent(floats.Dot(z, z), freedom, dim)
		}
		floats.Scale(scale, z)
		at, weights = append(at, m.Normal.Point(z)), append(weights, weight+dim*math.Log(scale))
	}
	density, _, err := r.Evaluate(at, false)
	if err != nil {
		return 0, 0, err
	}
	floats.Add(weights, density)
	mass = stats.LogMean(weights)
	return mass, stat.StdDev(relative(weights, mass), nil), nil
}

// chiSquared returns a draw from a chi-squared distribution.
func chiSquared(freedom float64, r *rand.Rand) float64 {
	return distuv.ChiSquared{K: freedom, Src: r}.Rand()
}

// logStudent returns the log density of Student's t in dim dimensions at a squared distance from its centre.
func logStudent(square, freedom, dim float64) float64 {
	a, _ := math.Lgamma((freedom + dim) / 2)
	b, _ := math.Lgamma(freedom / 2)
	return a - b - dim/2*math.Log(freedom*math.Pi) - (freedom+dim)/2*math.Log1p(square/freedom)
}

// relative returns the exponentials of logs, divided by that of one.
func relative(logs []float64, one float64) []float64 {
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l - one)
	}
	return out
}

// visitedMass returns an estimate of log Z from the walkers' positions in the second half of the window.
func (t *Search) visitedMass() (evidence.Result, error) {
	var chains [][][]float64
	for _, xs := range t.seen.Visited {
		chains = append(chains, xs[len(xs)/2:])
	}
	return evidence.Estimate(t.run.Phase.Options.Seed, chains, func(at [][]float64) ([]float64, error) {
		density, _, err := t.run.Evaluate(at, false)
		return density, err
	})
}
