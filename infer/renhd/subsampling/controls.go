package subsampling

import (
	"context"
	"reflect"
	"slices"

	"ppl/infer"
	"ppl/infer/renhd/population"
	"ppl/runtime/device"
)

// controls prepares the data that the lanes of one program read: rows of minibatches from files, and the corrections of
// estimates by control variates. It implements population.RowReader.
type controls struct {
	*population.Walkers
	*State
	target infer.Target
	loader *batchLoader // nil if all data are in memory
	tables []table      // table of each anchor; empty tables are computed when needed
	blank  bool         // the device computes nothing
	// loadBlocks loads a program with the entry Block alone.
	loadBlocks func(lanes int) (device.Executable, error)
}

// State is the part of a checkpoint about anchors.
type State struct {
	Anchors  []anchor
	AnchorOf []int  // anchor of each lane
	Compared string // sentence on the last comparison of the noise with anchors and without; empty before
}

// keepTables takes over the tables of the previous walkers, unless these had other coordinates or batches.
func (w *controls) keepTables(old *controls) {
	if old == nil || !reflect.ValueOf(w.target).Comparable() || !reflect.ValueOf(old.target).Comparable() {
		return
	}
	a, b := &old.Batches, &w.Batches
	if old.target == w.target && a.Rows == b.Rows && a.Size == b.Size && slices.Equal(a.Always, b.Always) {
		w.tables = old.tables
	}
}

// BeforeTrajectory implements population.RowReader.
func (w *controls) BeforeTrajectory() { w.suitAnchors() }

// BeforePlace implements population.RowReader.
func (w *controls) BeforePlace(at [][]float64) { w.assignAnchors(at) }

// Inputs implements population.RowReader.
func (w *controls) Inputs() []string { return w.loader.inputs() }

// Run implements population.RowReader.
func (w *controls) Run(ctx context.Context, calls []device.Call, mask []bool) error {
	switch {
	case w.blank:
		return w.Walkers.CallDevice(ctx, calls, mask)
	case w.loader != nil:
		return w.runCorrected(ctx, calls, mask, w.runWithRows)
	}
	return w.runCorrected(ctx, calls, mask, w.Walkers.CallDevice)
}

// runCorrected runs calls in parts that use no more batches than the host corrects at a time. Corrections are computed
// before rows are loaded, since tabulating an anchor loads the rows of all blocks into the same buffers.
func (w *controls) runCorrected(ctx context.Context, calls []device.Call, mask []bool,
	run func(context.Context, []device.Call, []bool) error) error {
	for len(calls) > 0 {
		now, later := w.cutAhead(calls)
		if err := w.correct(ctx, now); err != nil {
			return err
		}
		if err := run(ctx, now, mask); err != nil {
			return err
		}
		calls = later
	}
	return nil
}

// runWithRows runs calls one by one, after it has loaded the rows of each.
func (w *controls) runWithRows(ctx context.Context, calls []device.Call, mask []bool) error {
	for _, c := range calls {
		for range c.Times {
			if err := w.loader.load(ctx, w.Walkers, c.Entry, mask); err != nil {
				return err
			}
			if err := w.Walkers.CallDevice(ctx, []device.Call{{Entry: c.Entry, Times: 1}}, mask); err != nil {
				return err
			}
		}
	}
	return nil
}
