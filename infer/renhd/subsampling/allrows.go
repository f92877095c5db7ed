package subsampling

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
)

// An allRows sums log ℓ and its gradient over all rows at some points, with one lane for each point. It is plain data,
// so a pass over a large file can be interrupted after any chunk of rows:
//
//	a := newAllRows(points, chunks)
//	for a.more() {
//		err := a.iterate(ctx, walkers)
//	}
//	a.Sums[3]   // sums over all rows at points[3]
//
// If it reads fewer chunks than the data have, the sums are those of the rows read. The points overwrite the anchors of
// the lanes; newAnchors writes anchors again.
type allRows struct {
	Points [][]float64
	Sums   []pass // sums at each of Points
	Chunks int    // number of chunks of rows to read
	First  int    // index of the first of the current points
	Part   int    // index of the next chunk of rows
}

// A pass holds the results of a pass over the rows at a point: Σ ℓᵢ and its gradient, and Rest, the part of log π that
// is not a sum over rows, with its gradient.
type pass struct {
	Sum, Rest         float64
	Slope, RestSlopes []float64
}

// gradient returns the gradient of log ρ + weight·log ℓ.
func (p *pass) gradient(weight float64) []float64 {
	g := slices.Clone(p.RestSlopes)
	floats.AddScaled(g, weight, p.Slope)
	return g
}

func newAllRows(points [][]float64, chunks int) allRows {
	return allRows{Points: points, Sums: make([]pass, len(points)), Chunks: chunks}
}

func (a *allRows) more() bool { return a.First < len(a.Points) }

// share returns the share of the rows that were read at the current points.
func (a *allRows) share() float64 { return float64(a.Part) / float64(a.Chunks) }

// iterate adds the sums over the next chunk of rows at the current points. If the data are in memory, the chunk
// consists of all rows.
func (a *allRows) iterate(ctx context.Context, w *population.Walkers) error {
	points := a.Points[a.First:min(a.First+w.Lanes(), len(a.Points))]
	mask := make([]bool, w.Lanes())
	for lane, x := range points {
		mask[lane] = true
		w.Exe.SetLane(dynamics.Anchor, lane, x)
	}
	w.GiveAll(dynamics.Part, float64(a.Part))
	if err := w.RunEntry(ctx, dynamics.AllRows, mask); err != nil {
		return err
	}
	for lane := range points {
		a.Sums[a.First+lane].add(w, lane)
	}
	a.Part++
	if a.Part == a.Chunks {
		a.Part, a.First = 0, a.First+len(points)
	}
	return nil
}

// add adds the sums over a chunk that a lane has computed.
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
