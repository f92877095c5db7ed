package warmup

import (
	"math"
	"ppl/infer/adapt"
	"ppl/infer/renhd/population"
	"ppl/posterior/stats"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// judgePlaces stores the positions of the window in state.Before. It determines whether the walkers agree and enough of
// them were not moved to others, or whether at least no barrier separates them. Otherwise it stores the modes that they
// are in.
func judgePlaces(t *warmupWindow, found *windowResult) (err error) {
	r := t.run
	r.state.Before = t.places()
	agree := inOneMode(&t.seen.Visits, found.Disagreement)
	found.OnePlace = agree && r.enoughStayed()
	if found.OnePlace {
		return nil
	}
	if found.Connected, err = r.connected(&t.seen.Visits); err != nil || found.Connected {
		found.OnePlace = agree && err == nil
		return err
	}
	found.FewStayed, found.Images = agree, r.agreeMoreAsImages(&t.seen.Visits, found.Disagreement)
	return r.modes.RememberModes(&t.seen.Visits)
}

// agreement is the largest R-hat − 1 at which walkers count as being in the same mode.
const agreement = 0.2

// onePlace reports whether walkers agree on the positions that they visited, compared together (R-hat) and one by one.
// A single walker of many in another mode hardly changes R-hat; if many walkers differ a little, none is far from the
// others. It returns false if no walker counts.
func onePlace(s *population.Visits, threads int) bool {
	if len(s.Visited) == 0 {
		return false
	}
	d := disagreement(s, threads)
	return d < agreement && inOneMode(s, d)
}

// inOneMode reports whether walkers with a known disagreement are in one mode. They may differ as slow walkers in the
// same mode do: R-hat is so low that each has visited most of the mode, and autocorrelation explains the remaining
// differences. Then the most distant of sixteen walkers, over some thirty coordinates, differs by 3 to 5.5 standard
// errors, because standard errors are underestimated. With two modes it differs by more than 15.
func inOneMode(s *population.Visits, disagreement float64) bool {
	const slow, errors, errorsOfSlow = 0.5, 10, 6
	switch {
	case disagreement < agreement:
		return !separate(s, errors)
	case disagreement < slow:
		return !separate(s, errorsOfSlow)
	}
	return false
}

// separate reports whether a walker is in another mode: further from the rest than its autocorrelation explains, by a
// number of standard errors in a coordinate, or along the direction in which walkers differ most. Slow mixing within
// one mode does not count: it needs longer runs, not a ladder.
func separate(s *population.Visits, errors float64) bool {
	const errorsAcross = 6 // based on half of the draws and one direction
	for j := range s.Visited[0][0] {
		if stats.Disagreement(population.Coordinate(s.Visited, j)) > errors {
			return true
		}
	}
	return stats.Disagreement(acrossWalkers(s.Visited)) > errorsAcross
}

// acrossWalkers projects the second halves of the walkers' positions on the direction in which the means of their first
// halves differ most, in standard deviations. Two modes in hundreds of dimensions can be far apart although no single
// coordinate shows it. A direction that is only noise in the first halves shows nothing in the second. It returns nil
// if windows are too short, or if there is only one walker or one coordinate.
func acrossWalkers(visited [][][]float64) [][]float64 {
	half, dim := len(visited[0])/2, len(visited[0][0])
	if half < 4 || len(visited) < 2 || dim < 2 {
		return nil
	}
	direction := widestDirection(visited, half)
	out := make([][]float64, len(visited))
	for lane, xs := range visited {
		for _, x := range xs[half:] {
			out[lane] = append(out[lane], floats.Dot(direction, x))
		}
	}
	return out
}

// widestDirection returns the direction in which the means of the walkers' first draws differ most, with coordinates in
// units of a walker's standard deviation. It ignores coordinates in which walkers do not move.
func widestDirection(visited [][][]float64, first int) []float64 {
	dim := len(visited[0][0])
	means, scale := mat.NewDense(len(visited), dim, nil), make([]float64, dim)
	for j := range dim {
		column, variance := make([]float64, len(visited)), 0.0
		for lane, xs := range population.Coordinate(visited, j) {
			m, v := stat.MeanVariance(xs[:first], nil)
			column[lane], variance = m, variance+v/float64(len(visited))
		}
		if variance > 0 {
			scale[j] = 1 / math.Sqrt(variance)
		}
		floats.AddConst(-stat.Mean(column, nil), column)
		floats.Scale(scale[j], column)
		means.SetCol(j, column)
	}
	var svd mat.SVD
	var v mat.Dense
	if !svd.Factorize(means, mat.SVDThinV) {
		return make([]float64, dim)
	}
	svd.VTo(&v)
	return floats.MulTo(scale, scale, mat.Col(nil, 0, &v))
}

// disagreement returns the worst R-hat − 1 of log density and coordinates over the walkers of a window.
func disagreement(s *population.Visits, threads int) float64 {
	return adapt.WorstRHat(s.Density, s.Visited, threads) - 1
}
