package modesearch

import (
	"cmp"
	"math"
	"slices"

	"ppl/infer/adapt"
)

// A ranking holds points in the order of their heights, the highest first. Points whose height is NaN are left out.
type ranking struct {
	dim     int
	points  []float64 // one point after the other
	heights []float64
	order   []int // number of each point in the list
	places  []int // by the point's number in the list: its place in this order, or −1
}

// rank returns the ranking of a list of points.
func rank(points [][]float64, heights []float64) *ranking {
	order := slices.DeleteFunc(adapt.AllOf(len(points)), func(i int) bool { return math.IsNaN(heights[i]) })
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(heights[b], heights[a]), a-b) })
	r := &ranking{dim: len(points[0]), order: order, places: slices.Repeat([]int{-1}, len(points))}
	for place, i := range order {
		r.points, r.heights, r.places[i] = append(r.points, points[i]...), append(r.heights, heights[i]), place
	}
	return r
}

// at returns the point at a place.
func (r *ranking) at(place int) []float64 { return r.points[place*r.dim:][:r.dim] }

// nearNeighbours is the number of nearest neighbours that a top must exceed.
const nearNeighbours = 8

// isTop reports whether point i of the list, whose height is not NaN, is higher than each of its nearNeighbours nearest
// neighbours: enough points are closer than the nearest higher one. Most points are not tops; a few higher points
// usually show this, so the test is repeated while the higher points are scanned.
func (r *ranking) isTop(i int) bool {
	place := r.places[i]
	higher := place
	for higher > 0 && r.heights[higher-1] == r.heights[place] {
		higher--
	}
	nearest, asked := math.Inf(1), 16
	for k := range higher {
		nearest = math.Min(nearest, squaredDistance(r.at(place), r.at(k), nearest))
		if k+1 == asked && !math.IsInf(nearest, 1) {
			if !r.hasNearer(place, higher, nearest) {
				return false
			}
			asked *= 4
		}
	}
	return math.IsInf(nearest, 1) || r.hasNearer(place, higher, nearest)
}

// hasNearer reports whether nearNeighbours other points at places from first on are within a squared distance of the
// point at a place.
func (r *ranking) hasNearer(place, first int, than float64) bool {
	missing := nearNeighbours
	for k := first; k < len(r.heights); k++ {
		if k != place && squaredDistance(r.at(place), r.at(k), than) < than {
			missing--
			if missing == 0 {
				return true
			}
		}
	}
	return false
}

// squaredDistance returns the squared distance of x and y. It may stop early and return any value of at least most, if
// the distance is at least most. It adds four partial sums, so that additions can run in parallel.
func squaredDistance(x, y []float64, most float64) float64 {
	const part = 32
	var a, b, c, d float64
	y = y[:len(x)]
	j := 0
	for ; j+part <= len(x); j += part {
		for k := j; k < j+part; k += 4 {
			s, t, u, v := x[k]-y[k], x[k+1]-y[k+1], x[k+2]-y[k+2], x[k+3]-y[k+3]
			a, b, c, d = a+s*s, b+t*t, c+u*u, d+v*v
		}
		if sum := a + b + c + d; !(sum < most) {
			return sum
		}
	}
	for ; j+4 <= len(x); j += 4 {
		s, t, u, v := x[j]-y[j], x[j+1]-y[j+1], x[j+2]-y[j+2], x[j+3]-y[j+3]
		a, b, c, d = a+s*s, b+t*t, c+u*u, d+v*v
	}
	for ; j < len(x); j++ {
		a += (x[j] - y[j]) * (x[j] - y[j])
	}
	return a + b + c + d
}
