package adapt

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/stats"
)

// Constants of Meanless. The distances nearPlace and farPlace are in units of tailShape.width.
const (
	// A tail is examined if a walker is farther from the median than this multiple of the distance from the median to
	// the 5 % or 95 % quantile, the nearer one. One in 10⁶ positions of a normal is.
	farTail = 3.0

	nearPlace = 1e4  // the fall of the density is measured between this distance from the median
	farPlace  = 1e6  // and this distance
	fallError = 0.05 // tolerance for the measured power, since the limit is not yet reached
	tailsSeen = 3    // number of positions of the other coordinates from which a tail is examined
)

// Meanless returns the coordinates of parameters that have no mean, and those along which the target has no finite
// integral. Draws may not show this: walkers seldom reach the tails of a Cauchy distribution. The density does, between
// 10⁴ and 10⁶ widths from the median:
//
//	one coordinate       log π falls by p·log 100; ∫|x|π dx does not exist if p ≤ 2
//	                       p = 2, 3, 5   Student's t with 1, 2, 4 degrees of freedom
//	                       p > 1000      normal, Laplace, and all others with an exponential fall
//	d coordinates        along rays in random directions; ∫|x|π dx does not exist if p ≤ d + 1
//	                       p = d + ν     Student's t with ν degrees of freedom
//	x − bound = exp(u)   u is log 10⁴ to log 10⁶ above all positions; ∫x π du does not exist if p ≤ 1
//	                       p = 1, ½      half-Cauchy, InverseGamma(½, 1)
//
// The condition must hold at three positions of the other coordinates. A tail of the real line counts only if some
// walker was far out in it. There is one exception, if the target may be improper: a tail also counts if the density
// falls so slowly that it has no integral (p ≤ 1 for one coordinate, p ≤ d for several). Then all walkers may be far
// out, so that none is far from the others (as with 1/|x|). Coordinates of such tails are in noIntegral and not in
// noMean.
//
// Meanless returns nil if there are more than mostWide coordinates, or if coordinates is nil.
func Meanless(visited [][]float64, coordinates []types.Coordinate, improper bool, evaluate Evaluator) (
	noMean, noIntegral []int, err error) {
	if len(visited) < tailsSeen || len(visited[0]) > mostWide || coordinates == nil {
		return nil, nil, nil
	}
	s := newTailShape(visited, len(coordinates))
	heavy := tailsOf(coordinates)
	for i := range heavy {
		heavy[i].seen = heavy[i].halfLine || slices.ContainsFunc(heavy[i].of, func(j int) bool { return s.far[j] })
	}
	heavy = slices.DeleteFunc(heavy, func(t tail) bool { return !t.seen && !improper })
	for k := range tailsSeen {
		if heavy, err = s.heavyFrom(visited[(2*k+1)*len(visited)/(2*tailsSeen)], heavy, evaluate); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range heavy {
		if improper && !t.halfLine && t.fall <= float64(len(t.of))+fallError {
			noIntegral = append(noIntegral, t.of...)
		} else {
			noMean = append(noMean, t.of...)
		}
	}
	noIntegral, noMean = sorted(noIntegral), sorted(noMean)
	noMean = slices.DeleteFunc(noMean, func(j int) bool { return slices.Contains(noIntegral, j) })
	return noMean, noIntegral, nil
}

func sorted(js []int) []int {
	slices.Sort(js)
	return slices.Compact(js)
}

// A tail is a set of coordinates that go to infinity together.
type tail struct {
	of       []int
	sign     float64 // direction, for one coordinate; 0: random directions
	halfLine bool    // whether the coordinate is u of x − bound = exp(u)
	seen     bool    // whether some walker was far out; always true if halfLine
	fall     float64 // the density falls as 1/distance^fall; the largest over the positions of the others
}

// slowest returns the power p such that the density must fall faster than 1/distance^p: to have a mean or, in a tail
// without walkers, to have an integral.
func (t tail) slowest() float64 {
	switch {
	case t.halfLine:
		return 1
	case t.seen:
		return float64(len(t.of)) + 1
	default:
		return float64(len(t.of))
	}
}

// tailsOf returns the tails to examine: of each coordinate, of the coordinates of each array, and of all unbounded
// coordinates together.
func tailsOf(coordinates []types.Coordinate) (tails []tail) {
	var names []string
	var arrays [][]int
	var all []int
	for j, c := range coordinates {
		switch {
		case c.Lower != c.Upper:
			tails = append(tails, tail{of: []int{j}, sign: 1, halfLine: true})
		case !c.Bounded():
			tails = append(tails, tail{of: []int{j}, sign: -1}, tail{of: []int{j}, sign: 1})
			name, _, _ := strings.Cut(c.Parameter, "[")
			k := slices.Index(names, name)
			if k < 0 {
				k, names, arrays = len(names), append(names, name), append(arrays, nil)
			}
			all, arrays[k] = append(all, j), append(arrays[k], j)
		}
	}
	if len(arrays) > 1 {
		arrays = append(arrays, all)
	}
	for _, of := range arrays {
		if len(of) > 1 {
			tails = append(tails, tail{of: of})
		}
	}
	return tails
}

// A tailShape describes where most positions of the walkers are, for each coordinate.
type tailShape struct {
	median, width []float64 // median, and half the distance between the 5 % and 95 % quantiles
	most          []float64 // the largest value
	// whether a walker was farTail widths of the narrower side away from the median
	far []bool
}

func newTailShape(visited [][]float64, dim int) tailShape {
	s := tailShape{make([]float64, dim), make([]float64, dim), make([]float64, dim), make([]bool, dim)}
	for j := range dim {
		chains := make([][]float64, 1)
		column(chains, [][][]float64{visited}, j)
		xs := chains[0]
		slices.Sort(xs)
		m := stats.SortedQuantile(xs, 0.5)
		below, above := m-stats.SortedQuantile(xs, 0.05), stats.SortedQuantile(xs, 0.95)-m
		out := math.Max(xs[len(xs)-1]-m, m-xs[0])
		s.median[j], s.width[j], s.most[j] = m, (below+above)/2, xs[len(xs)-1]
		s.far[j] = out > farTail*math.Min(below, above)
	}
	return s
}

// heavyFrom returns the tails in which the density falls too slowly (see slowest), with the other coordinates as in x.
func (s tailShape) heavyFrom(x []float64, tails []tail, evaluate Evaluator) (heavy []tail, err error) {
	if len(tails) == 0 {
		return nil, nil
	}
	var at [][]float64
	for _, t := range tails {
		way := t.way(x)
		for _, place := range []float64{nearPlace, farPlace} {
			y := slices.Clone(x)
			for i, j := range t.of {
				y[j] = s.median[j] + place*s.width[j]*way[i]
				if t.halfLine {
					y[j] = s.most[j] + math.Log(place) // beyond all modes, which may differ by orders of magnitude
				}
			}
			at = append(at, y)
		}
	}
	density, _, err := evaluate(at)
	if err != nil {
		return nil, err
	}
	for k, t := range tails {
		p := (density[2*k] - density[2*k+1]) / math.Log(farPlace/nearPlace)
		if p <= t.slowest()+fallError {
			t.fall = math.Max(t.fall, p)
			heavy = append(heavy, t)
		}
	}
	return heavy, nil
}

// way returns the direction in which the coordinates of a tail go to infinity. For several coordinates it is random,
// with a seed that depends on x.
func (t tail) way(x []float64) []float64 {
	if t.sign != 0 {
		return []float64{t.sign}
	}
	way, random := make([]float64, len(t.of)), rand.New(rand.NewPCG(math.Float64bits(x[t.of[0]]), 0))
	for i := range way {
		way[i] = random.NormFloat64()
	}
	return way
}
