package population

import (
	"errors"
	"fmt"

	"ppl/infer"
	"ppl/infer/dynamics"
)

// splitRows prepares minibatches if they are requested. It returns an error if the target does not allow what the
// settings request.
func (s *Phase) splitRows() error {
	set := s.Settings()
	if set.Batch == 0 {
		if err := infer.NeedAll(s.Target, "renhd without minibatches"); err != nil {
			return err
		}
		if set.ExchangeBatch > 0 {
			return errors.New("exchange_batch is for minibatches: set batch too")
		}
		return nil
	}
	t, ok := s.Target.(infer.Splittable)
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
		return fmt.Errorf("batch = %d, but the data have %d rows; leave out batch to use all rows", set.Batch, n)
	}
	if s.Blocks != nil {
		s.Batches = dynamics.NewBatches(n, set.Batch, 0, set.Batch, s.Options.Seed)
		s.Batches.HoldOut(infer.HeldOut(n), s.Options.Seed)
		return s.checkFiles()
	}
	chunk := set.ExchangeBatch
	if chunk == 0 {
		chunk = max(set.Batch, 256)
	}
	s.Batches = dynamics.NewBatches(n, set.Batch, max(set.Batch, leastReference, 10*s.Target.Dim()), min(chunk, n),
		s.Options.Seed)
	s.Batches.Pass = min(n, max(s.Batches.Chunk, passRows))
	if t, ok := infer.Streaming(t); ok {
		s.Batches.Mixed, s.Batches.Pass = t.Mixed(), rowsOfPass(t, n, s.Batches.Chunk)
	}
	if set.ControlVariates != "off" && !s.Swaps.Plain {
		s.Batches.Anchor(s.Options.Seed)
	}
	return s.checkFiles()
}

// rowsOfPass returns the number of rows, out of n, that a pass over all rows reads at a time.
func rowsOfPass(t infer.Streamed, n, least int) int {
	width := 1
	for k := range t.Streams() {
		width = max(width, t.StreamWidth(k))
	}
	return min(n, max(least, passNumbers/width))
}

// checkFiles reads the rows of the reference once, so that an unreadable file is reported before the run begins.
func (s *Phase) checkFiles() error {
	t, ok := infer.Streaming(s.Target)
	if !ok {
		return nil
	}
	for k := range t.Streams() {
		values := make([]float64, len(s.Batches.Reference)*t.StreamWidth(k))
		if err := t.ReadRows(k, s.Batches.Reference, values); err != nil {
			return err
		}
	}
	return nil
}

// A UseAllRows error ends a run with batch = auto that must begin again with all rows.
type UseAllRows struct{ Reason string }

func (e UseAllRows) Error() string { return e.Reason }

// firstOfAuto returns the size of minibatches at the start of a run. auto reports whether warm-up will choose the size.
func firstOfAuto(t infer.Target, o infer.Options) (batch int, auto bool, err error) {
	if b := o.Settings.Batch; b != infer.AutoBatch {
		return b, false, nil
	}
	all := func(format string, args ...any) (int, bool, error) {
		return 0, false, UseAllRows{"batch = auto: all rows are used, because " + fmt.Sprintf(format, args...)}
	}
	rows, ok := t.(infer.Splittable)
	if !ok {
		return all("the likelihood is not a sum over rows")
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
		return min(LeastBatch, n), true, nil
	case dynamics.Named(dynamicsOf(infer.Settings{Dynamics: o.Settings.Dynamics, Batch: 1})).Traits().Corrected:
		return all("%s needs exact gradients", o.Settings.Dynamics)
	case n < fewRows:
		return all("the data have only %d rows", n)
	}
	return LeastBatch, true, nil
}

// Chunks returns the number of chunks of a pass over all rows.
func (s *Phase) Chunks() int {
	if _, streamed := infer.Streaming(s.Target); !streamed {
		return 1
	}
	return s.Batches.Passes()
}

// leastReference is the minimum number of rows that represent all rows in the first part of warm-up.
const leastReference = 1000

// passNumbers is the number of values from a file that a pass over all rows reads at a time, once for all walkers: few
// enough to need little memory, and enough for several tiles, which threads and ranks share.
const passNumbers = 1 << 18

// passRows is the number of rows in memory that a pass over all rows reads at a time, so that calls of the device are
// few and results small.
const passRows = 1024

// Sizes of the first minibatches of runs that choose their own size.
const (
	networkBatch = 128
	LeastBatch   = 64
	fewRows      = 512 // with fewer rows than this, all are used
)
