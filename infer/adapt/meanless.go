package adapt

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"ppl/lang/types"
	"ppl/posterior/stats"
)

// How a tail is looked at.
const (
	farTail   = 3.0  // widths from the median that a walker was, so that the tail is looked at; a normal has one in 10⁶
	nearPlace = 1e4  // widths from the median at which
	farPlace  = 1e6  // and to where the fall of the density is measured
	fallError = 0.05 // by how much faster the density has to fall: what is not yet there
	tailsSeen = 3    // at how many positions of the other coordinates
)

// Meanless returns coordinates of parameters that have no mean. Draws may not show it: walkers hardly go out to where a
// Cauchy distribution has its tails, and those they draw end there. The density shows it, from 10⁴ to 10⁶ widths:
//
//	one coordinate          log π falls by p·log 100; ∫|x|π dx does not exist where p ≤ 2
//	  p = 2, 3, 5           Student's t with 1, 2, 4 degrees of freedom
//	  p > 1000              normal, Laplace, all with an exponential
//	a parameter with d      along rays in random directions; ∫|x|π dx does not exist where p ≤ d + 1
//	  p = d + ν             Student's t with ν degrees of freedom
//	x − bound = exp(u)      u is log 10⁴ to log 10⁶ above all that was seen; ∫x π du does not exist where p ≤ 1
//	  p = 1, ½              half of a Cauchy distribution, InverseGamma(½, 1)
//
// That has to be so at each of three positions of the other coordinates. Of a tail of the real line it counts only
// where some walker was far out; unless the target may be improper and falls so slowly that it has no integral, p ≤ 1
// for one coordinate and p ≤ d for several: walkers that all are far out show no tail (1/|x|). Coordinates of such
// tails are those without an integral, and not among those without a mean.
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

// A tail is where some coordinates go to infinity.
type tail struct {
	of       []int
	sign     float64 // of the way; 0: in random directions
	halfLine bool    // of exp(u): u goes there
	seen     bool    // some walker was far out
	fall     float64 // p, the largest of the positions
}

// slowest returns the least power of the distance by which a density has to fall: for a mean, or for an integral in a
// tail that no walker has shown.
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

// tailsOf returns the tails of single coordinates, of parameters that have several, and of all that have no bound.
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

// A tailShape is where most of the walkers' positions are, by coordinate.
type tailShape struct {
	median, width []float64 // half of the width of the middle nine tenths
	most          []float64 // the largest value
	far           []bool    // whether a walker was far out, by the narrower side
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

// heavyFrom returns the tails in which the density falls too slowly for a mean where other coordinates are as at x.
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
					y[j] = s.most[j] + math.Log(place) // beyond all modes, which may lie magnitudes apart
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

// way is in which direction the coordinates of a tail go: a random one, by a position, for several.
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
