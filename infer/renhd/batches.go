package renhd

import (
	"errors"
	"fmt"
	"ppl/infer"
	"ppl/infer/dynamics"
)

// splitRows prepares minibatches, or refuses a target that has none.
func (s *phase) splitRows() error {
	set := s.settings()
	if set.Batch == 0 {
		if err := infer.NeedAll(s.target, "renhd without minibatches"); err != nil {
			return err
		}
		if set.ExchangeBatch > 0 {
			return errors.New("exchange_batch is for minibatches: set batch too")
		}
		return nil
	}
	t, ok := s.target.(infer.Splittable)
	if !ok {
		return errors.New("minibatches need a likelihood that is a sum over rows; leave out batch")
	}
	n, err := t.Rows()
	switch {
	case err != nil:
		return err
	case dynamicsOf(set) == "hmc":
		return errors.New("minibatches make gradients noisy, which hmc cannot correct; leave out dynamics or batch")
	case set.Batch > n:
		return fmt.Errorf("batch = %d, but the data have %d rows; leave it out to use them all", set.Batch, n)
	}
	if s.blocks != nil {
		s.batches = dynamics.NewBatches(n, set.Batch, 0, set.Batch, s.options.Seed)
		s.batches.HoldOut(infer.HeldOut(n), s.options.Seed)
		return s.checkFiles()
	}
	chunk := set.ExchangeBatch
	if chunk == 0 {
		chunk = max(set.Batch, 256)
	}
	s.batches = dynamics.NewBatches(n, set.Batch, max(set.Batch, leastReference, 10*s.target.Dim()), min(chunk, n),
		s.options.Seed)
	if t, ok := infer.Streaming(t); ok {
		s.batches.Mixed, s.batches.Pass = t.Mixed(), rowsOfPass(t, n, s.batches.Chunk)
	}
	if set.ControlVariates != "off" && !s.swaps.plain {
		s.batches.Anchor(s.options.Seed)
	}
	return s.checkFiles()
}

// rowsOfPass is how many of n rows a pass takes at a time.
func rowsOfPass(t infer.Streamed, n, least int) int {
	width := 1
	for k := range t.Streams() {
		_, one := t.StreamInput(k, 1)
		width = max(width, one)
	}
	return min(n, max(least, passNumbers/width))
}

// checkFiles reads the rows of the reference once, so that a file that cannot be read is an error before the run.
func (s *phase) checkFiles() error {
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

// A useAllRows error ends a run with batch = auto that is to begin again with all rows.
type useAllRows struct{ reason string }

func (e useAllRows) Error() string { return e.reason }

// firstOfAuto is the batch with which a run begins that is to choose its own; auto is false where there is nothing to
// choose.
func firstOfAuto(t infer.Target, o infer.Options) (batch int, auto bool, err error) {
	if b := o.Settings.Batch; b != infer.AutoBatch {
		return b, false, nil
	}
	all := func(format string, args ...any) (int, bool, error) {
		return 0, false, useAllRows{"batch = auto: all rows are used, because " + fmt.Sprintf(format, args...)}
	}
	rows, ok := t.(infer.Splittable)
	if !ok {
		return all("the likelihood is no sum over rows")
	}
	n, err := rows.Rows()
	switch _, streamed := infer.Streaming(t); {
	case err != nil && streamed:
		return 0, false, err
	case err != nil:
		return all("%v", err)
	case infer.NetworkBlocks(t, o.Settings.Batch) != nil && n > networkBatch:
		return networkBatch, false, nil
	case streamed:
		return min(leastBatch, n), true, nil
	case dynamics.Named(dynamicsOf(infer.Settings{Dynamics: o.Settings.Dynamics, Batch: 1})).Traits().Corrected:
		return all("%s needs exact gradients", o.Settings.Dynamics)
	case n < fewRows:
		return all("there are only %d", n)
	}
	return leastBatch, true, nil
}

// chunks of a pass.
func (s *phase) chunks() int {
	if _, streamed := infer.Streaming(s.target); !streamed {
		return 1
	}
	return (s.batches.Rows + s.batches.Pass - 1) / s.batches.Pass
}

// leastReference is how many rows at least represent all in the first part of warm-up.
const leastReference = 1000

// passNumbers are how many numbers of a file each walker has at a time in a pass over all rows: enough for several
// turns, which threads and ranks share, and so few that they cost no memory.
const passNumbers = 1 << 16

// The first batches of runs that choose their own.
const (
	networkBatch = 128
	leastBatch   = 64
	fewRows      = 512 // all of less are taken
)
