// Package distributed runs a sampler on several processes, or ranks, with the draws of one:
//
//	sample := distributed.Sampler(comm, renhd.Sample)
//	report, err := sample(ctx, target, options, recorder)   // on every rank, with the same target and options
//
// Every rank runs the same code on the same numbers, and the devices share lanes, or the rows of the data
// (ranks.Session.Parts).
// Only rank 0 records draws and keeps checkpoints. What a clock, a signal or a disk decides on some rank is decided on
// all of them, with the next exchange. So the draws do not depend on the number of ranks, as those of Pigeons.jl
// (Surjanovic et al., "Pigeons.jl: distributed sampling from intractable distributions", 2023).
package distributed

import (
	"cmp"
	"context"
	"fmt"

	"ppl/compiler/backend/lower"
	"ppl/infer"
	"ppl/infer/checkpoint"
	"ppl/lang/types"
	"ppl/runtime/device"
	"ppl/runtime/parallel/ranks"
)

// Sampler returns a sampler that runs s on all ranks of a job. The recorder and the checkpoints of rank 0 are used;
// they may be nil on the others. If ranks had nothing to share, a note says so.
func Sampler(c ranks.Comm, s infer.Sampler) infer.Sampler {
	return func(ctx context.Context, t infer.Target, o infer.Options, r infer.Recorder) (infer.Report, error) {
		session := ranks.NewSession(ctx, c)
		o.WholeCalls = true
		o.Device = sharing{o.Device, session}
		first := &firstRank{session: session, recorder: r, checkpoints: o.Checkpoints}
		if keep := o.Checkpoints; keep != nil {
			session.Due = func() bool { return keep.Due(first.numbers) }
		}
		session.Failed = first.failed
		o.Checkpoints = first
		report, err := s(session.Context(), t, o, first)
		err = session.Conclude(cmp.Or(first.failure, err))
		if note := idle(c.Size(), session.Idle()); note != "" {
			report.Notes = append(report.Notes, note)
		}
		return report, err
	}
}

// idle reports that there was less to do than for all ranks; empty if there was enough.
func idle(size, idle int) string {
	switch {
	case idle == 0:
		return ""
	case idle == size-1:
		return fmt.Sprintf("%d ranks had nothing to share: there are fewer than %d walkers, and the data have too few "+
			"rows, or the device shares none; one process would have been as fast", size, fewestWalkers(size))
	}
	return fmt.Sprintf("%d of %d ranks were idle: the data have rows for %d, and fewer than %d walkers are not shared",
		idle, size, size-idle, fewestWalkers(size))
}

// fewestWalkers returns how many walkers make a block for each rank.
func fewestWalkers(size int) int { return ranks.LaneBlock*(size-1) + 1 }

// sharing is a device whose programs share lanes or rows.
type sharing struct {
	infer.Device
	session *ranks.Session
}

func (d sharing) Compile(entries []lower.Entry) (device.Loader, error) {
	l, err := d.Device.Compile(entries)
	if err != nil {
		return nil, err
	}
	return d.session.Parts(l), nil
}

// A firstRank is the recorder and the checkpoints of rank 0, on every rank: the others do nothing there. A failure, of
// a disk say, is kept until all ranks know of it.
type firstRank struct {
	session     *ranks.Session
	recorder    infer.Recorder
	checkpoints infer.Checkpoints
	failure     error
	numbers     int // of a checkpoint, about
}

func (f *firstRank) failed() bool { return f.failure != nil }

// do does something on rank 0, unless that has failed already, or numbers may be wrong since other ranks were lost.
func (f *firstRank) do(what func() error) error {
	if f.session.Rank() == 0 && f.failure == nil && f.session.Lost() == nil {
		f.failure = what()
	}
	return nil
}

func (f *firstRank) Begin(stats []types.Variable) error {
	return f.do(func() error { return f.recorder.Begin(stats) })
}

func (f *firstRank) Draw(chain int, values, stats []float64) error {
	return f.do(func() error { return f.recorder.Draw(chain, values, stats) })
}

func (f *firstRank) Progress(p infer.Progress) {
	_ = f.do(func() error { f.recorder.Progress(p); return nil })
}

// Due reports what the ranks have agreed on. Rank 0 has been asked with the size of the iteration before.
func (f *firstRank) Due(numbers int) bool {
	f.numbers = numbers
	return f.session.Saving()
}

// Save keeps a state on rank 0. Values of a sequence are with the ranks that compute them, so all ranks take part in
// gathering them, before one writes.
func (f *firstRank) Save(state any) error {
	f.session.Saved()
	if s, ok := state.(checkpoint.Sequence); ok {
		var all gathered
		if err := s.WriteValues(all.add); err != nil {
			return err
		}
		state = all
	}
	return f.do(func() error {
		if f.checkpoints == nil {
			return nil
		}
		return f.checkpoints.Save(state)
	})
}

// gathered are the values of a sequence.
type gathered []any

func (g *gathered) add(value any) error {
	*g = append(*g, value)
	return nil
}

// WriteValues writes them.
func (g gathered) WriteValues(put func(any) error) error {
	for _, value := range g {
		if err := put(value); err != nil {
			return err
		}
	}
	return nil
}

// Load reads the checkpoint on rank 0, and gives it to the others.
func (f *firstRank) Load(state any) (found bool, err error) {
	if err := f.session.Synchronise(); err != nil {
		return false, err
	}
	var text []byte
	if f.session.Rank() == 0 && f.checkpoints != nil {
		if found, err = f.checkpoints.Load(state); found && err == nil {
			text, err = checkpoint.Encode(state)
		}
	}
	if err = f.session.Agree(err); err != nil {
		return false, err
	}
	text, err = ranks.BroadcastText(f.session, text)
	if err != nil || f.session.Rank() == 0 || len(text) == 0 {
		return found, err
	}
	return true, checkpoint.Decode(text, state)
}
