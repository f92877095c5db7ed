package adapt

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Outlook estimates the target's mass from the middle of the draws of a coordinate towards one end, a region that a
// sampler may fail to reach. At points further and further out it integrates the other coordinates out by Laplace's
// approximation (Tierney and Kadane 1986), corrected by importance sampling:
//
//	s ~ HalfNormal(1), theta[j in 1..8] ~ LogNormal(0, s)
//	  log s                −1   −2    −3    −4    −5    −6     at −6, all theta are within .25 % of 1
//	  log of the integral   0   −1.6  −2.9  −3.9  −4.9  −5.9   3 % of the mass below −1 is below −3
type Outlook struct {
	Coordinate int
	Up         bool
	From       []float64   // position in the middle of the draws
	Limits     []float64   // values of the coordinate, in outward order
	places     [][]float64 // after follow: pairs of the coordinate times direction(Up) and the log of the integral
}

const (
	outlookSteps  = 80   // maximum number of places
	outlookGrowth = 1.15 // growth factor of the distance between consecutive places beyond the last limit
	outlookWidest = 1.0  // maximum distance between such places
	outlookEnd    = 9.0  // the last place is the first at which the log integral is this far below its maximum
	outlookPoints = 512  // number of points of importance sampling at a place
	leastPoints   = 8    // minimum effective number of these points
	extendedFrom  = 5    // number of places from which the slope of the log integral is estimated
	leastSlope    = -0.4 // the slope must be below this to extrapolate
)

// MostIntegrated is the largest dimension of a target for which Shares computes integrals.
const MostIntegrated = mostWide

// Shares returns for each limit its share: the mass beyond the limit divided by the mass beyond From. ok is false if
// the integrals cannot be computed, or do not become small.
func (o *Outlook) Shares(evaluate Evaluator) (shares []float64, ok bool, err error) {
	if ok, err = o.follow(evaluate); err != nil || !ok {
		return nil, false, err
	}
	all := o.beyond(o.places[0][0])
	for _, limit := range o.Limits {
		shares = append(shares, o.beyond(direction(o.Up)*limit)/all)
	}
	return shares, true, nil
}

// follow computes the integrals from From outwards and stores them in places.
func (o *Outlook) follow(evaluate Evaluator) (ok bool, err error) {
	if len(o.From) > mostWide || len(o.Limits) == 0 {
		return false, nil
	}
	sign, over := direction(o.Up), []int{}
	for j := range o.From {
		if j != o.Coordinate {
			over = append(over, j)
		}
	}
	p, noise := newPeak(o.From, over, evaluate), outlookNoise(len(over))
	last := sign * o.Limits[len(o.Limits)-1]
	at := sign * o.From[o.Coordinate]
	step, most := math.Max((last-at)/16, 1e-3), math.Inf(-1)
	o.places = nil
	for range outlookSteps {
		mass, found, err := p.integral(noise)
		if err != nil || !found {
			return err == nil && at > last && o.extend(most), err
		}
		o.places, most = append(o.places, []float64{at, mass}), math.Max(most, mass)
		if at > last && mass < most-outlookEnd {
			return true, nil
		}
		if at > last {
			step = math.Min(step*outlookGrowth, outlookWidest)
		}
		at += step
		p.at[o.Coordinate] = sign * at
	}
	return false, nil
}

// extend adds a last place by linear extrapolation of the log integral, if the integrals could not be computed further
// out but fall fast enough. It reports whether they do.
func (o *Outlook) extend(most float64) bool {
	n := len(o.places)
	if n < extendedFrom {
		return false
	}
	a, b := o.places[n-extendedFrom], o.places[n-1]
	slope := (b[1] - a[1]) / (b[0] - a[0])
	if !(slope < leastSlope) {
		return false
	}
	out := math.Max(0, b[1]-(most-outlookEnd)) / -slope
	o.places = append(o.places, []float64{b[0] + out, b[1] + slope*out})
	return true
}

// beyond returns the mass further out than place (a coordinate times direction(Up)), up to a factor. The log of the
// integral is interpolated linearly between places.
func (o *Outlook) beyond(place float64) (sum float64) {
	top := math.Inf(-1)
	for _, p := range o.places {
		top = math.Max(top, p[1])
	}
	for k := 1; k < len(o.places); k++ {
		a, b := o.places[k-1], o.places[k]
		if b[0] <= place {
			continue
		}
		if a[0] < place {
			a = []float64{place, a[1] + (b[1]-a[1])*(place-a[0])/(b[0]-a[0])}
		}
		fall := b[1] - a[1]
		mean := math.Exp(a[1]-top) * (1 + fall/2)
		if math.Abs(fall) > 1e-3 {
			mean = (math.Exp(b[1]-top) - math.Exp(a[1]-top)) / fall
		}
		sum += (b[0] - a[0]) * mean
	}
	return sum
}

// outlookNoise returns points for importance sampling, in standard deviations from a peak. The last element of each is
// the log of its proposal density. All places use the same points, so that their errors are similar.
func outlookNoise(dim int) (points [][]float64) {
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: math.Max(5, float64(dim)), Src: rand.New(rand.NewPCG(0x0071, 0))}
	for range outlookPoints {
		z, log := make([]float64, dim+1), 0.0
		for i := range dim {
			z[i] = t.Rand()
			log += t.LogProb(z[i])
		}
		z[dim] = log
		points = append(points, z)
	}
	return points
}

// integral finds the peak and returns the log of the integral over its coordinates. found is false if there is no peak,
// or if the normal at the peak approximates the target too poorly.
func (p *peak) integral(noise [][]float64) (log float64, found bool, err error) {
	log, end, err := p.find()
	if err != nil || end != reached || len(p.over) == 0 {
		return log, end == reached, err
	}
	dim := len(p.over)
	volume := p.found.LogVolume() - float64(dim)/2*math.Log(2*math.Pi)
	points := make([][]float64, len(noise))
	for k, z := range noise {
		points[k] = p.position(p.found.Point(z[:dim]))
	}
	weights, _, err := p.evaluate(points)
	if err != nil {
		return 0, false, err
	}
	weights = slices.Clone(weights)
	for k, z := range noise {
		weights[k] -= z[dim]
		if math.IsNaN(weights[k]) {
			weights[k] = math.Inf(-1)
		}
	}
	sum := floats.LogSumExp(weights)
	squares := 0.0
	for _, w := range weights {
		squares += math.Exp(2 * (w - sum))
	}
	return sum - math.Log(float64(len(noise))) + volume, squares < 1.0/leastPoints, nil
}
