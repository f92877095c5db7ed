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

// A recorder is a run's infer.Recorder and infer.Checkpoints: it draws what is after generate, and streams draws
// and the state of the sampler to the run directory.
type recorder struct {
	program  *compiler.Program
	disk     files.System
	dir      string
	resuming bool // the run that is there is to continue
	chains   int
	rows     bool // whether the log likelihood of each row is kept
	kept     selection
	single   bool // weights of networks are kept in single precision
	seed     uint64
	options  store.Options
	notes    notes.Notes

	mu      sync.Mutex    // of writer and closed: a run that is given up is closed while the sampler runs
	closed  bool          // the run has ended on disk
	lost    bool          // another process has taken the directory over
	writer  *store.Writer // nil before the first draw
	resumed bool          // the checkpoint that the run continues from has draws before it
	began   time.Time     // of the draws of this process
	counts  []int         // draws of each chain so far
	values  []float64
	record  []float64 // of values: what is kept
	saved   int       // of values: how many are what the model saves, before the log densities
	saving  budget
	content content // of a checkpoint with the draws before it, about
	watched store.Progress
}

// A savedRun is what a checkpoint in a run directory has before the state of the sampler.
type savedRun struct {
	Begun  bool   // there are draws
	Counts []int  // draws of each chain
	Run    string `cbor:",omitempty"` // the identity of the run; empty before there are draws, and in older ones
}

// Load reads the checkpoint of the run that is to continue.
func (r *recorder) Load(state any) (found bool, err error) {
	r.saving = newBudget(time.Now())
	if !r.resuming {
		return false, nil
	}
	from, rest, note, err := checkpoint.Read(r.disk, r.dir, r.usable)
	switch {
	case errors.Is(err, checkpoint.ErrNone):
		r.notes.Note("the run was ended before its first checkpoint; it begins again, with the same seed")
		return false, nil
	case err != nil:
		return false, err
	case note != "":
		r.notes.Note(note)
	}
	r.resumed, r.counts = from.Begun, from.Counts
	return true, rest.Decode(state)
}

// usable returns an error for a checkpoint that comes after more draws than there are, as in a copy that was made while
// the run continued.
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
			return errors.New("comes after more draws than there are: the directory may be a copy, made while the " +
				"run went on")
		}
	}
	return nil
}

// Due reports whether it is time for a checkpoint.
func (r *recorder) Due(numbers int) bool {
	r.content = r.contentOf(numbers)
	return r.saving.due(r.content, time.Now())
}

// contentOf returns what a checkpoint of a state of that many numbers writes, with the draws that it makes readable.
// These are written again when their chunk is full, so that they are a part of what it costs.
func (r *recorder) contentOf(state int) content {
	all := content{state, 1}
	if r.writer != nil {
		numbers, files := r.writer.Pending()
		all.numbers, all.files = all.numbers+numbers, all.files+files
	}
	return all
}

// Save makes all draws so far readable, and then keeps the state that comes after them.
func (r *recorder) Save(state any) error {
	began := time.Now()
	if err := r.checkOwner(); err != nil {
		return err
	}
	if r.writer != nil {
		if err := r.writer.Flush(); err != nil {
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

// Begin makes the store of draws, or opens it where the run continues after some.
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
	r.began = time.Now()
	return err
}

// sampling returns how long draws have been taken: neither reading data nor warming up, which pass over all rows.
func (r *recorder) sampling() time.Duration {
	if r.began.IsZero() {
		return 0
	}
	return time.Since(r.began)
}

// AsObserved lays out data, with their values, for a run.
func AsObserved(variables []types.Variable, values [][]float64) []store.Observed {
	all := make([]store.Observed, len(variables))
	for i, v := range variables {
		all[i] = store.Observed{Variable: v, Values: values[i]}
	}
	return all
}

// Draw completes one draw and keeps it. Draws are made readable now and then, also where checkpoints are too large to
// be frequent. What is generated has a random stream of its own for each draw, so that it does not depend on the order
// in which chains deliver.
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
	began := time.Now()
	now := began.Add(-saveEvery) // a checkpoint comes first where it can
	if !r.saving.due(content{}, now) {
		return nil // without a count of what thousands of chains would write, which takes longer than a draw
	}
	all := r.contentOf(0)
	if !r.saving.due(all, now) {
		return nil
	}
	err := r.writer.Flush()
	r.saving.took(all, began, time.Now())
	return err
}

// checkOwner refuses to write to a directory that is another process's now.
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

var errTakenOver = errors.New("another process has taken over the run, since it had no sign of life of this one")

// GeneratedStream returns the random stream of what a run with a seed generates at a draw of a chain.
func GeneratedStream(seed uint64, chain, draw int) *rand.Rand {
	return rand.New(rand.NewPCG(seed, uint64(chain)<<40|uint64(draw)))
}

// Progress shows the user how far the run is, and once a second those who watch the directory.
func (r *recorder) Progress(p infer.Progress) {
	r.notes.Progress(p)
	now, at := time.Now(), &r.watched
	if phase := p.Phase.String(); phase != at.Phase {
		*at = store.Progress{Phase: phase, PhaseBegan: now, First: p.Done}
	} else if now.Sub(at.Written) < time.Second {
		return
	}
	at.Done, at.Total, at.Divergences, at.Written = p.Done, p.Total, p.Divergences, now
	at.SwapRates = at.SwapRates[:0]
	for _, rate := range p.SwapRates {
		at.SwapRates = append(at.SwapRates, store.Number(rate))
	}
	_ = store.WriteProgress(r.disk, r.dir, *at) // a run continues where nobody can watch it
}

// close ends the run on disk, once. Without a report of the sampler, that of before stays.
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

// least returns the number of draws that every chain has.
func (r *recorder) least() int { return slices.Min(r.counts) }
