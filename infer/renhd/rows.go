package renhd

import (
	"context"
	"math"
	"slices"

	"ppl/infer/dynamics"
)

// rows measures gains by differences of log likelihood over rows at random: without replacement, chunk after chunk, until an estimate is good
// enough for the test, or all rows have been asked and it is exact. All walkers' energies of a chunk are one call of the device.
type rows struct {
	batches dynamics.Batches
	path    dynamics.Path
}

func (m rows) measure(ctx context.Context, w *walkers, proposals []*proposal, round int, most float64) error {
	w.fill(dynamics.Round, float64(round))
	tallies := make([]tally, len(proposals))
	for part, open := 0, proposals; len(open) > 0; part++ {
		w.fill(dynamics.Part, float64(part))
		if err := w.entry(ctx, dynamics.Terms, lanesIn(w, open)); err != nil {
			return err
		}
		terms, whole := split(w.read(dynamics.Terms, nil), m.batches.Chunk), split(w.read(dynamics.Whole, nil), 2)
		fresh := min(m.batches.Chunk, m.batches.Rows-part*m.batches.Chunk)
		for i, p := range proposals {
			if !slices.Contains(open, p) {
				continue
			}
			for k := range fresh {
				tallies[i].add(terms[p.hot][k] - terms[p.cold][k])
			}
			m.estimate(p, tallies[i], whole)
		}
		open = slices.DeleteFunc(slices.Clone(open), func(p *proposal) bool {
			_, variance := p.delta()
			return !(variance > most)
		})
	}
	return nil
}

// estimate is the gain from a sample of its terms: N times their mean, with the variance of sampling without replacement, N²s²/n·(1 − n/N).
func (m rows) estimate(p *proposal, t tally, whole [][]float64) {
	all := float64(m.batches.Rows)
	p.gain = all*t.mean() + whole[p.hot][1] - whole[p.cold][1]
	if m.path == dynamics.Energy {
		p.gain += whole[p.hot][0] - whole[p.cold][0]
	}
	p.seen, p.skew, p.share = t.n, t.skew(), t.n/all
	if p.variance = all * all * t.variance() / t.n * (1 - t.n/all); t.n == all {
		p.variance, p.seen = 0, 0
	}
}

// lanesIn are the walkers of proposals, as a mask.
func lanesIn(w *walkers, proposals []*proposal) []bool {
	mask := make([]bool, w.lanes())
	for _, p := range proposals {
		mask[p.cold], mask[p.hot] = true, true
	}
	return mask
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
