package evidence

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"ppl/infer/adapt"
)

// mixture is a mixture of multivariate normals.
type mixture struct {
	logWeights []float64
	parts      []adapt.Normal
	logTops    []float64 // by part: log weight plus log density at the mean
}

// add appends a part.
func (m *mixture) add(n adapt.Normal, logWeight float64) {
	m.parts, m.logWeights = append(m.parts, n), append(m.logWeights, logWeight)
	m.logTops = append(m.logTops, logWeight-n.LogVolume())
}

// numbersOfParts lists the numbers of normals to try. Steps grow, since one more normal changes less if there are many.
// Each normal needs at least leastPoints points.
var numbersOfParts = [...]int{1, 2, 3, 4, 6, 8, 11, 16}

const leastPoints = 40

// fit returns the mixture whose number of normals gives the highest mean log density at a held-out quarter of the
// points. It stops trying more normals once two numbers in a row bring no improvement, then refits the best mixture to
// all points, starting from its current parameters. ok is false if no normal can be fitted.
func fit(r *rand.Rand, points [][]float64) (mixture, bool) {
	whole, ok := adapt.FitNormal(points, nil)
	if !ok {
		return mixture{}, false
	}
	points = shuffled(r, points)
	judges := points[:len(points)/4]
	rest := points[len(judges):]
	var chosen mixture
	best, worse := math.Inf(-1), 0
	for _, k := range numbersOfParts {
		if k*leastPoints > len(rest) || worse == 2 {
			break
		}
		m, ok := fromShares(rest, nearestCentres(r, rest, k, &whole))
		score := math.Inf(-1)
		if ok {
			score = m.meanLogDensity(judges)
		}
		if score > best {
			best, chosen, worse = score, m, 0
		} else {
			worse++
		}
	}
	if len(chosen.parts) > 1 {
		shares := newShares(len(chosen.parts), len(points))
		chosen.expect(points, shares)
		if m, ok := fromShares(points, shares); ok {
			return m, true
		}
		return chosen, true
	}
	var one mixture
	one.add(whole, 0)
	return one, true
}

func shuffled(r *rand.Rand, points [][]float64) [][]float64 {
	out := make([][]float64, len(points))
	for i, k := range r.Perm(len(points)) {
		out[i] = points[k]
	}
	return out
}

// fromShares fits a mixture by expectation-maximisation (Dempster, Laird and Rubin 1977), starting from the share of
// each part in each point.
func fromShares(points, shares [][]float64) (m mixture, ok bool) {
	const rounds, tolerance = 100, 3e-4
	last := math.Inf(-1)
	for range rounds {
		if m, ok = maximise(points, shares); !ok {
			return m, false
		}
		if len(shares) == 1 {
			break
		}
		now := m.expect(points, shares)
		if now-last < tolerance {
			break
		}
		last = now
	}
	return m, true
}

func newShares(parts, points int) [][]float64 {
	shares := make([][]float64, parts)
	for c := range shares {
		shares[c] = make([]float64, points)
	}
	return shares
}

// nearestCentres chooses k centres far apart (k-means++: Arthur and Vassilvitskii 2007) and assigns each point to the
// nearest one. The result has shape [k][points], with entries 0 or 1.
func nearestCentres(r *rand.Rand, points [][]float64, k int, whole *adapt.Normal) [][]float64 {
	z := make([][]float64, len(points))
	for i, p := range points {
		z[i] = whole.Whiten(p)
	}
	shares := newShares(k, len(points))
	owner, squares := make([]int, len(points)), make([]float64, len(points))
	for c := range shares {
		at := r.IntN(len(points))
		if total := floats.Sum(squares); c > 0 && total > 0 {
			for left := r.Float64() * total; ; at = (at + 1) % len(points) {
				left -= squares[at]
				if left < 0 {
					break
				}
			}
		}
		for i := range z {
			d := floats.Distance(z[i], z[at], 2)
			d *= d
			if c == 0 || d < squares[i] {
				owner[i], squares[i] = c, d
			}
		}
	}
	for i, c := range owner {
		shares[c][i] = 1
	}
	return shares
}

// maximise fits one normal per part to the points, weighted by the part's shares (the M step). ok is false if a part
// has too few points or its normal cannot be fitted.
func maximise(points [][]float64, shares [][]float64) (m mixture, ok bool) {
	var mine [][]float64
	var weights []float64
	for _, w := range shares {
		mine, weights = mine[:0], weights[:0]
		for i, share := range w {
			if share > leastShare {
				mine, weights = append(mine, points[i]), append(weights, share)
			}
		}
		total := floats.Sum(weights)
		if total < float64(min(leastPoints, len(points)))/2 {
			return m, false
		}
		n, ok := adapt.FitNormal(mine, weights)
		if !ok {
			return m, false
		}
		m.add(n, math.Log(total/float64(len(points))))
	}
	return m, true
}

// leastShare is the largest share that maximise ignores. If modes are far apart, most shares are below it.
const leastShare = 1e-6

// expect sets the share of each part in each point (the E step), and returns the mean log density.
func (m mixture) expect(points [][]float64, shares [][]float64) (mean float64) {
	terms := m.newTerms()
	for i, p := range points {
		total := terms.at(p)
		for c, term := range terms.logs {
			shares[c][i] = math.Exp(term - total)
		}
		mean += total / float64(len(points))
	}
	return mean
}

// terms holds each part's contribution to the density at a point, as logarithms.
type terms struct {
	of         mixture
	logs, room []float64
}

func (m mixture) newTerms() terms {
	return terms{m, make([]float64, len(m.parts)), make([]float64, len(m.parts[0].Mean))}
}

// at computes the terms at a point, and returns the log density there.
func (t *terms) at(x []float64) float64 {
	for c := range t.of.parts {
		t.logs[c] = t.of.logTops[c] - t.of.parts[c].DistanceIn(t.room, x)/2
	}
	return floats.LogSumExp(t.logs)
}

func (m mixture) logDensities(points [][]float64) []float64 {
	out, terms := make([]float64, len(points)), m.newTerms()
	for i, x := range points {
		out[i] = terms.at(x)
	}
	return out
}

func (m mixture) meanLogDensity(points [][]float64) float64 {
	return stat.Mean(m.logDensities(points), nil)
}

func (m mixture) draw(r *rand.Rand) []float64 {
	u, c := r.Float64(), 0
	for ; c < len(m.parts)-1; c++ {
		u -= math.Exp(m.logWeights[c])
		if u < 0 {
			break
		}
	}
	z := make([]float64, len(m.parts[c].Mean))
	for i := range z {
		z[i] = r.NormFloat64()
	}
	return m.parts[c].Point(z)
}
