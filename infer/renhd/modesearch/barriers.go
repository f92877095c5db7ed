package modesearch

import (
	"math"

	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
)

// CentersOf returns one position for each walker of some windows: the mean of the second half of its positions, or the
// highest of these if the density there is higher. In many dimensions, the line between two single draws passes the
// barrier between two modes on the inner side of both, where the density is higher by a factor of about e^(d/4); the
// line between centres does not. It returns nil if some walker had no finite density.
func (r *Known) CentersOf(windows []*population.Visits) (at [][]float64, err error) {
	var best []float64
	for _, w := range windows {
		for _, late := range w.Late {
			if late.Top == nil {
				return nil, nil
			}
			at, best = append(at, late.Mean(), late.Top), append(best, late.Density)
		}
	}
	height, err := r.Heights(at)
	if err != nil {
		return nil, err
	}
	var centers [][]float64
	for k := range best {
		if height[2*k] >= best[k] {
			centers = append(centers, at[2*k])
		} else {
			centers = append(centers, at[2*k+1])
		}
	}
	return centers, nil
}

// Groups divides positions into groups, given by indices. No barrier separates a position from the first one of its
// group. There are at most mostGroups groups, so some positions may be in none.
func (r *Known) Groups(at [][]float64) (groups [][]int, err error) {
	height, err := r.Heights(at)
	if err != nil {
		return nil, err
	}
	left := adapt.AllOf(len(at))
	for len(left) > 0 && len(groups) < mostGroups {
		first := population.Highest(left, height)
		lowest, err := r.LowestBetween(at, first, left)
		if err != nil {
			return nil, err
		}
		var group, rest []int
		for k, i := range left {
			if i == first || lowest[k] >= math.Min(height[i], height[first])-barrierDepth {
				group = append(group, i)
			} else {
				rest = append(rest, i)
			}
		}
		groups, left = append(groups, group), rest
	}
	return groups, nil
}

// mostGroups is the maximum number of groups. More are not needed to conclude that there are many modes.
const mostGroups = 24

// RememberModes stores the modes that the walkers of some windows are in: groups of walkers without barriers between
// them. It stores nothing if there is only one.
func (r *Known) RememberModes(windows ...*population.Visits) error {
	var density [][]float64
	var visited [][][]float64
	for _, w := range windows {
		density, visited = append(density, w.Density...), append(visited, w.Visited...)
	}
	r.state.Modes = nil
	if len(visited) == 0 || len(visited[0]) == 0 || len(visited[0][0]) < r.Walkers.Dim {
		return nil // not all coordinates were stored
	}
	centers, err := r.CentersOf(windows)
	if err != nil || len(centers) == 0 {
		return err
	}
	groups, err := r.Groups(centers)
	if err != nil || len(groups) < 2 {
		return err
	}
	for _, g := range groups {
		var heights []float64
		var places [][]float64
		for _, i := range g {
			half := len(visited[i]) / 2
			heights, places = append(heights, density[i][half:]...), append(places, visited[i][half:]...)
		}
		if m, ok := newMode(heights, places); ok {
			r.state.Modes = append(r.state.Modes, m)
		}
	}
	if len(r.state.Modes) < 2 {
		r.state.Modes = nil
	}
	return nil
}
