package modesearch

import (
	"math"

	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
)

// CentersOf returns a place for each walker of windows: the mean of the second half of its way, or the highest point of
// it if that is higher. In many dimensions the line between two single draws passes the barrier between two modes on
// the inner side of both, where the density is higher by a factor of e to the d/4; that between their centers does not.
// None where a walker was nowhere with a density.
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

// Groups partitions positions into groups, given by numbers: no barrier lies between a position and the first one of
// its group.
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

// mostGroups is the number of groups from which Groups stops looking for more; there are many modes in any case then.
const mostGroups = 24

// barrierDepth is how far the log density has to fall between two places to count: less hardly slows walkers down.
const barrierDepth = 2
