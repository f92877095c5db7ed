package renhd

import (
	"context"
	"math"
	"slices"

	"ppl/infer/dynamics"
)

// rows measures gains by differences of log likelihood over rows at random: without replacement, chunk after chunk,
// until an estimate is good enough for the test, or all rows have been asked and it is exact. All walkers' energies of
// a chunk are one call of the device.
//
// What a row's term changes by from one walker to the other, to first order about a pivot near both, is a control
// variate: its sum over all rows is known from slopes, the sum of their gradients there, and where terms are smooth it
// takes away almost all of the noise.
type rows struct {
	batches dynamics.Batches
	path    dynamics.Path
	slopes  [][]float64 // by chain; nil: no control variates
}

func (m *rows) measure(ctx context.Context, w *walkers, proposals []proposal, round int, most float64) error {
	w.fill(dynamics.Round, float64(round))
	at, seen, enough := w.positions(), make([]differences, len(proposals)), make([]bool, len(proposals))
	for i := range proposals {
		seen[i].control = m.control(&proposals[i], at)
	}
	all := (m.batches.Rows + m.batches.Chunk - 1) / m.batches.Chunk
	for part := 0; part < all && slices.Contains(enough, false); {
		for until := min(max(part+1, part*3/2), all); part < until; part++ {
			if err := m.chunk(ctx, w, proposals, seen, enough, part); err != nil {
				return err
			}
		}
		whole := split(w.read(dynamics.Whole, nil), 2)
		for i := range proposals {
			if !enough[i] {
				m.estimate(&proposals[i], seen[i], whole)
				_, variance := proposals[i].delta()
				enough[i] = !(variance > most)
			}
		}
	}
	return nil
}

// chunk takes the terms of one chunk for those proposals that have not seen enough.
func (m *rows) chunk(ctx context.Context, w *walkers, proposals []proposal, seen []differences, enough []bool,
	part int) error {
	mask := make([]bool, w.lanes())
	for i, p := range proposals {
		if !enough[i] {
			mask[p.cold], mask[p.hot] = true, true
		}
	}
	w.fill(dynamics.Part, float64(part))
	if err := w.entry(ctx, dynamics.Terms, mask); err != nil {
		return err
	}
	size := m.batches.Chunk
	terms, controls := split(w.read(dynamics.Terms, nil), size), split(w.read(dynamics.Controls, nil), size)
	for i, p := range proposals {
		for k := range min(size, m.batches.Rows-part*size) {
			if !enough[i] {
				seen[i].add(terms[p.hot][k]-terms[p.cold][k], controls[p.hot][k]-controls[p.cold][k])
			}
		}
	}
	return nil
}

// control is the sum of a proposal's controls over all rows; NaN without slopes.
func (m *rows) control(p *proposal, at [][]float64) float64 {
	if m.slopes == nil {
		return math.NaN()
	}
	sum := 0.0
	for j, slope := range m.slopes[p.chain] {
		sum += slope * (at[p.hot][j] - at[p.cold][j])
	}
	return sum
}

// estimate is the gain from a sample of its terms: N times their mean, with the variance of sampling without
// replacement, N²s²/n·(1 − n/N).
func (m *rows) estimate(p *proposal, d differences, whole [][]float64) {
	slope := d.slope()
	n, rest := d.n, d.without(slope)
	all := float64(m.batches.Rows)
	p.gain = all*rest.mean() + whole[p.hot][1] - whole[p.cold][1]
	if slope != 0 {
		p.gain += slope * d.control
	}
	if m.path == dynamics.Energy {
		p.gain += whole[p.hot][0] - whole[p.cold][0]
	}
	p.seen, p.skew, p.share = n, rest.skew(), n/all
	// rounding may leave less than nothing
	if p.variance = all * all * math.Max(rest.variance(), 0) / n * (1 - n/all); n == all {
		p.variance, p.seen = 0, 0
	}
}

// differences are what a proposal has seen of the rows: differences x of terms between its walkers, and of controls, y.
// They are kept as sums of products of powers, about the first of each, so that they take no more room for more rows.
type differences struct {
	n                  float64
	firstX, firstY     float64
	x, y, xx, xy, yy   float64
	xxx, xxy, xyy, yyy float64
	control            float64 // the sum of controls over all rows
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

// slope of terms by controls that leaves the least noise: that of the regression; 0 where there is nothing to learn
// from.
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

// without are the moments of x − s·y.
func (d *differences) without(s float64) tally {
	if s == 0 { // a control may be no number
		return tally{d.n, d.firstX, d.x, d.xx, d.xxx}
	}
	return tally{d.n, d.firstX - s*d.firstY, d.x - s*d.y, d.xx - 2*s*d.xy + s*s*d.yy, d.xxx - 3*s*d.xxy + 3*s*s*d.xyy -
		s*s*s*d.yyy}
}

// pin makes the cold walkers' places the pivots of their chains, and adds up the slopes there: one pass over the rows.
func (r *run) pin() error {
	m, ok := r.exchange.meter.(*rows)
	w := r.walkers
	if !ok || r.exchange.plain || len(w.rungs) < 2 {
		return nil
	}
	at, mask := w.positions(), make([]bool, w.lanes())
	m.slopes = make([][]float64, w.chains)
	for chain := range m.slopes {
		m.slopes[chain], mask[w.cold(chain)] = make([]float64, w.dim), true
		for _, lane := range w.lanesOf(chain) {
			w.exe.SetLane(dynamics.Pivot, lane, at[w.cold(chain)])
		}
	}
	for part := 0; part*m.batches.Chunk < m.batches.Rows; part++ {
		w.fill(dynamics.Part, float64(part))
		if err := w.entry(r.ctx, dynamics.Slope, mask); err != nil {
			return err
		}
		slopes := split(w.read(dynamics.Slope, nil), w.dim)
		for chain := range m.slopes {
			for j, v := range slopes[w.cold(chain)] {
				m.slopes[chain][j] += v
			}
		}
	}
	return nil
}

// fill sets a scalar lane buffer on all lanes.
func (w *walkers) fill(name string, value float64) {
	w.exe.Set(name, slices.Repeat([]float64{value}, w.lanes()))
}

// A tally has the first three moments of numbers as they come, about the first of them, so that little cancels.
type tally struct{ n, first, sum, squares, cubes float64 }

func (t *tally) add(x float64) {
	if t.n == 0 {
		t.first = x
	}
	x -= t.first
	t.n++
	t.sum, t.squares, t.cubes = t.sum+x, t.squares+x*x, t.cubes+x*x*x
}

func (t tally) mean() float64 { return t.first + t.sum/t.n }

func (t tally) variance() float64 { return (t.squares - t.sum*t.sum/t.n) / (t.n - 1) }

// skew is the third standardised moment.
func (t tally) skew() float64 {
	m := t.sum / t.n
	third := t.cubes/t.n - 3*m*t.squares/t.n + 2*m*m*m
	return third / math.Pow(t.variance(), 1.5)
}
