package app

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"ppl/app/notes"
	"ppl/compiler"
	"ppl/infer"
	"ppl/infer/checkpoint"
	"ppl/lang/types"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
)

// A recorder implements infer.Recorder and infer.Checkpoints for a run. It computes generated quantities, and writes
// draws and the state of the sampler to the run directory.
type recorder struct {
	program  *compiler.Program
	disk     files.System
	dir      string
	resuming bool // whether to resume an existing run
	chains   int
	rows     bool // whether to store the log likelihood of each row
	kept     selection
	single   bool // whether to store weights of networks in single precision
	seed     uint64
	options  store.Options
	notes    notes.Notes

	mu      sync.Mutex    // guards writer, lost and closed: Abandon closes a run while the sampler runs
	closed  bool          // whether the run has ended on disk
	lost    bool          // whether another process has taken the directory over
	writer  *store.Writer // nil before the first draw
	resumed bool          // whether the resumed run had a store of draws at its checkpoint
	began   time.Time     // start of drawing in this process
	counts  []int         // number of draws of each chain so far
	values  []float64
	// readable is true if some draws have been made readable, in this process or in the one whose run it resumes.
	readable bool
	record   []float64 // selected part of values
	saved    int       // number of values that the model saves; log densities follow them
	saving   budget
	content  checkpointSize // estimated size of a checkpoint, including draws
	watched  store.Progress
}

// A savedRun is stored in a checkpoint before the state of the sampler.
type savedRun struct {
	Begun  bool   // whether the store of draws existed
	Counts []int  // number of draws of each chain
	Run    string `cbor:",omitempty"` // identity of the run; empty before the first draw, and in old checkpoints
}

// Load reads the checkpoint of the run to resume.
func (r *recorder) Load(state any) (found bool, err error) {
	r.saving = newBudget(time.Now())
	if !r.resuming {
		return false, nil
	}
	from, rest, note, err := checkpoint.Read(r.disk, r.dir, r.usable)
	switch {
	case errors.Is(err, checkpoint.ErrNone):
		r.notes.Note("the run was ended before its first checkpoint; it starts again with the same seed")
		return false, nil
	case err != nil:
		return false, err
	case note != "":
		r.notes.Note(note)
	}
	r.resumed, r.counts = from.Begun, from.Counts
	return true, rest.Decode(state)
}

// usable returns an error if a checkpoint belongs to another run, or if the store has fewer draws than the checkpoint,
// as in a copy made while the run continued.
func (r *recorder) usable(from savedRun) error {
	info, err := store.ReadInfoOn(r.disk, r.dir)
	if err != nil {
		return err
	}
	if from.Run != "" && from.Run != info.ID {
		return errors.New("is that of another run")
	}
	for chain, n := range from.Counts {
		if from.Begun && (chain >= len(info.Written) || n > info.Written[chain]) {
			return errors.New("was made after more draws than the directory contains, which may be a copy made " +
				"during sampling")
		}
	}
	return nil
}

// Due reports whether to write a checkpoint now. The first draws of a run become readable with one, so that they are
// not lost if the process is killed.
func (r *recorder) Due(numbers int) bool {
	r.content = r.contentOf(numbers)
	now := time.Now()
	first := r.writer != nil && !r.readable && r.saving.dueFirst(r.content, now.Sub(r.began))
	return first || r.saving.due(r.content, now)
}

// contentOf returns the size of a checkpoint whose state has the given number of values. It includes the draws in
// incomplete chunks, which are written with each checkpoint and again when the chunk is full.
func (r *recorder) contentOf(state int) checkpointSize {
	all := checkpointSize{state, 1}
	if r.writer != nil {
		numbers, files := r.writer.Pending()
		all.numbers, all.files = all.numbers+numbers, all.files+files
	}
	return all
}

// Save makes all draws so far readable, then writes the state that follows them.
func (r *recorder) Save(state any) error {
	began := time.Now()
	if err := r.checkOwner(); err != nil {
		return err
	}
	if r.writer != nil {
		if err := r.flush(); err != nil {
			return err
		}
	}
	saved := savedRun{Begun: r.writer != nil, Counts: r.counts}
	if r.writer != nil {
		saved.Run = r.writer.ID()
	}
	err := checkpoint.Write(r.disk, r.dir, saved, state)
	r.saving.took(r.content, began, time.Now())
	return err
}

// Begin creates the store of draws, or opens it if the resumed run has draws.
func (r *recorder) Begin(stats []types.Variable) (err error) {
	priors, rows := r.program.LogDensities()
	if !r.rows {
		rows = nil
	}
	layout := store.Layout{Chains: r.chains, Posterior: r.kept.variables(r.program, r.single), SampleStats: stats,
		Observed: AsObserved(r.program.Observed()), Constant: AsObserved(r.program.Constants()),
		LogPrior: priors, LogLikelihood: rows, TopLevel: r.program.TopLevel(),
		Parameters: r.kept.names(r.program.Parameters()), Effects: r.kept.effects(r.program.Effects()),
		Exchangeable: r.kept.names(r.program.Exchangeable()), LeftOut: r.kept.leftOut(r.program),
		Sets: r.program.Sets()}
	r.saved = TotalSize(r.program.Saved())
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.resumed {
		r.writer, err = store.Resume(r.disk, r.dir, layout, r.counts, r.options)
	} else {
		r.counts = make([]int, r.chains)
		r.writer, err = store.Create(r.disk, r.dir, layout, r.options)
	}
	r.began, r.readable = time.Now(), r.resumed
	return err
}

// sampling returns the time spent on drawing, without reading data and warm-up.
func (r *recorder) sampling() time.Duration {
	if r.began.IsZero() {
		return 0
	}
	return time.Since(r.began)
}

// AsObserved combines data variables and their values.
func AsObserved(variables []types.Variable, values [][]float64) []store.Observed {
	all := make([]store.Observed, len(variables))
	for i, v := range variables {
		all[i] = store.Observed{Variable: v, Values: values[i]}
	}
	return all
}

// Draw computes the generated quantities of a draw and stores it. It makes draws readable from time to time even if
// checkpoints are too large to be frequent. Each draw has a separate random stream, so that generated quantities do not
// depend on the order in which chains deliver draws.
func (r *recorder) Draw(chain int, values, stats []float64) error {
	r.values = append(r.values[:0], values...)
	r.program.Complete(GeneratedStream(r.seed, chain, r.counts[chain]), r.values[:r.saved])
	r.counts[chain]++
	r.record = append(r.kept.of(r.record[:0], r.values), r.values[r.saved:]...)
	if err := r.checkOwner(); err != nil {
		return err
	}
	if err := r.writer.Append(chain, r.record, stats); err != nil {
		return err
	}
	now := time.Now()
	if !r.flushDue(checkpointSize{}, now) {
		// Check first without counting pending writes, since counting for thousands of chains takes longer than a
		// draw.
		return nil
	}
	all := r.contentOf(0)
	if !r.flushDue(all, now) {
		return nil
	}
	err := r.flush()
	r.saving.took(all, now, time.Now())
	return err
}

// flushDue reports whether to make draws readable now. Checkpoints have precedence.
func (r *recorder) flushDue(c checkpointSize, now time.Time) bool {
	return r.saving.due(c, now.Add(-saveEvery))
}

// flush makes all draws so far readable.
func (r *recorder) flush() error {
	r.readable = true
	return r.writer.Flush()
}

// checkOwner returns an error if another process has taken the directory over.
func (r *recorder) checkOwner() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost {
		return errTakenOver
	}
	return nil
}

// lose ends the run without writing to its directory, which another process has taken over.
func (r *recorder) lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost, r.closed = true, true
}

var errTakenOver = errors.New("another process has taken over the run, because this process did not respond in time")

// GeneratedStream returns the random stream for the generated quantities of a draw.
func GeneratedStream(seed uint64, chain, draw int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(chain)<<40|uint64(draw)))
}

// Progress reports progress to the user, and once a second in the run directory for those who watch it.
func (r *recorder) Progress(p infer.Progress) {
	r.notes.Progress(p)
	now, at := time.Now(), &r.watched
	if phase := p.Phase.String(); phase != at.Phase {
		*at = store.Progress{Phase: phase, PhaseBegan: now, First: p.Done}
	} else if now.Sub(at.Written) < time.Second {
		return
	}
	at.Done, at.Total, at.Divergences, at.Written = p.Done, p.Total, p.Divergences, now
	at.Part, at.Gradients = p.Part, p.Gradients
	at.SwapRates = at.SwapRates[:0]
	for _, rate := range p.SwapRates {
		at.SwapRates = append(at.SwapRates, store.Number(rate))
	}
	_ = store.WriteProgress(r.disk, r.dir, *at) // the run continues even if its progress cannot be written
}

// close ends the run on disk. Further calls do nothing. If report is nil, the earlier report is kept.
func (r *recorder) close(report *store.SamplerReport, status store.Status, cause error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed = true
	if r.writer == nil {
		return store.SetStatus(r.disk, r.dir, status, cause)
	}
	if report != nil {
		r.writer.Report(*report)
	}
	return r.writer.Close(status, cause)
}

// least returns the smallest number of draws of any chain.
func (r *recorder) least() int { return slices.Min(r.counts) }
