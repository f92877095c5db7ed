package renhd

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// A batchLoader copies the rows of each minibatch from files to the device. Which rows is a pure function of seed, lane
// and clock, the same as the device computes for data in memory.
type batchLoader struct {
	target  infer.Streamed
	batches dynamics.Batches
	seed    uint64
}

// newBatchLoader is nil where all data are in memory.
func newBatchLoader(s *shared) *batchLoader {
	t, ok := infer.Streaming(s.target)
	if !ok {
		return nil
	}
	return &batchLoader{t, s.system.Batches, s.options.Seed}
}

// readers is how many reads there are at once, so that a disk can serve many together, and readRows the rows of one.
const (
	readers  = 32
	readRows = 512
)

// load copies the rows that an entry reads to the lanes of mask (nil: all).
func (f *batchLoader) load(ctx context.Context, w *walkers, entry string, mask []bool) error {
	together, ctx := errgroup.WithContext(ctx)
	together.SetLimit(readers)
	var puts []func()
	var last []float64
	blocks := make([][]float64, f.target.Streams())
	for lane := range w.lanes() {
		if mask != nil && !mask[lane] {
			continue
		}
		rows := f.batches.Wanted(entry, f.seed, w.NoiseStep, func(name string) float64 { return w.get(name, lane) })
		if len(rows) == 0 {
			return nil
		}
		same := slices.Equal(rows, last) // as in a pass over all rows, which lanes make together
		last = rows
		for k := range f.target.Streams() {
			name, width := f.target.StreamInput(k, len(rows))
			if same {
				values := blocks[k]
				puts = append(puts, func() { w.exe.SetLane(name, lane, values) })
				continue
			}
			values := make([]float64, len(rows)*width)
			blocks[k] = values
			for lo := 0; lo < len(rows); lo += readRows {
				hi := min(lo+readRows, len(rows))
				together.Go(func() error {
					if err := ctx.Err(); err != nil {
						return err
					}
					return f.target.ReadRows(k, rows[lo:hi], values[lo*width:hi*width])
				})
			}
			puts = append(puts, func() { w.exe.SetLane(name, lane, values) })
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

// run executes calls one by one, with rows for each.
func (f *batchLoader) run(ctx context.Context, w *walkers, calls []device.Call, mask []bool) error {
	for _, c := range calls {
		for range c.Times {
			if err := f.load(ctx, w, c.Entry, mask); err != nil {
				return err
			}
			if err := w.call(ctx, []device.Call{{Entry: c.Entry, Times: 1}}, mask); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFiles reads the rows of the reference once, so that a file that cannot be read is an error before the run.
func (s *shared) checkFiles() error {
	t, ok := infer.Streaming(s.target)
	if !ok {
		return nil
	}
	for k := range t.Streams() {
		_, width := t.StreamInput(k, 1)
		if err := t.ReadRows(k, s.batches.Reference, make([]float64, len(s.batches.Reference)*width)); err != nil {
			return err
		}
	}
	return nil
}
