package evidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

// Tails are looked at from some draws, in some directions of several coordinates, at distances in units of the spread
// of a coordinate. They are so large that a power law is all that is left of a tail that follows one, and squares of
// them are far from overflow.
const (
	fromDraws   = 3
	intoSeveral = 8
)

func distances() []float64 { return []float64{1e5, 1e7, 1e9} }

// TailPoints is at how many points NoIntegral evaluates the density, at most.
func TailPoints(dim int) int { return (2*dim + intoSeveral) * fromDraws * len(distances()) }

// NoIntegral reports why the power beta of a density has no integral, where tails show it; "" if they do not. A density
// that falls as r^(-p) in all directions of an open cone of d dimensions has an integral to the power of beta only if
// beta p > d. The cones are the single coordinates, about which others may move a little, and all those together in
// which the density follows a power law. What it says holds, but it need not find all: tails that are heavy only
// along a curve, as of a funnel, are not looked for. Draws of that power do not show it, since they never get far
// enough.
func NoIntegral(beta float64, chains [][][]float64, logDensity LogDensity) (string, error) {
	p := newProbe(chains, logDensity)
	var heavy []int
	var way []float64 // the direction in which a heavy coordinate is heavier, in units of its spread
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
	return fmt.Sprintf("the density at its hottest temperature, %.3g, has no integral: with the distance r in %d of "+
		"the coordinates it falls as r^-%.2g there, and has to fall faster than r^-%d", 1/beta, dims, beta*power, dims)
}

// A probe looks at the density far away from draws.
type probe struct {
	from       [][]float64
	spreads    []float64 // by coordinate: half the distance between the quartiles of all draws
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

// power is p where the density falls as r^(-p) in a direction from all draws, the greatest; +Inf where it follows no
// power law.
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

// powerLaw is p by the logarithms of a density at all distances.
func powerLaw(l []float64) float64 {
	const alike = .01
	r := distances()
	near := (l[0] - l[1]) / math.Log(r[1]/r[0])
	far := (l[1] - l[2]) / math.Log(r[2]/r[1])
	if !(math.Abs(near-far) <= alike*math.Max(math.Abs(far), alike)) { // also if one is not finite
		return math.Inf(1)
	}
	return far
}

// severalPower returns the greatest p in directions of several coordinates.
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
