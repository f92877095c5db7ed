package population

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/adapt"
)

// Visits holds the positions of walkers during a window, for the decisions after it.
type Visits struct {
	Sweeps  int           // number of sweeps done
	Moved   []float64     // number of trajectories of each lane that changed the position
	Density [][]float64   // log π_β of each lane after every sweep, or every few sweeps
	Visited [][][]float64 // θ of each lane at these times
	Stood   [][]int       // rung of each lane at these times
	Heats   []float64     // temperature of each lane in the last sweep, if each walker adapts alone
	Late    []LateHalf    // statistics of the second half, for each lane
}

// Numbers returns the approximate number of values in the visits.
func (s *Visits) Numbers() (n int) {
	for lane, xs := range s.Visited {
		if len(xs) > 0 {
			n += len(xs) * (2 + len(xs[0]))
		}
		n += len(s.Late[lane].Sum) + len(s.Late[lane].Top)
	}
	return n
}

// A LateHalf holds statistics of a walker's positions in the second half of a window, in all coordinates.
type LateHalf struct {
	Count   int
	Sum     []float64 // sum of the positions
	Top     []float64 // position of highest density
	Density float64   // log density at Top
}

// Add adds a position with its log density.
func (h *LateHalf) Add(x []float64, density float64) {
	if h.Count == 0 {
		h.Sum, h.Density = make([]float64, len(x)), math.Inf(-1)
	}
	h.Count++
	floats.Add(h.Sum, x)
	if density > h.Density {
		h.Top, h.Density = slices.Clone(x), density
	}
}

// Mean returns the mean position.
func (h *LateHalf) Mean() []float64 {
	m := slices.Clone(h.Sum)
	floats.Scale(1/float64(h.Count), m)
	return m
}

// VisitsOf returns positions of chains as if they were those of walkers in a window, and the positions with their
// gradients as points for a metric.
func (p *Population) VisitsOf(visited [][][]float64) (*Visits, *adapt.Points, error) {
	seen, points := &Visits{Visited: visited}, &adapt.Points{}
	for _, xs := range visited {
		density, slopes, err := p.Evaluate(xs, true)
		if err != nil {
			return nil, nil, err
		}
		late := LateHalf{}
		for i, x := range xs {
			points.Add(x, slopes[i])
			if i >= len(xs)/2 {
				late.Add(x, density[i])
			}
		}
		seen.Density, seen.Late = append(seen.Density, density), append(seen.Late, late)
	}
	return seen, points, nil
}
