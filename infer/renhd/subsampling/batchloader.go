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
}

// newBatchLoader returns a loader, or nil if all data are in memory or the device computes nothing.
func newBatchLoader(s *population.Phase, blank bool) *batchLoader {
	t, ok := infer.Streaming(s.Target)
	if !ok || blank {
		return nil
	}
	return &batchLoader{t, s.System.Batches, s.Options.Seed}
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

// load copies the rows that an entry reads to the lanes of mask (nil: all). In a run on several ranks, each rank reads
// only the rows that it uses.
func (f *batchLoader) load(ctx context.Context, w *population.Walkers, entry string, mask []bool) error {
	together, ctx := errgroup.WithContext(ctx)
	together.SetLimit(readers)
	var puts []func()
	blocks := make([]block, f.target.Streams())
	common := f.batches.CommonRows(entry)
	for lane := range w.Lanes() {
		if mask != nil && !mask[lane] {
			continue
		}
		rows := f.batches.Wanted(entry, f.seed, w.NoiseStep, func(name string) float64 { return w.Get(name, lane) })
		if len(rows) == 0 {
			return nil
		}
		for k := range blocks {
			if common && blocks[k].rows != nil {
				continue
			}
			name, width := f.target.StreamInput(k, len(rows), common), f.target.StreamWidth(k)
			first, end := device.Reads(w.Exe, entry, name, lane)
			if first == end {
				continue
			}
			// Neighbouring lanes may read the same rows, such as the lanes of a chain for energies.
			if !slices.Equal(rows, blocks[k].rows) {
				blocks[k] = block{rows, make([]float64, len(rows)*width)}
				f.read(ctx, together, k, blocks[k], first/width, (end+width-1)/width)
			}
			values := blocks[k].values
			puts = append(puts, func() {
				if common {
					w.Exe.Set(name, values)
				} else {
					w.Exe.SetLane(name, lane, values)
				}
			})
		}
		if common && !slices.ContainsFunc(blocks, func(b block) bool { return b.rows == nil }) {
			break
		}
	}
	if err := together.Wait(); err != nil {
		return err
	}
	for _, put := range puts {
		put()
	}
	return nil
}

// A block holds the values of a stream for some rows, with zeros for values that are not needed here.
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
