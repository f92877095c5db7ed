package subsampling

import (
	"context"
	"math"
	"slices"

	"ppl/infer/dynamics"
	"ppl/infer/renhd/ladder"
	"ppl/infer/renhd/population"
)

// rowEnergies estimates energy differences from differences of log likelihood over random rows without replacement,
// chunk by chunk, until an estimate is precise enough for the test, or exact because all rows were read. All walkers'
// energies of a chunk are one call of the device.
//
// A row's term to first order about a walker's anchor is a control variate: its sum over all rows is known. If terms
// are smooth it removes almost all noise. Rows of high leverage, which are in every batch, are also in every estimate:
// a small sample seldom contains one of them, and would then underestimate its variance.
type rowEnergies struct {
	batches dynamics.Batches
	path    dynamics.Path
	of      *Subsampling
}

// Estimator returns the estimator of the energies of swaps, or nil if every step reads all rows.
func (r *Subsampling) Estimator() ladder.Estimator {
	if r.Phase.Settings().Batch == 0 {
		return nil
	}
	return &rowEnergies{batches: r.Phase.Batches, path: r.Phase.System.Path, of: r}
}

func (m *rowEnergies) Estimate(ctx context.Context, w *population.Walkers, x *ladder.Swaps, maxVariance float64) error {
	w.SetAll(dynamics.Round, float64(x.Rounds()))
	m.batches.Always = w.Batches.Always
	proposals, anchored := x.Proposals, m.of.controls
	at, seen, enough := w.Positions(), make([]differences, len(proposals)), make([]bool, len(proposals))
	for i := range proposals {
		p := &proposals[i]
		seen[i].control = anchored.control(p.Hot, at[p.Hot]) - anchored.control(p.Cold, at[p.Cold])
		if x.Plain {
			seen[i].control = math.NaN()
		}
	}
	all := (m.batches.Rows + m.batches.Chunk - 1) / m.batches.Chunk
	// The number of chunks per estimate grows by half, since each estimate costs a call of the device.
	for part := 0; part < all && slices.Contains(enough, false); {
		for until := min(max(part+1, part*3/2), all); part < until; part++ {
			if err := m.chunk(ctx, w, proposals, seen, enough, part); err != nil {
				return err
			}
		}
		whole := population.Split(w.Read(dynamics.Whole, nil), 2)
		for i := range proposals {
			if !enough[i] {
				m.estimateGain(&proposals[i], seen[i], whole)
				_, variance := proposals[i].Delta()
				enough[i] = !(variance > maxVariance)
			}
		}
	}
	return nil
}

// chunk adds the terms of one chunk to the proposals that are not precise enough yet.
func (m *rowEnergies) chunk(ctx context.Context, w *population.Walkers, proposals []ladder.Proposal,
	seen []differences, enough []bool,
	part int) error {
	mask := make([]bool, w.Lanes())
	for i, p := range proposals {
		if !enough[i] {
			mask[p.Cold], mask[p.Hot] = true, true
		}
	}
	w.GiveAll(dynamics.Part, float64(part))
	if err := w.RunEntry(ctx, dynamics.Terms, mask); err != nil {
		return err
	}
	size := m.batches.Chunk
	terms, controls := population.Split(w.Read(dynamics.Terms, nil), m.batches.InChunk()),
		population.Split(w.Read(dynamics.Controls, nil), m.batches.InChunk())
	for i, p := range proposals {
		if enough[i] {
			continue
		}
		of := func(k int) (term, control float64) {
			return terms[p.Hot][k] - terms[p.Cold][k], controls[p.Hot][k] - controls[p.Cold][k]
		}
		always := m.alwaysIn(w, p.Cold)
		for k := range min(size, m.batches.Rows-part*size) {
			if !always(k) {
				seen[i].add(of(k))
			}
		}
		for k := size; part == 0 && k < m.batches.InChunk(); k++ {
			seen[i].addAlways(of(k))
		}
	}
	return nil
}

// alwaysIn returns a function that reports whether row k of a lane's chunk is in every batch.
func (m *rowEnergies) alwaysIn(w *population.Walkers, lane int) func(k int) bool {
	if len(m.batches.Always) == 0 {
		return func(int) bool { return false }
	}
	rows := m.batches.Wanted(dynamics.Terms, w.Seed, w.NoiseStep,
		func(name string) float64 { return w.Get(name, lane) })
	return func(k int) bool {
		_, is := slices.BinarySearch(m.batches.Always, rows[k])
		return is
	}
}

// estimateGain sets the gain of a proposal from a sample of terms: N times their mean, with the variance of sampling
// without replacement, N²s²/n·(1 − n/N).
func (m *rowEnergies) estimateGain(p *ladder.Proposal, d differences, whole [][]float64) {
	slope := d.slope()
	n, rest := d.n, d.residuals(slope)
	all := float64(m.batches.Rows - len(m.batches.Always))
	p.Gain = d.known + all*rest.mean() + whole[p.Hot][1] - whole[p.Cold][1]
	if slope != 0 {
		p.Gain += slope * d.control
	}
	if m.path == dynamics.Energy {
		p.Gain += whole[p.Hot][0] - whole[p.Cold][0]
	}
	p.Seen, p.Skew, p.Share = n, rest.skew(), n/all
	// rounding may give a small negative variance
	p.Variance = all * all * math.Max(rest.variance(), 0) / n * (1 - n/all)
	if n == all {
		p.Variance, p.Seen = 0, 0
	}
}

// differences sums over the rows read so far for a proposal. For a row, x is the difference of its term between the two
// walkers, and y that of its control variate. The sums are of products of powers of x and y, relative to the first x
// and y.
type differences struct {
	n                  float64
	firstX, firstY     float64
	x, y, xx, xy, yy   float64
	xxx, xxy, xyy, yyy float64
	control            float64 // sum of y over all rows, without those of every batch; NaN without control variates
	known              float64 // sum of terms over the rows of every batch
}

// addAlways adds a row that is in every batch.
func (d *differences) addAlways(term, control float64) {
	d.known, d.control = d.known+term, d.control-control
}

func (d *differences) add(term, control float64) {
	if d.n == 0 {
		d.firstX, d.firstY = term, control
	}
	x, y := term-d.firstX, control-d.firstY
	d.n++
	d.x, d.y, d.xx, d.xy, d.yy = d.x+x, d.y+y, d.xx+x*x, d.xy+x*y, d.yy+y*y
	d.xxx, d.xxy, d.xyy, d.yyy = d.xxx+x*x*x, d.xxy+x*x*y, d.xyy+x*y*y, d.yyy+y*y*y
}

// slope returns the coefficient of the controls that leaves the least noise, by regression. It is 0 if the controls do
// not vary or are not finite.
func (d *differences) slope() float64 {
	if math.IsNaN(d.control) {
		return 0
	}
	xy, yy := d.xy-d.x*d.y/d.n, d.yy-d.y*d.y/d.n
	if !(yy > 0) || math.IsInf(yy, 0) || math.IsNaN(xy) {
		return 0
	}
	return xy / yy
}

// residuals returns the moments of x − s·y.
func (d *differences) residuals(s float64) moments {
	if s == 0 { // controls may be NaN
		return moments{d.n, d.firstX, d.x, d.xx, d.xxx}
	}
	return moments{d.n, d.firstX - s*d.firstY, d.x - s*d.y, d.xx - 2*s*d.xy + s*s*d.yy,
		d.xxx - 3*s*d.xxy + 3*s*s*d.xyy -
			s*s*s*d.yyy}
}
