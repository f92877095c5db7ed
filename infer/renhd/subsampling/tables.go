package subsampling

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/floats"

	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// A table holds the control variates of an anchor a: for each block of rows that can be a batch, a level and, [block,
// dim], a slope. If each step uses one of K blocks S at random, the sum over all rows of their log likelihood ℓᵢ at x
// is estimated as
//
//	K Σ_S ℓᵢ(x) + level_S + slope_S·(x − a)
//	level_S = Σ ℓᵢ(a) − K Σ_S ℓᵢ(a)     slope_S = Σ ∇ℓᵢ(a) − K Σ_S ∇ℓᵢ(a)
//
// It is computed by one pass over the rows, when a lane first needs it, and is not stored in checkpoints.
type table struct{ levels, slopes []float64 }

// mostTabulated bounds the numbers of all tables together, to half a gigabyte.
const mostTabulated = 1 << 26

// mostAnchors returns the maximum number of anchors.
func (w *controls) mostAnchors() int {
	const most = 64
	if !w.UsesAnchors {
		return most
	}
	return min(most, mostTabulated/(w.Batches.Blocks()*(w.Dim+1)))
}

// tablesOf returns the existing tables of anchors.
func (w *controls) tablesOf(anchors []anchor) []table {
	out := make([]table, len(anchors))
	for i, a := range anchors {
		same := func(b anchor) bool { return slices.Equal(a.At, b.At) }
		if k := slices.IndexFunc(w.Anchors, same); k >= 0 && k < len(w.tables) {
			out[i] = w.tables[k]
		}
	}
	return out
}

// correct writes, before calls of the device, the corrections of the batches that they will use.
func (w *controls) correct(ctx context.Context, calls []device.Call) error {
	blocks := w.blocksOf(calls)
	if len(blocks) == 0 {
		return nil
	}
	if err := w.tabulate(ctx); err != nil {
		return err
	}
	w.writeCorrections(blocks)
	return nil
}

// cutAhead splits calls after Ahead batches.
func (w *controls) cutAhead(calls []device.Call) (now, later []device.Call) {
	room := dynamics.Ahead
	for i, c := range calls {
		if !w.Batches.UsesAnchor(c.Entry) {
			continue
		}
		if room == 0 {
			return calls[:i], calls[i:]
		}
		if c.Times > room {
			now = append(slices.Clone(calls[:i]), device.Call{Entry: c.Entry, Times: room})
			later = append([]device.Call{{Entry: c.Entry, Times: c.Times - room}}, calls[i+1:]...)
			return now, later
		}
		room -= c.Times
	}
	return calls, nil
}

// blocksOf returns the blocks that calls use, in order.
func (w *controls) blocksOf(calls []device.Call) (blocks []int) {
	step := w.NoiseStep
	for _, c := range calls {
		if w.Batches.UsesAnchor(c.Entry) {
			for at := range uint64(c.Times) {
				blocks = append(blocks, w.Batches.BlockAt(w.Seed, step+at))
			}
		}
		step += uint64(c.Times)
	}
	return blocks
}

// writeCorrections writes the corrections of the next batches to all lanes. Most lanes have the same anchor as the
// previous lane.
func (w *controls) writeCorrections(blocks []int) {
	levels, slopes, of := make([]float64, dynamics.Ahead), make([]float64, dynamics.Ahead*w.Dim), -1
	for lane, k := range w.AnchorOf {
		if k < 0 {
			continue
		}
		if k != of {
			t := w.tables[k]
			for i, block := range blocks {
				levels[i] = t.levels[block]
				copy(slopes[i*w.Dim:(i+1)*w.Dim], t.slopes[block*w.Dim:])
			}
			of = k
		}
		w.Exe.SetLane(dynamics.Levels, lane, levels)
		w.Exe.SetLane(dynamics.Slopes, lane, slopes)
	}
	w.SetAll(dynamics.Taken, 0)
}

// tabulate computes missing tables that lanes need.
func (w *controls) tabulate(ctx context.Context) error {
	for len(w.tables) < len(w.Anchors) {
		w.tables = append(w.tables, table{})
	}
	var without []int
	for _, k := range w.AnchorOf {
		if k >= 0 && w.tables[k].levels == nil && !slices.Contains(without, k) {
			without = append(without, k)
		}
	}
	if len(without) == 0 {
		return nil
	}
	return w.makeTables(ctx, without)
}

// makeTables computes tables by a pass over the blocks, with a lane for each anchor and block. It does not advance the
// noise step, so a resumed run, which computes its tables again, uses the same batches.
func (w *controls) makeTables(ctx context.Context, anchors []int) (err error) {
	on := tabulator{w, w.Exe, w.Lanes()}
	if w.loader != nil {
		if on, err = w.newTabulator(); err != nil {
			return err
		}
		defer on.exe.Close()
	}
	blocks, d := w.Batches.Blocks(), w.Dim
	made := make([]table, len(anchors))
	for i := range made {
		made[i] = table{make([]float64, blocks), make([]float64, blocks*d)}
	}
	for lane := range on.lanes {
		on.exe.SetLane(dynamics.Anchor, lane, w.Anchors[anchors[lane%len(anchors)]].At)
	}
	numbers, sums, slopes := make([]float64, on.lanes), make([]float64, on.lanes), make([]float64, on.lanes*d)
	each := on.lanes / len(anchors) // number of blocks of a call
	for first := 0; first < blocks; first += each {
		for lane := range numbers {
			numbers[lane] = float64(min(first+lane/len(anchors), blocks-1))
		}
		if err := on.sumBlocks(ctx, numbers, sums, slopes); err != nil {
			return err
		}
		for lane, number := range numbers {
			t, block := made[lane%len(anchors)], int(number)
			t.levels[block] = sums[lane]
			copy(t.slopes[block*d:(block+1)*d], slopes[lane*d:])
		}
	}
	for i, k := range anchors {
		made[i].correct(d)
		w.tables[k] = made[i]
	}
	for lane := range w.Lanes() {
		w.writeAnchor(lane)
	}
	return nil
}

// A tabulator runs the entry Block, with at least one lane for each anchor.
type tabulator struct {
	*controls
	exe   device.Executable
	lanes int
}

// newTabulator loads a program with as many lanes as have the rows that a pass reads at a time, so that calls are few,
// and threads and ranks share each.
func (w *controls) newTabulator() (tabulator, error) {
	lanes := max(w.Lanes(), w.Batches.Pass/w.Batches.InBatch())
	exe, err := w.loadBlocks(lanes)
	return tabulator{w, exe, lanes}, err
}

// sumBlocks computes the sum over a block of rows, and its gradient, on each lane.
func (t tabulator) sumBlocks(ctx context.Context, numbers, sums, slopes []float64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.exe.Set(dynamics.BlockNumber, numbers)
	if t.loader != nil {
		if err := t.loader.loadBlocks(ctx, t.exe, numbers); err != nil {
			return err
		}
	}
	if _, err := t.exe.Run([]device.Call{{Entry: dynamics.Block, Times: 1}}, t.NoiseStep, nil); err != nil {
		return err
	}
	t.exe.Get(dynamics.BlockSum, sums)
	t.exe.Get(dynamics.BlockSlope, slopes)
	return nil
}

// runAside runs an entry without advancing the noise step.
func (w *controls) runAside(ctx context.Context, entry string, mask []bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if w.loader != nil {
		if err := w.loader.load(ctx, w.Walkers, entry, mask); err != nil {
			return err
		}
	}
	_, err := w.Exe.Run([]device.Call{{Entry: entry, Times: 1}}, w.NoiseStep, mask)
	return err
}

// correct converts sums over blocks to corrections.
func (t *table) correct(d int) {
	blocks := float64(len(t.levels))
	level, slope := floats.Sum(t.levels), make([]float64, d)
	for at := 0; at < len(t.slopes); at += d {
		floats.Add(slope, t.slopes[at:at+d])
	}
	for i := range t.levels {
		t.levels[i] = level - blocks*t.levels[i]
	}
	for i := range t.slopes {
		t.slopes[i] = slope[i%d] - blocks*t.slopes[i]
	}
}
