package part

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"reflect"

	"github.com/fxamacker/cbor/v2"

	"ppl/infer"
	"ppl/infer/checkpoint"
	"ppl/infer/renhd/population"
	"ppl/posterior/store"
	"ppl/runtime/device"
)

// A part is a piece of a run; checkpoints are taken between its iterations. R is the type of its result.
type part[R any] interface {
	underWay
	Begin() error
	More() bool
	Iterate() error
	Finish() (R, error)
}

// underWay is an unfinished part as checkpoints store it: its state, under its name.
type underWay interface {
	Name() string
	State() any // a pointer
}

// resumed is a part that prepares something that is not in its state when it is resumed.
type resumed interface{ Resumed() }

// A reader is a part that reads all rows, which may take much longer than an iteration of warm-up. Share returns the
// share of the rows that it has read, or 0 if it reads them at once.
type reader interface{ Share() float64 }

// An owner has state that belongs to the entire run. Checkpoints store it under the owner's name.
type owner interface {
	Name() string
	State() any // a pointer
}

// A decider is an owner with values that warm-up reads between two parts. They are stored with the result of each part,
// since a resumed run does not run finished parts again.
type decider interface {
	owner
	Decisions() any
	Decide(decode func(any) error) error
}

// sized is a state that may be large. Numbers returns the approximate number of its float64 values.
type sized interface{ Numbers() int }

// A Run is what the parts of a run share: walkers, notes, progress and checkpoints.
type Run struct {
	*population.Population
	Report   *infer.Report
	Recorder infer.Recorder
	Progress func(infer.Phase) infer.Progress
	owners   []owner
	current  string         // name of the part of warm-up that runs
	share    func() float64 // Share of that part while it runs, or nil

	from    *Checkpoint // checkpoint of the resumed run until its current part is reached; then nil
	Answers []answer    // results of finished parts
}

// Notef adds a remark to the report.
func (h *Run) Notef(format string, args ...any) {
	h.Report.Notes = append(h.Report.Notes, fmt.Sprintf(format, args...))
}

// Warn adds a warning to the report.
func (h *Run) Warn(w store.Warning) { h.Report.Warnings = append(h.Report.Warnings, w) }

// ShowProgress reports to the recorder how far the run is.
func (h *Run) ShowProgress(p infer.Phase) {
	now := h.Progress(p)
	now.Gradients = h.Gradients
	if p == infer.WarmingUp {
		now.Part = h.current
		if h.share != nil {
			now.Share = h.share()
		}
	}
	h.Recorder.Progress(now)
}

// showPart reports how far warm-up is. Parts of a network's warm-up report their own progress.
func (h *Run) showPart() {
	if h.Phase.Blocks == nil {
		h.ShowProgress(infer.WarmingUp)
	}
}

// Replaying reports whether the run has not yet reached the part that was current at the checkpoint.
func (h *Run) Replaying() bool { return h.from != nil }

// A Checkpoint is the state of a run between two iterations. In sampling, it is complete: the current part collects
// draws, and a resumed run continues there.
//
// In warm-up, a resumed run executes the same code again. Finished parts do not run: their results are in Answers. Code
// between them runs on a device that computes nothing, and no later result depends on its numbers. The current part
// gets its state, and from there the run continues normally:
//
//	explore   initialPhase   window   window   window  …  converge   window  …  window
//	replay    device replay device   answer   answer   answer      replay device   answer      ↑ restored here
type Checkpoint struct {
	States  map[string]cbor.RawMessage // state of each owner, by its name
	Answers []answer                   // results of the finished parts of warm-up, in order
	Part    string                     // name of the current part
	Under   cbor.RawMessage            // state of the current part

	// Lanes holds the buffers named by Population.Saved. Metrics and anchors are not in it but in States, once each.
	Lanes device.Snapshot `cbor:"-"`
}

// runToSave has the same fields, but refers to live states, so that no large copy is made. lanes yields the buffers of
// lanes one part at a time.
type runToSave struct {
	States  map[string]any
	Answers []answer
	Part    string
	Under   any
	lanes   iter.Seq[device.Part]
}

// An answer is the result of a finished part of warm-up as checkpoints store it, for the decisions that follow.
type answer struct {
	Part      string
	Result    cbor.RawMessage
	Decisions map[string]cbor.RawMessage // values of each decider, by its name
}

// WriteValues implements checkpoint.Sequence.
func (c runToSave) WriteValues(put func(any) error) error {
	if err := put(c); err != nil {
		return err
	}
	for part := range c.lanes {
		if err := put(part); err != nil {
			return err
		}
	}
	return nil
}

// WriteValues writes a checkpoint that was read, unchanged.
func (c *Checkpoint) WriteValues(put func(any) error) error {
	if err := put(c); err != nil {
		return err
	}
	for _, part := range c.Lanes {
		if err := put(part); err != nil {
			return err
		}
	}
	return nil
}

// ReadValues reads the values that WriteValues wrote.
func (c *Checkpoint) ReadValues(next func(any) error) error {
	if err := next(c); err != nil {
		return err
	}
	for {
		var part device.Part
		switch err := next(&part); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		c.Lanes = append(c.Lanes, part)
	}
}

// Do runs a part to its end. If the checkpoint has the part's result, it returns this result instead.
func Do[R any](h *Run, p part[R]) (found R, err error) {
	if from := h.from; from != nil && len(h.Answers) < len(from.Answers) {
		a := from.Answers[len(h.Answers)]
		h.Answers = append(h.Answers, a)
		if a.Part != p.Name() {
			return found, fmt.Errorf("the checkpoint does not match this run: part %d of its warm-up is %q instead of "+
				"%q; start a new run", len(h.Answers), a.Part, p.Name())
		}
		if err := checkpoint.Decode(a.Result, &found); err != nil {
			return found, err
		}
		return found, h.decide(a)
	}
	if err := h.beginPart(p, p.Begin); err != nil {
		return found, err
	}
	h.current = p.Name()
	if r, ok := any(p).(reader); ok {
		h.share = r.Share
		defer func() { h.share = nil }()
	}
	h.showPart()
	for p.More() {
		if err := p.Iterate(); err != nil {
			return found, err
		}
		h.showPart()
		if err := h.SaveIfDue(p); err != nil {
			return found, err
		}
	}
	if found, err = p.Finish(); err != nil {
		return found, err
	}
	return found, h.keepAnswer(p.Name(), found)
}

// beginPart begins a part, or continues it from its state in the checkpoint.
func (h *Run) beginPart(p underWay, begin func() error) error {
	if !h.Replaying() {
		return begin()
	}
	from := h.from
	h.from, h.Blank = nil, false
	if from.Part != p.Name() {
		return fmt.Errorf("the checkpoint does not match this run: its current part is %q instead of %q; start a new "+
			"run", from.Part, p.Name())
	}
	if err := h.restore(from); err != nil {
		return err
	}
	return h.Resume(from, p)
}

// Resume restores the state of a part from a checkpoint.
func (h *Run) Resume(from *Checkpoint, p underWay) error {
	if err := decodeInto(p.State(), from.Under); err != nil {
		return err
	}
	if p, ok := p.(resumed); ok {
		p.Resumed()
	}
	return nil
}

// keepAnswer stores the result of a part, for runs that are resumed from a later checkpoint.
func (h *Run) keepAnswer(name string, found any) error {
	a := answer{Part: name, Decisions: map[string]cbor.RawMessage{}}
	var err error
	if a.Result, err = checkpoint.Encode(found); err != nil {
		return err
	}
	for _, o := range h.owners {
		if d, ok := o.(decider); ok {
			if a.Decisions[d.Name()], err = checkpoint.Encode(d.Decisions()); err != nil {
				return err
			}
		}
	}
	h.Answers = append(h.Answers, a)
	return nil
}

// decide restores the values that warm-up reads between parts.
func (h *Run) decide(a answer) error {
	for _, o := range h.owners {
		if d, ok := o.(decider); ok {
			decode := func(into any) error { return checkpoint.Decode(a.Decisions[d.Name()], into) }
			if err := d.Decide(decode); err != nil {
				return err
			}
		}
	}
	return nil
}

// restore restores the state of the run, including the device's, from a checkpoint.
func (h *Run) restore(c *Checkpoint) error {
	if err := h.TakeStates(c); err != nil {
		return err
	}
	return h.Reload(c.Lanes)
}

// TakeStates restores the states of all owners from a checkpoint.
func (h *Run) TakeStates(c *Checkpoint) error {
	for _, o := range h.owners {
		if err := decodeInto(o.State(), c.States[o.Name()]); err != nil {
			return err
		}
	}
	return nil
}

// decodeInto replaces a state by a decoded one.
func decodeInto(state any, text cbor.RawMessage) error {
	reflect.ValueOf(state).Elem().SetZero()
	return checkpoint.Decode(text, state)
}

// LoadCheckpoint reads the latest checkpoint. It returns nil if there is none.
func LoadCheckpoint(keep infer.Checkpoints) (*Checkpoint, error) {
	c := &Checkpoint{}
	found, err := infer.LoadCheckpoint(keep, c)
	if err != nil || !found {
		return nil, err
	}
	return c, nil
}

// Replay makes the run repeat warm-up from the stored results of a checkpoint, until it reaches the current part.
func (h *Run) Replay(c *Checkpoint) { h.from, h.Blank = c, true }

// SaveIfDue saves a checkpoint if it is time, or if the run is about to be interrupted.
func (h *Run) SaveIfDue(p underWay) error {
	keep := h.Phase.Options.Checkpoints
	if !infer.CheckpointIsDue(h.Ctx, keep, func() int { return h.numbers(p) }) {
		return nil
	}
	return h.Save(keep, p)
}

// Save saves a checkpoint of the run with its current part.
func (h *Run) Save(keep infer.Checkpoints, p underWay) error {
	c := runToSave{States: map[string]any{}, Answers: h.Answers, Part: p.Name(), Under: p.State(),
		lanes: device.SaveRecorded(h.Exe, h.Lanes(), h.Saved)}
	for _, o := range h.owners {
		c.States[o.Name()] = o.State()
	}
	return keep.Save(c)
}

// numbers returns the approximate number of values in a checkpoint. It counts only states that may be large, and does
// not build a checkpoint, since it is called after each iteration.
func (h *Run) numbers(p underWay) (n int) {
	states := []any{p.State()}
	for _, o := range h.owners {
		states = append(states, o.State())
	}
	for _, s := range states {
		if s, ok := s.(sized); ok {
			n += s.Numbers()
		}
	}
	return n + h.SavedNumbers
}

// An owned wraps a state that has no methods.
type owned struct {
	name  string
	state any
}

func (o owned) Name() string { return o.name }
func (o owned) State() any   { return o.state }

// NewRun returns a run without walkers.
func NewRun(ctx context.Context, first population.Phase, rec infer.Recorder) *Run {
	return &Run{Population: population.New(ctx, first), Report: new(infer.Report), Recorder: rec,
		Progress: func(p infer.Phase) infer.Progress { return infer.Progress{Phase: p} }}
}

// Keep adds owners, so that checkpoints store their states.
func (h *Run) Keep(owners ...owner) { h.owners = append(h.owners, owners...) }

// Own returns an owner for a state that has no methods.
func Own(name string, state any) owner { return owned{name, state} }
