package renhd

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime/debug"
	"slices"

	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
)

// A checkpoint is a run between two iterations. In sampling it is all there is to know: Collector is set, and a resumed
// run goes on from there.
//
// In warm-up a resumed run goes the same way through the code again. Parts that were finished are not run: their
// results are in Answers, and what lies between them is done on a blank device, whose numbers nothing depends on. The
// part under way gets back its state, and the run goes on for real:
//
//	explore   initialPhase   window window window …   converge   window … window
//	blank     blank          answer answer answer     blank      answer   ↑ restored here
type checkpoint struct {
	Population populationState
	State      state
	Stats      statistics
	Answers    []answer // of the finished parts of warm-up, in order

	// The part under way: one of these.
	Approach  *approachState
	Window    *windowState
	Annealing *annealingState
	Pilot     *pilotState
	Anchors   *anchorState
	Curvature *curvatureState
	Climb     *climbState
	Noise     *noiseState
	Settling  *settlingState
	Search    *searchState
	Collector *collectorState

	// What walkers.saved names, where the checkpoint was read: metrics and anchors are in State, once each.
	Lanes device.Snapshot `cbor:"-"`
}

// A written checkpoint has the buffers of lanes after it, one part at a time.
type written struct {
	*checkpoint
	lanes iter.Seq[device.Part]
}

func (c written) WriteValues(put func(any) error) error {
	if err := put(c.checkpoint); err != nil {
		return err
	}
	for part := range c.lanes {
		if err := put(part); err != nil {
			return err
		}
	}
	return nil
}

// WriteValues writes a checkpoint that was read, as it was.
func (c *checkpoint) WriteValues(put func(any) error) error {
	return written{c, slices.Values(c.Lanes)}.WriteValues(put)
}

// ReadValues reads what WriteValues wrote.
func (c *checkpoint) ReadValues(next func(any) error) error {
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

// An answer is what a finished part of warm-up leaves for the decisions after it: its result, and the numbers that they
// read from the run.
type answer struct {
	Result     result
	Betas      []float64
	Pairs      []pair
	Iterations int
}

// A result is what a part has found out. Each part fills in what it is asked for.
type result struct {
	Heats        []float64 // of the walkers at the end of a window where each is alone
	Rising       bool      // a walker leaves negligible mass
	Steps        float64   // that trajectories of the usual length have with the step that the window found
	Disagreement float64   // of the walkers of a window
	OnePlace     bool      // the walkers of a window agree on where the target is
	FewStayed    bool      // they do, but too many were moved there
	Connected    bool      // no barrier is between the places where walkers are and were
	Images       bool      // walkers that do not agree do so more where images are taken for one
	Forgets      bool      // walkers on the hottest rung move between all modes
	Anchored     bool      // gradients are to have control variates
	Several      bool      // anchors are in several modes
	Far          bool      // a walker is far from all anchors
	Unfinished   bool      // anchors are not at their modes yet
	Settled      bool      // the kinetic temperatures of all blocks of a network are 1
	Share        float64   // effective share of a pilot's iterations
	Divergences  int       // of a pilot
	Batch        int       // rows of a minibatch that were chosen
	NewModes     int       // that a search has found
	Recentred    bool      // effects have other coordinates from now on
}

// A part is a piece of warm-up that checkpoints are taken in.
type part interface {
	begin() error
	more() bool
	iterate() error
	finish() (result, error)
	resume(c *checkpoint) // takes the state of the part from a checkpoint
	inProgress
}

// inProgress is a part whose state a checkpoint is to hold.
type inProgress interface{ progress(c *checkpoint) }

// A replay answers the finished parts of warm-up in a resumed run.
type replay struct {
	from    *checkpoint // nil: the run is not resumed, or has gone past its checkpoint
	answers []answer    // of the parts finished so far
}

// replaying reports whether the part under way at the checkpoint has not been reached yet.
func (p *replay) replaying() bool { return p.from != nil }

// runPart runs a part to its end, or answers it from the checkpoint.
func (r *run) runPart(p part) (result, error) {
	if from := r.replay.from; from != nil && len(r.replay.answers) < len(from.Answers) {
		a := from.Answers[len(r.replay.answers)]
		r.replay.answers = append(r.replay.answers, a)
		r.recentred = r.recentred || a.Result.Recentred
		return a.Result, r.applyAnswer(a)
	}
	if err := r.beginPart(p); err != nil {
		return result{}, err
	}
	for p.more() {
		if err := p.iterate(); err != nil {
			return result{}, err
		}
		if err := r.saveIfDue(p); err != nil {
			return result{}, err
		}
	}
	found, err := p.finish()
	r.recentred = r.recentred || found.Recentred
	r.replay.answers = append(r.replay.answers, answer{found, r.walkers.betas(), r.stats.Swaps.Pairs,
		r.Iterations})
	return found, err
}

// beginPart begins a part, or takes it up where the checkpoint left it.
func (r *run) beginPart(p part) error {
	if !r.replay.replaying() {
		return p.begin()
	}
	from := r.replay.from
	r.replay.from, r.blank = nil, false
	if err := r.restore(from, r.walkers.program); err != nil {
		return err
	}
	p.resume(from)
	return nil
}

// applyAnswer sets what is read between parts.
func (r *run) applyAnswer(a answer) error {
	if len(a.Betas) != len(r.walkers.Rungs) {
		return fmt.Errorf("the checkpoint does not fit: it has %d rungs where there are %d", len(a.Betas),
			len(r.walkers.Rungs))
	}
	for j, b := range a.Betas {
		r.walkers.Rungs[j].Beta = b
	}
	r.stats.Swaps.Pairs, r.Iterations = a.Pairs, a.Iterations
	r.stats.Report.Divergences = a.Result.Divergences
	return nil
}

// restore puts the run where it was at a checkpoint, on the device.
func (r *run) restore(c *checkpoint, program program) error {
	r.close()
	r.walkers, r.populationState, r.state, r.stats = nil, c.Population, c.State, c.Stats
	p := r.Roster
	if form := p.Rungs[0].Metric; form.Rank != r.phase.system.Metric.Rank ||
		!r.phase.centredBy(c.Population.Centring) || !slices.Equal(r.phase.system.Jumps, c.Population.Discontinuities) {
		var err error
		r.phase = r.phase.inForm(form).across(c.Population.Discontinuities).inCoordinates(c.Population.Centring)
		if program, err = r.phase.compile(); err != nil {
			return err
		}
	}
	if r.phase.blocks != nil {
		debug.FreeOSMemory() // what the replay leaves behind is as large as the program that comes now
	}
	exe, err := r.loadDevice(program, r.phase.options.Chains*p.PerChain)
	if err != nil {
		return err
	}
	r.walkers = newWalkers(&r.phase, program, exe, p)
	r.walkers.writeAllRungs()
	for lane := range p.AnchorOf {
		r.walkers.writeAnchor(lane)
	}
	if err := device.Restore(exe, r.walkers.lanes(), c.Lanes); err != nil {
		return fmt.Errorf("the checkpoint does not fit: %w", err)
	}
	return nil
}

// loadCheckpoint reads the latest checkpoint. In sampling the run goes on from there; in warm-up it is replayed.
func (r *run) loadCheckpoint() (sampling *collectorState, err error) {
	keep := r.phase.options.Checkpoints
	if keep == nil {
		return nil, nil
	}
	c := &checkpoint{}
	found, err := keep.Load(c)
	if err != nil || !found {
		return nil, err
	}
	if c.State.AllRows != r.state.AllRows {
		return nil, nil // of the attempt before this one
	}
	if c.Collector == nil {
		r.replay.from, r.blank = c, true
		return nil, nil
	}
	if c.Population.Batch > 0 {
		r.phase = r.phase.inBatches(c.Population.Batch)
	}
	r.phase = r.phase.onPath(c.Population.Path).withControls(c.Population.Anchored).inForm(c.Population.Roster.Rungs[0].Metric).
		across(c.Population.Discontinuities).inCoordinates(c.Population.Centring)
	program, err := r.phase.compile()
	if err != nil {
		return nil, err
	}
	return c.Collector, r.restore(c, program)
}

// saveIfDue keeps a checkpoint when it is time, or when the run is about to be interrupted.
func (r *run) saveIfDue(p inProgress) error {
	keep := r.phase.options.Checkpoints
	if keep == nil || !keep.Due(r.numbers(p)) && r.ctx.Err() == nil {
		return nil
	}
	return r.save(keep, p)
}

func (r *run) save(keep infer.Checkpoints, p inProgress) error {
	w := r.walkers
	return keep.Save(written{r.checkpoint(p), device.Save(w.exe, w.lanes(), w.saved)})
}

// checkpoint is the run as it is, but for what is on the device.
func (r *run) checkpoint(p inProgress) *checkpoint {
	c := &checkpoint{Population: r.populationState, State: r.state, Stats: r.stats, Answers: r.replay.answers}
	p.progress(c)
	return c
}

// numbers is about how many numbers a checkpoint would hold now, of those that may be many. A run asks after each
// iteration, so no checkpoint is made for it.
func (r *run) numbers(p inProgress) (n int) {
	w := r.walkers
	n = w.savedNumbers
	for _, g := range w.Rungs {
		n += len(g.Metric.Factor) + len(g.Metric.Scale) + len(g.Metric.Vectors) + len(g.Metric.Stretch)
	}
	if t, ok := p.(*warmupWindow); ok {
		n += t.seen.numbers(w.dim)
	}
	if c, ok := p.(*drawCollector); ok {
		n += c.state.Ladder.numbers()
	}
	if r.state.Before != nil {
		n += r.state.Before.numbers(w.dim)
	}
	return n
}

// chooseSaved finds the lane buffers that a checkpoint holds: what later calls of the device read, but for metrics and
// anchors, rows of files, which are read for each call, and what each call of several trajectories begins; and
// all single numbers, which the host reads from one call to the next.
func (w *walkers) chooseSaved() {
	once := slices.Concat(dynamics.MetricBuffers(), dynamics.AnchorBuffers(), dynamics.LeapBuffers(), w.loader.inputs(),
		[]string{dynamics.Recorded, dynamics.Rung, dynamics.Want, dynamics.Swaps})
	w.saved = slices.DeleteFunc(w.exe.Buffers(), func(name string) bool {
		return slices.Contains(once, name) || w.exe.Size(name) > 1 && !slices.Contains(w.program.lasting, name)
	})
	for _, name := range w.saved {
		w.savedNumbers += w.lanes() * w.exe.Size(name)
	}
}

// A blank executable has the lane buffers of a program, and entries that do nothing.
type blank struct{ device.LaneBuffers }

func newBlank(program device.Loader, lanes int) *blank {
	doubles, singles := func(n int) []float64 { return make([]float64, n) }, func(n int) []float32 {
		return make([]float32, n)
	}
	return &blank{device.NewLaneBuffers(program.Buffers(), lanes, 1, doubles, singles)}
}

// Run counts the steps.
func (*blank) Run(calls []device.Call, step uint64, _ []bool) (uint64, error) {
	for _, c := range calls {
		step += uint64(c.Times)
	}
	return step, nil
}

// Close has nothing to close.
func (*blank) Close() error { return nil }
