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

// peakNear makes Newton steps to the maximum near the end of a climb, and gives Laplace's approximation there; false
// if there is none: a saddle, the edge of a support, a ridge without an end. What the first round finds of the
// curvature gives the next one its steps, so that it decides nothing.
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

// isLike reports whether the target around a mode is like the mode's normal, roughly: at half of some points of it at
// least, the log density is not hopelessly far below what the normal has there. Along a shell or a ridge without an
// end, the curvature at the top says nothing of how far it goes.
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

// newton returns the maximum of the quadratic function that a normal's precision and a slope describe: its height
// above the current point, and its position.
func newton(n *adapt.Normal, slope []float64) (rise float64, top []float64) {
	d := len(slope)
	z := make([]float64, d) // Rootᵀ z = slope, by forward substitution
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

// curvature returns the log density, its gradient and −∇∇ᵀ of it at a point, by central differences of gradients. A
// hundredth of a coordinate's conditional standard deviation is its next step.
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

// withBarriers returns the modes that a barrier separates from the centre of the positions of each walker. Others are
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

// entered reports whether walkers show as much of a mode without a barrier before it as it holds, or whether too little
// is known of that to say so: of a spike inside of something wide, no step may ever have ended in it. What the mode
// holds is taken from points of its normal, by importance, and what walkers have shown by a bridge to their places.
func (t *Search) entered(m Mode) (bool, error) {
	const exact, notable = 0.5, 0.2
	in, ok, err := t.run.massAround(&m)
	if err != nil || !ok {
		return true, err
	}
	shown, err := t.shown()
	if errors.As(err, new(evidence.Unusable)) || err == nil && (shown.SE > exact || shown.Disagree()) {
		return true, nil
	}
	return in-shown.LogZ < math.Log(notable/(1-notable)), err
}

// massAround estimates the mass of a mode by importance sampling from its normal approximation; ok is false if the
// weights vary too much for an estimate.
func (r *Known) massAround(m *Mode) (mass float64, ok bool, err error) {
	mass, sd, err := r.massBy(m, math.Inf(1), 1)
	return mass, sd < mostOfWeights, err
}

// MassOfTails is massAround for a mode that may have heavier tails than a normal: where points of that say nothing,
// those of Student's t may, the wider of which are for modes whose curvature at the top is that of a peak.
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

// mostOfWeights is the standard deviation of the weights of as many points, over their mean, at which the mass is known
// to a quarter or so.
const (
	weighedPoints = 256
	mostOfWeights = 2
)

// massBy returns the mass of a mode from points of Student's t about its top, with some degrees of freedom and a scale
// in terms of its normal's, and the standard deviation of their weights, over the mean. A normal has infinite freedom.
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

// chiSquared returns a draw of a chi-squared distribution.
func chiSquared(freedom float64, r *rand.Rand) float64 {
	return distuv.ChiSquared{K: freedom, Src: r}.Rand()
}

// logStudent returns the log density of Student's t in some dimensions at a squared distance from its center.
func logStudent(square, freedom, dim float64) float64 {
	a, _ := math.Lgamma((freedom + dim) / 2)
	b, _ := math.Lgamma(freedom / 2)
	return a - b - dim/2*math.Log(freedom*math.Pi) - (freedom+dim)/2*math.Log1p(square/freedom)
}

// relative returns numbers whose logarithms are given, as multiples of one.
func relative(logs []float64, one float64) []float64 {
	out := make([]float64, len(logs))
	for i, l := range logs {
		out[i] = math.Exp(l - one)
	}
	return out
}

// shown returns an estimate of log Z from the walkers' positions in the second half of the window.
func (t *Search) shown() (evidence.Result, error) {
	var chains [][][]float64
	for _, xs := range t.seen.Visited {
		chains = append(chains, xs[len(xs)/2:])
	}
	return evidence.Estimate(t.run.Phase.Options.Seed, chains, func(at [][]float64) ([]float64, error) {
		density, _, err := t.run.Evaluate(at, false)
		return density, err
	})
}
