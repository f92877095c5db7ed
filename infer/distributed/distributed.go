// Package distributed runs a sampler on several processes, called ranks, with the same draws as on one:
//
//	sample := distributed.Sampler(comm, renhd.Sample)
//	report, err := sample(ctx, target, options, recorder)   // on every rank, with the same target and options
//
// Every rank runs the same code on the same numbers, and the devices divide lanes, or the rows of the data, among the
// ranks (ranks.Session.Parts). Only rank 0 records draws and saves checkpoints. Decisions of a rank that depend on a
// clock, a signal or a disk are sent to all ranks with the next exchange. So the draws do not depend on the number of
// ranks, as in Pigeons.jl (Surjanovic et al., "Pigeons.jl: distributed sampling from intractable distributions", 2023).
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

// Sampler returns a sampler that runs s on all ranks of a job. Only the recorder and the checkpoints of rank 0 are
// used; they may be nil on the others. A note is added if ranks had nothing to do.
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

// idle returns a note that some ranks had nothing to do, or "" if none was idle.
func idle(size, idle int) string {
	switch {
	case idle == 0:
		return ""
	case idle == size-1:
		return fmt.Sprintf("only one of %d ranks had work: there are fewer than %d walkers, and the rows of the data "+
			"were not divided, because they are few or because the device cannot divide them; one process would have "+
			"been as fast", size, fewestWalkers(size))
	}
	return fmt.Sprintf("%d of %d ranks were idle: the data have rows for %d ranks only, and dividing the walkers "+
		"needs at least %d of them", idle, size, size-idle, fewestWalkers(size))
}

// fewestWalkers returns the minimum number of walkers that gives each rank a block.
func fewestWalkers(size int) int { return ranks.LaneBlock*(size-1) + 1 }

// sharing is a device whose programs divide lanes or rows among ranks.
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

// A firstRank is a recorder and checkpoints that act on rank 0 and do nothing on the others. A failure, such as that of
// a disk, is stored until all ranks know about it.
type firstRank struct {
	session     *ranks.Session
	recorder    infer.Recorder
	checkpoints infer.Checkpoints
	failure     error
	numbers     int // approximate size of a checkpoint
}

func (f *firstRank) failed() bool { return f.failure != nil }

// do calls the function what on rank 0, unless an earlier call has failed, or other ranks were lost so that results may
// be wrong. It returns nil: an error is stored, and ends the run on all ranks at their next exchange.
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

// Due reports the decision that the ranks have agreed on. Rank 0 decided by the size in the previous iteration.
func (f *firstRank) Due(numbers int) bool {
	f.numbers = numbers
	return f.session.Saving()
}

// Save saves a state on rank 0. Values of a sequence are on the ranks that compute them, so all ranks take part in
// gathering them before rank 0 writes.
func (f *firstRank) Save(state any) error {
	f.session.Saved()
	if s, ok := state.(checkpoint.Sequence); ok {
		var all gathered
		if err := s.WriteValues(f.adder(&all)); err != nil {
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

// adder returns a function that adds values to all on rank 0, and does nothing on the others.
func (f *firstRank) adder(all *gathered) func(any) error {
	if f.session.Rank() > 0 {
		return func(any) error { return nil }
	}
	return all.add
}

// gathered holds the values of a sequence.
type gathered []any

func (g *gathered) add(value any) error {
	*g = append(*g, value)
	return nil
}

// WriteValues writes the gathered values.
func (g gathered) WriteValues(put func(any) error) error {
	for _, value := range g {
		if err := put(value); err != nil {
			return err
		}
	}
	return nil
}

// Load reads the checkpoint on rank 0 and sends it to the others.
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
