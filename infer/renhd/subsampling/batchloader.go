package subsampling

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/infer/renhd/population"
	"ppl/runtime/device"
)

// A batchLoader copies the rows of each minibatch from files to the device. The choice of rows is a function of seed,
// lane and clock, the same as on the device for data in memory.
type batchLoader struct {
	target  infer.Streamed
	batches dynamics.Batches
	seed    uint64
	memory  [][][]float64 // for each stream: memory for the blocks of rows of a call
}

// newBatchLoader returns a loader, or nil if all data are in memory or the device computes nothing.
func newBatchLoader(s *population.Phase, blank bool) *batchLoader {
	t, ok := infer.Streaming(s.Target)
	if !ok || blank {
		return nil
	}
	return &batchLoader{t, s.System.Batches, s.Options.Seed, make([][][]float64, t.Streams())}
}

// inputs returns the lane buffers to which rows are copied.
func (f *batchLoader) inputs() (names []string) {
	if f == nil {
		return nil
	}
	sizes := []int{f.batches.Size, f.batches.InChunk()}
	if f.batches.Anchored {
		sizes = append(sizes, f.batches.InBatch())
	}
	for k := range f.target.Streams() {
		for _, m := range sizes {
			names = append(names, f.target.StreamInput(k, m, false))
		}
	}
	return names
}

// readers is the number of concurrent reads, so that a disk can serve many together; readRows is the number of rows of
// one read.
const (
	readers  = 32
	readRows = 512
)

// load copies the rows that an entry reads to the walkers of mask (nil: all). In a run on several ranks, each rank
// reads only the rows that it uses.
func (f *batchLoader) load(ctx context.Context, w *population.Walkers, entry string, mask []bool) error {
	wanted := func(lane int) []float64 {
		return f.batches.Wanted(entry, f.seed, w.NoiseStep, func(name string) float64 { return w.Get(name, lane) })
	}
	var lanes []int
	for lane := range w.Lanes() {
		if mask == nil || mask[lane] {
			lanes = append(lanes, lane)
		}
	}
	switch {
	case len(lanes) == 0:
		return nil
	case f.batches.CommonRows(entry):
		return f.give(ctx, w.Exe, entry, lanes, wanted(lanes[0]))
	}
	return f.loadLanes(ctx, w.Exe, entry, lanes, wanted)
}

// give copies rows that all lanes read, once.
func (f *batchLoader) give(ctx context.Context, exe device.Executable, entry string, lanes []int,
	rows []float64) error {
	together, ctx := f.newReads(ctx)
	var puts []func()
	for k := range f.target.Streams() {
		name, width := f.target.StreamInput(k, len(rows), true), f.target.StreamWidth(k)
		first, end := readsOfAny(exe, entry, name, lanes)
		if first == end {
			continue
		}
		values := f.blockMemory(k, 0, len(rows)*width)
		f.read(ctx, together, k, block{rows, values}, first/width, (end+width-1)/width)
		puts = append(puts, func() { exe.Set(name, values) })
	}
	return finishReads(together, puts)
}

// readsOfAny returns the range of elements of a buffer that an entry reads on any of some lanes in this process.
func readsOfAny(exe device.Executable, entry, name string, lanes []int) (first, end int) {
	for _, lane := range lanes {
		first, end = device.Reads(exe, entry, name, lane)
		if first < end {
			break
		}
	}
	return first, end
}

// loadLanes copies the rows of each lane, if the entry reads any.
func (f *batchLoader) loadLanes(ctx context.Context, exe device.Executable, entry string, lanes []int,
	wanted func(lane int) []float64) error {
	together, ctx := f.newReads(ctx)
	var puts []func()
	blocks, used := make([]block, f.target.Streams()), make([]int, f.target.Streams())
	for _, lane := range lanes {
		rows := wanted(lane)
		if len(rows) == 0 {
			return nil
		}
		for k := range blocks {
			name, width := f.target.StreamInput(k, len(rows), false), f.target.StreamWidth(k)
			first, end := device.Reads(exe, entry, name, lane)
			if first == end {
				continue
			}
			// Neighbouring lanes may read the same rows, such as the lanes of a chain for energies.
			if !slices.Equal(rows, blocks[k].rows) {
				blocks[k] = block{rows, f.blockMemory(k, used[k], len(rows)*width)}
				used[k]++
				f.read(ctx, together, k, blocks[k], first/width, (end+width-1)/width)
			}
			values := blocks[k].values
			puts = append(puts, func() { exe.SetLane(name, lane, values) })
		}
	}
	return finishReads(together, puts)
}

// blockMemory returns memory for n values of stream k in the i-th block of a call of give or loadLanes. Later calls
// use it again.
func (f *batchLoader) blockMemory(k, i, n int) []float64 {
	if i == len(f.memory[k]) {
		f.memory[k] = append(f.memory[k], nil)
	}
	values := slices.Grow(f.memory[k][i][:0], n)[:n]
	f.memory[k][i] = values
	return values
}

// finishReads waits for reads, and then copies what they have read to the device.
func finishReads(together *errgroup.Group, puts []func()) error {
	if err := together.Wait(); err != nil {
		return err
	}
	for _, put := range puts {
		put()
	}
	return nil
}

// loadBlocks copies the rows of a block to each lane, for the entry Block.
func (f *batchLoader) loadBlocks(ctx context.Context, exe device.Executable, numbers []float64) error {
	lanes := make([]int, len(numbers))
	for lane := range lanes {
		lanes[lane] = lane
	}
	return f.loadLanes(ctx, exe, dynamics.Block, lanes, func(lane int) []float64 {
		return f.batches.Wanted(dynamics.Block, f.seed, 0, func(string) float64 { return numbers[lane] })
	})
}

// newReads returns a group of concurrent reads.
func (f *batchLoader) newReads(ctx context.Context) (*errgroup.Group, context.Context) {
	together, ctx := errgroup.WithContext(ctx)
	together.SetLimit(readers)
	return together, ctx
}

// A block holds the values of a stream for some rows. Values that are not needed on this rank are arbitrary.
type block struct{ rows, values []float64 }

// read starts to read rows first to end − 1 of a block of stream k.
func (f *batchLoader) read(ctx context.Context, together *errgroup.Group, k int, b block, first, end int) {
	width := len(b.values) / len(b.rows)
	for lo := first; lo < end; lo += readRows {
		hi := min(lo+readRows, end)
		together.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			return f.target.ReadRows(k, b.rows[lo:hi], b.values[lo*width:hi*width])
		})
	}
}
