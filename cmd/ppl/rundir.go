package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"ppl/infer/checkpoint"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/securedir"
)

// A runDir is the directory of a run, locked.
type runDir struct {
	disk    files.System
	path    string
	lock    *store.Lock
	created bool             // it was not there, or empty
	before  *resolvedOptions // of the run to go on with; nil: a new one begins
	info    store.Info       // of the run to go on with

	recorder *atomic.Pointer[recorder] // of the run in progress; nil before there is one
}

// existing is what to do with a run that stands in the directory.
type existing int

const (
	refuse existing = iota
	goOn
	overwrite
)

// takeDir makes and locks the directory of a run, so that what is wrong with it is known before the model is compiled.
// It refuses one that another process writes to, that has files of another kind, or that holds draws, unless the run
// there is to go on or to be replaced. A run that ended before its first draw is worth nothing and may be replaced.
// If another machine takes it over, this process ends.
func (c *console) takeDir(ctx context.Context, path string, there existing) (*runDir, error) {
	d := &runDir{disk: c.disk.Below(path), path: path, recorder: &atomic.Pointer[recorder]{}}
	if !adopting(path) {
		if err := d.look(there); err != nil { // before anything is written there
			return nil, failed(err)
		}
	}
	if err := c.disk.MkdirAll(path, 0o777); err != nil {
		return nil, failed(err)
	}
	var err error
	note := func(line string) { c.notef("note: %s", line) }
	switch d.lock, err = store.TakeLock(ctx, path, store.Signs, note); {
	case errors.Is(err, context.Canceled):
		return nil, interrupted()
	case err != nil:
		return nil, failed(err)
	}
	go c.endIfLost(d)
	c.warnOfOthers(path)
	if adopting(path) {
		if err := d.adopt(); err != nil {
			d.close(false)
			return nil, failed(err)
		}
	}
	if err := d.look(there); err != nil { // another process may have been faster
		d.close(false)
		return nil, failed(err)
	}
	return d, nil
}

// warnOfOthers says that other users can change a run that this one goes on to write and to believe.
func (c *console) warnOfOthers(path string) {
	if err := securedir.Closed(path); errors.As(err, new(securedir.Unsafe)) {
		c.notef("note: %v: what they put into the run is taken for a part of it", err)
	}
}

// endIfLost ends the process, and with it all ranks, when another one has taken over the directory: what it writes
// there from then on would be mixed with what the other writes.
func (c *console) endIfLost(d *runDir) {
	if !d.lock.Lost() {
		return
	}
	c.notef("ppl: another process has taken over the run in %s, since it had no sign of life of this one; this one "+
		"ends", d.path)
	if c.job != nil {
		c.job.abort(codeFailed)
	}
	os.Exit(codeFailed)
}

// look finds out what the directory holds.
func (d *runDir) look(there existing) error {
	var options resolvedOptions
	info, err := store.ReadOptions(d.path, &options)
	switch {
	case !exists(d.path), errors.As(err, new(store.ErrNotRun)) && isEmpty(d.path):
		d.created = true
		return nil
	case errors.As(err, new(store.ErrNotRun)) && there != goOn && !isRun(d.path):
		return fmt.Errorf("%s holds files of something else and no run; choose another directory with --out DIR",
			d.path)
	case err != nil:
		return err
	case there == goOn:
		options.locate(d.path)
		d.before, d.info = &options, info
		return nil
	case info.Draws == 0 || there == overwrite:
		return nil
	}
	return fmt.Errorf("%s holds a run already (%s, %d draws per chain); go on with it with --resume, choose another "+
		"directory with --out DIR, or replace it with --overwrite", d.path, info.Status, info.Draws)
}

// clear makes room for a new run.
func (d *runDir) clear() error {
	if d.created {
		return nil
	}
	d.before = nil
	if err := d.removeSecond(); err != nil {
		return err
	}
	return d.remove()
}

// remove removes a run from its directory.
func (d *runDir) remove() error {
	if err := checkpoint.Remove(d.disk, d.path); err != nil {
		return err
	}
	if err := removeStarts(d.disk, d.path); err != nil {
		return err
	}
	if err := removeInputs(d.disk, d.path); err != nil {
		return err
	}
	return store.Clear(d.disk, d.path)
}

// close gives the directory back. One that we made and that is of no use goes.
func (d *runDir) close(useful bool) {
	if useful || !d.created {
		_ = d.lock.Release() // the end of the process does the same
		return
	}
	_ = store.Clear(d.disk, d.path) // best effort: there is nothing in it but the options of a run that never began
	_ = checkpoint.Remove(d.disk, d.path)
	_ = removeStarts(d.disk, d.path)
	_ = removeInputs(d.disk, d.path)
	_ = d.removeSecond()
	_ = d.lock.Remove()
	_ = d.disk.Remove(d.path)
}

// abandon saves what there is of a run whose process ends in the middle of a step. The directory is nil before it has
// been made.
func (c *console) abandon(d *runDir) {
	if d == nil {
		return
	}
	r := d.recorder.Load()
	if r == nil {
		d.close(false)
		return
	}
	if err := r.close(nil, store.Interrupted, nil); err != nil {
		c.notef("ppl: %v", err)
	}
	c.notef("stopped early; what there is of the run is in %s, and ppl sample --resume %[1]s goes on", d.path)
}

// isEmpty reports whether a directory has nothing in it but a lock.
func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && (len(entries) == 0 || len(entries) == 1 && entries[0].Name() == store.LockFile)
}

// runFile is what makes a directory that of a run.
const runFile = "run.json"

// isRun reports whether a path is that of a run, and not of a model.
func isRun(path string) bool { return exists(filepath.Join(path, runFile)) }

func failedIf(err error) error {
	if err != nil {
		return failed(err)
	}
	return nil
}
