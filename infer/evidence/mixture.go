package evidence

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/infer/adapt"
)

// A mixture of normals.
type mixture struct {
	logWeights []float64
	parts      []adapt.Normal
}

// mostParts bounds the normals of a mixture, and leastPoints is how many draws each has to have.
const (
	mostParts   = 16
	leastPoints = 40
)

// fit is the mixture with that number of normals which gives points that it was not fitted to the highest density: a
// quarter of the points decides. More normals are tried until two numbers in a row are no better.
func fit(r *rand.Rand, points [][]float64) (mixture, bool) {
	points = shuffled(r, points)
	judges := points[:len(points)/4]
	rest := points[len(judges):]
	best, number, worse := math.Inf(-1), 1, 0
	for k := 1; k <= mostParts && k*leastPoints <= len(rest) && worse < 2; k++ {
		m, ok := fitParts(r, rest, k)
		score := math.Inf(-1)
		if ok {
			score = m.meanLogDensity(judges)
		}
		if score > best {
			best, number, worse = score, k, 0
		} else {
			worse++
		}
	}
	for ; number > 1; number-- {
		if m, ok := fitParts(r, points, number); ok { // from other centres, so that it may fail
			return m, true
		}
	}
	return fitParts(r, points, 1)
}

func shuffled(r *rand.Rand, points [][]float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, k := range r.Perm(len(points)) {
		out[i] = points[k]
	}
	return out
}

// fitParts fits k normals by expectation and maximisation (Dempster, Laird and Rubin 1977), from centres that lie far
// apart (k-means++: Arthur and Vassilvitskii 2007).
func fitParts(r *rand.Rand, points [][]float64, k int) (mixture, bool) {
	const rounds, tolerance = 100, 1e-4
	whole, ok := adapt.FitNormal(points, nil)
	if !ok {
		return mixture{}, false
	}
	shares := nearestCentres(r, points, k, &whole)
	var m mixture
	last := math.Inf(-1)
	for range rounds {
		if m, ok = maximise(points, shares); !ok {
			return m, false
		}
		now := m.expect(points, shares)
		if now-last < tolerance {
			break
		}
		last = now
	}
	return m, true
}

// nearestCentres gives each point to the nearest of k centres, [k][points].
func nearestCentres(r *rand.Rand, points [][]float64, k int, whole *adapt.Normal) [][]float64 {
	z := make([][]float64, len(points))
	for i, p := range points {
		z[i] = whole.Whiten(p)
	}
	shares := make([][]float64, k)
	owner, squares := make([]int, len(points)), make([]float64, len(points))
	for c := range shares {
		shares[c] = make([]float64, len(points))
		at := r.IntN(len(points))
		if total := floats.Sum(squares); c > 0 && total > 0 {
			for left := r.Float64() * total; ; at = (at + 1) % len(points) {
				if left -= squares[at]; left < 0 {
					break
				}
			}
		}
		for i := range z {
			d := floats.Distance(z[i], z[at], 2)
			if d *= d; c == 0 || d < squares[i] {
				owner[i], squares[i] = c, d
			}
		}
	}
	for i, c := range owner {
		shares[c][i] = 1
	}
	return shares
}

// maximise fits a normal to the points that each part has a share of.
func maximise(points [][]float64, shares [][]float64) (m mixture, ok bool) {
	for _, w := range shares {
		total := floats.Sum(w)
		if total < float64(min(leastPoints, len(points)))/2 {
			return m, false
		}
		n, ok := adapt.FitNormal(points, w)
		if !ok {
			return m, false
		}
		m.parts = append(m.parts, n)
		m.logWeights = append(m.logWeights, math.Log(total/float64(len(points))))
	}
	return m, true
}

// expect sets the share of each part in each point, and returns the mean log density.
func (m mixture) expect(points [][]float64, shares [][]float64) (mean float64) {
	terms := make([]float64, len(m.parts))
	for i, p := range points {
		m.terms(terms, p)
		total := floats.LogSumExp(terms)
		for c := range shares {
			shares[c][i] = math.Exp(terms[c] - total)
		}
		mean += total / float64(len(points))
	}
	return mean
}

func (m mixture) terms(out, x []float64) {
	for c := range m.parts {
		n := &m.parts[c]
		out[c] = m.logWeights[c] - n.LogVolume() - n.Distance(x)/2
	}
}

func (m mixture) logDensity(x []float64) float64 {
	terms := make([]float64, len(m.parts))
	m.terms(terms, x)
	return floats.LogSumExp(terms)
}

func (m mixture) meanLogDensity(points [][]float64) float64 {
	all := make([]float64, len(points))
	for i, p := range points {
		all[i] = m.logDensity(p)
	}
	return stat.Mean(all, nil)
}

func (m mixture) draw(r *rand.Rand) []float64 {
	u, c := r.Float64(), 0
	for ; c < len(m.parts)-1; c++ {
		if u -= math.Exp(m.logWeights[c]); u < 0 {
			break
		}
	}
	z := make([]float64, len(m.parts[c].Mean))
	for i := range z {
		z[i] = r.NormFloat64()
	}
	return m.parts[c].Point(z)
}
