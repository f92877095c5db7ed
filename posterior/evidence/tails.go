package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Tails are probed from fromDraws draws, along each coordinate and in intoSeveral random directions of several
// coordinates, at distances in units of a coordinate's spread. The distances are so large that only the exponent of a
// tail with a power law remains visible, and small enough that their squares do not overflow.
const (
	fromDraws   = 3
	intoSeveral = 8
)

func distances() []float64 { return []float64{1e5, 1e7, 1e9} }

// TailPoints returns an upper bound of the number of points at which NoIntegral evaluates the density.
func TailPoints(dim int) int { return (2*dim + intoSeveral) * fromDraws * len(distances()) }

// NoIntegral returns the reason why the density to the power beta has no finite integral, or "" if its tails show none.
// A density that falls as r^(-p) in all directions of an open cone of d dimensions has a finite integral to the power
// beta only if beta p > d. The cones probed are each coordinate by itself, with the others moving a little, and all
// coordinates whose tails follow a power law together. Not every improper density is found: tails that are heavy only
// along a curve, such as a funnel's, are not probed. Draws cannot show the problem, since they never get far enough.
func NoIntegral(beta float64, chains [][][]float64, logDensity LogDensity) (string, error) {
	p := newProbe(chains, logDensity)
	var heavy []int
	var way []float64 // for each coordinate in heavy, its signed spread in the direction of the heavier tail
	for i, spread := range p.spreads {
		side, least := 0.0, math.Inf(1)
		for _, s := range []float64{spread, -spread} {
			power, err := p.power(unit(len(p.spreads), i, s))
			if err != nil {
				return "", err
			}
			if power < least {
				side, least = s, power
			}
		}
		if math.IsInf(least, 1) {
			continue
		}
		if !(beta*least > 1) {
			return noIntegral(beta, least, 1), nil
		}
		heavy, way = append(heavy, i), append(way, side)
	}
	if len(heavy) < 2 {
		return "", nil
	}
	power, err := p.severalPower(heavy, way)
	if err == nil && !(beta*power > float64(len(heavy))) {
		return noIntegral(beta, power, len(heavy)), nil
	}
	return "", err
}

func noIntegral(beta, power float64, dims int) string {
	return fmt.Sprintf("the density at the hottest temperature, %.3g, has no finite integral: along %d of the "+
		"coordinates it falls as r^-%.2g with the distance r, and must fall faster than "+
		"r^-%d", 1/beta, dims, beta*power, dims)
}

// A probe evaluates the density far away from draws.
type probe struct {
	from       [][]float64
	spreads    []float64 // by coordinate: half the interquartile range of all draws
	logDensity LogDensity
}

func newProbe(chains [][][]float64, logDensity LogDensity) probe {
	all := slices.Concat(chains...)
	p := probe{logDensity: logDensity}
	for k := range fromDraws {
		p.from = append(p.from, all[k*(len(all)-1)/(fromDraws-1)])
	}
	column := make([]float64, len(all))
	for i := range all[0] {
		for k, x := range all {
			column[k] = x[i]
		}
		slices.Sort(column)
		p.spreads = append(p.spreads, (stat.Quantile(.75, stat.Empirical, column, nil)-
			stat.Quantile(.25, stat.Empirical, column, nil))/2)
	}
	return p
}

func unit(dim, i int, length float64) []float64 {
	u := make([]float64, dim)
	u[i] = length
	return u
}

// power returns the largest p, over the starting draws, for which the density falls as r^(-p) in a direction. It
// returns +Inf if the density follows no power law from one of them.
func (p probe) power(direction []float64) (greatest float64, err error) {
	var points [][]float64
	for _, x := range p.from {
		for _, r := range distances() {
			points = append(points, floats.AddScaledTo(make([]float64, len(x)), x, r, direction))
		}
	}
	l, err := p.logDensity(points)
	if err != nil {
		return 0, err
	}
	greatest = math.Inf(-1)
	for ; len(l) > 0; l = l[len(distances()):] {
		greatest = math.Max(greatest, powerLaw(l))
	}
	return greatest, nil
}

// powerLaw returns p, given the log density at all distances, or +Inf if no power law fits.
func powerLaw(l []float64) float64 {
	const alike = .01
	r := distances()
	near := (l[0] - l[1]) / math.Log(r[1]/r[0])
	far := (l[1] - l[2]) / math.Log(r[2]/r[1])
	if !(math.Abs(near-far) <= alike*math.Max(math.Abs(far), alike)) { // this also holds if one is not finite
		return math.Inf(1)
	}
	return far
}

// severalPower returns the largest p over random directions in which all the given coordinates change.
func (p probe) severalPower(coordinates []int, way []float64) (float64, error) {
	r := rand.New(rand.NewPCG(0x7a11, uint64(len(coordinates))))
	greatest := math.Inf(-1)
	for range intoSeveral {
		direction := make([]float64, len(p.spreads))
		for k, i := range coordinates {
			direction[i] = (.5 + r.Float64()) * way[k]
		}
		power, err := p.power(direction)
		if err != nil {
			return 0, err
		}
		greatest = math.Max(greatest, power)
	}
	return greatest, nil
}
