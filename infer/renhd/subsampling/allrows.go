package subsampling

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// An allRows adds up log ℓ and its gradient over all rows at some points, as many points at a time as there are lanes.
// It is data, so that a pass over a large file can be interrupted after any chunk of rows:
//
//	a := newAllRows(points)
//	for a.more() {
//		err := a.iterate(run)
//	}
//	a.Sums[3]    what all rows say at points[3]
//
// Lanes lose their anchors by that, which newAnchors gives back.
type allRows struct {
	Points [][]float64
	Sums   []pass // by point
	First  int    // of the points under way
	Part   int    // of the rows: the next chunk
}

// A pass is what rows add up to at a point: Σ ℓᵢ and its gradient, and with it what is not a sum over rows.
type pass struct {
	Sum, Rest         float64
	Slope, RestSlopes []float64
}

// gradient of log ρ + log ℓ.
func (p *pass) gradient() []float64 {
	g := slices.Clone(p.Slope)
	floats.Add(g, p.RestSlopes)
	return g
}

func newAllRows(points [][]float64) allRows {
	return allRows{Points: points, Sums: make([]pass, len(points))}
}

func (a *allRows) more() bool { return a.First < len(a.Points) }

// iterate reads a chunk of rows, which is all of them where they are in memory.
func (a *allRows) iterate(r *Subsampling) error {
	w := r.controls
	points := a.Points[a.First:min(a.First+w.Lanes(), len(a.Points))]
	mask := make([]bool, w.Lanes())
	for lane, x := range points {
		mask[lane] = true
		w.Exe.SetLane(dynamics.Anchor, lane, x)
	}
	w.SetAll(dynamics.Part, float64(a.Part))
	if err := w.RunEntry(r.Ctx, dynamics.AllRows, mask); err != nil {
		return err
	}
	for lane := range points {
		a.Sums[a.First+lane].add(w.Walkers, lane)
	}
	a.Part++
	if a.Part == r.Phase.Chunks() {
		a.Part, a.First = 0, a.First+len(points)
	}
	return nil
}

// add takes in a chunk as a lane has computed it.
func (p *pass) add(w *population.Walkers, lane int) {
	p.Sum += w.Get(dynamics.RowsSum, lane)
	p.Rest = w.Get(dynamics.RestDensity, lane)
	chunk := make([]float64, w.Dim)
	w.Exe.GetLane(dynamics.RowsSlope, lane, chunk)
	if p.Slope == nil {
		p.Slope = make([]float64, w.Dim)
	}
	floats.Add(p.Slope, chunk)
	w.Exe.GetLane(dynamics.RestSlope, lane, chunk)
	p.RestSlopes = chunk
}
