package renhd

import (
	"context"

	"golang.org/x/sync/errgroup"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// A feed puts the rows of data that are in files where the device reads them. Their numbers are a pure function of
// seed, lane and clock, as they would be on the device.
type feed struct {
	target  infer.Streamed
	batches dynamics.Batches
	seed    uint64
}

// newFeed is nil where all data are in memory.
func (r *run) newFeed() *feed {
	t, ok := infer.Streaming(r.target)
	if !ok {
		return nil
	}
	return &feed{t, r.system.Batches, r.options.Seed}
}

// readers is how many reads there are at once, so that a disk can serve many together, and readRows the rows of one.
const (
	readers  = 32
	readRows = 512
)

// fill puts the rows that an entry wants on the lanes of mask (nil: all).
func (f *feed) fill(ctx context.Context, w *walkers, entry string, mask []bool) error {
	together, ctx := errgroup.WithContext(ctx)
	together.SetLimit(readers)
	var puts []func()
	for lane := range w.lanes() {
		if mask != nil && !mask[lane] {
			continue
		}
		rows := f.batches.Wanted(entry, f.seed, func(name string) float64 { return w.get(name, lane) })
		if len(rows) == 0 {
			return nil
		}
		for k := range f.target.Streams() {
			name, width := f.target.StreamInput(k, len(rows))
			values := make([]float64, len(rows)*width)
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

// runFed runs calls one by one, with rows for each.
func (w *walkers) runFed(ctx context.Context, calls []device.Call, mask []bool) error {
	for _, c := range calls {
		for range c.Times {
			if err := w.feed.fill(ctx, w, c.Entry, mask); err != nil {
				return err
			}
			if err := w.once(ctx, []device.Call{{Entry: c.Entry, Times: 1}}, mask); err != nil {
				return err
			}
		}
	}
	return nil
}

// readable reads the rows of the reference once, so that a file that cannot be read is an error and no accident.
func (r *run) readable() error {
	t, ok := infer.Streaming(r.target)
	if !ok {
		return nil
	}
	for k := range t.Streams() {
		_, width := t.StreamInput(k, 1)
		if err := t.ReadRows(k, r.batches.Reference, make([]float64, len(r.batches.Reference)*width)); err != nil {
			return err
		}
	}
	return nil
}
