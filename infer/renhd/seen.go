package renhd

import (
	"math"
	"ppl/infer/adapt"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// visits are where the walkers of a window have been, for the decisions after it.
type visits struct {
	Sweeps  int           // done
	Moved   []float64     // by lane: trajectories that went somewhere
	Density [][]float64   // by lane: log π_β after every sweep, or every few
	Visited [][][]float64 // by lane: θ then
	Stood   [][]int       // by lane: its rung then
	Heats   []float64     // by lane, if each walker adapts alone: temperatures of the last sweep
	Late    []lateHalf    // by lane
}

// Numbers is about how many numbers visits hold.
func (s *visits) Numbers() (n int) {
	for lane, xs := range s.Visited {
		if len(xs) > 0 {
			n += len(xs) * (2 + len(xs[0]))
		}
		n += len(s.Late[lane].Sum) + len(s.Late[lane].Top)
	}
	return n
}

// A lateHalf is where a walker was in the second half of a window, in all coordinates.
type lateHalf struct {
	Count   int
	Sum     []float64 // of positions
	Top     []float64 // the highest position
	Density float64   // there
}

// add takes in a position with its log density.
func (h *lateHalf) add(x []float64, density float64) {
	if h.Count == 0 {
		h.Sum, h.Density = make([]float64, len(x)), math.Inf(-1)
	}
	h.Count++
	floats.Add(h.Sum, x)
	if density > h.Density {
		h.Top, h.Density = slices.Clone(x), density
	}
}

// mean is the mean position.
func (h *lateHalf) mean() []float64 {
	m := slices.Clone(h.Sum)
	floats.Scale(1/float64(h.Count), m)
	return m
}

// visitsOf takes positions of chains for those of walkers in a window. The points show how wide the target is.
func (p *population) visitsOf(visited [][][]float64) (*visits, *adapt.Points, error) {
	seen, points := &visits{Visited: visited}, &adapt.Points{}
	for _, xs := range visited {
		density, slopes, err := p.evaluate(xs, true)
		if err != nil {
			return nil, nil, err
		}
		late := lateHalf{}
		for i, x := range xs {
			points.Add(x, slopes[i])
			if i >= len(xs)/2 {
				late.add(x, density[i])
			}
		}
		seen.Density, seen.Late = append(seen.Density, density), append(seen.Late, late)
	}
	return seen, points, nil
}
