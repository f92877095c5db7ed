// Package rundir manages the directory of a run: the lock of the process that writes it, the options of the run, and
// digests of its inputs, so that an interrupted run can be resumed with the same results.
//
//	dir, err := rundir.Take(ctx, files.Disk{}, "m.run", rundir.GoOn, notes.None{}, nil)
//	dir.Before.Seed          // options of the existing run; Before is nil for a new run
//	defer dir.Close(false)   // removes the directory if Take created it and it is still empty
//
// A run may be sampled twice. The second attempt has its own directory inside the first (SecondIn), and replaces the
// first attempt if its draws are better (StartAdopting).
package rundir

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"ppl/app/fault"
	"ppl/app/notes"
	"ppl/infer/checkpoint"
	"ppl/posterior/store"
	"ppl/runtime/sys/files"
	"ppl/runtime/sys/securedir"
)

// A Dir is the locked directory of a run.
type Dir struct {
	Disk   files.System
	Path   string
	Before *Options   // options of the run to resume; nil for a new run
	Info   store.Info // run.json of the run to resume

	lock    *store.Lock
	created bool // whether the directory did not exist or was empty
}

// An Existing determines what Take does if the directory already contains a run.
type Existing int

// Choices for an existing run.
const (
	Refuse Existing = iota
	GoOn
	Overwrite
)

// Take creates and locks the directory of a run, so that problems with it are found before the model is compiled. It
// returns an error if another process writes to the directory, if it contains other files, or if it contains draws that
// are neither to be extended nor replaced. A run that ended before its first draw may always be replaced. lost, if not
// nil, is called when another machine takes the directory over.
func Take(ctx context.Context, disk files.System, path string, there Existing, n notes.Notes, lost func()) (*Dir,
	error) {
	d := &Dir{Disk: disk.Below(path), Path: path}
	adopting := func() bool { return files.Exists(disk, markIn(path)) }
	if !adopting() {
		if err := d.Look(there); err != nil { // before writing anything
			return nil, fault.Of(err)
		}
	}
	if err := disk.MkdirAll(path, 0o777); err != nil {
		return nil, fault.Of(err)
	}
	if _, inMemory := disk.(*files.Memory); !inMemory {
		if err := d.takeLock(ctx, n, lost); err != nil {
			return nil, err
		}
	}
	if adopting() {
		if err := d.adopt(); err != nil {
			d.Close(false)
			return nil, fault.Of(err)
		}
	}
	if err := d.Look(there); err != nil { // another process may have written a run meanwhile
		d.Close(false)
		return nil, fault.Of(err)
	}
	return d, nil
}

// takeLock locks the directory, and calls lost if the lock is taken over.
func (d *Dir) takeLock(ctx context.Context, n notes.Notes, lost func()) (err error) {
	switch d.lock, err = store.TakeLock(ctx, d.Path, store.Signs, n.Warn); {
	case errors.Is(err, context.Canceled):
		return fault.Interrupted()
	case err != nil:
		return fault.Of(err)
	}
	lock := d.lock
	go func() {
		if lock.Lost() && lost != nil {
			lost()
		}
	}()
	warnOfOthers(d.Path, n)
	return nil
}

// warnOfOthers warns if other users can change the files of the run.
func warnOfOthers(path string, n notes.Notes) {
	if err := securedir.Closed(path); errors.As(err, new(securedir.Unsafe)) {
		n.Warn(err.Error() + "; files that other users add there are read as part of the run")
	}
}

// Look determines whether the directory is new or contains a run that can be resumed or replaced. Any other content is
// an error.
func (d *Dir) Look(there Existing) error {
	if info, err := d.Disk.Stat(d.Path); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory; choose a directory with --out DIR", d.Path)
	}
	var options Options
	info, err := store.ReadOptionsOn(d.Disk, d.Path, &options)
	switch {
	case !files.Exists(d.Disk, d.Path), errors.As(err, new(store.ErrNotRun)) && d.isEmpty():
		d.created = true
		return nil
	case errors.As(err, new(store.ErrNotRun)) && there != GoOn && !isRunOn(d.Disk, d.Path):
		return fmt.Errorf("%s is not a run directory (it contains other files); choose another directory with "+
			"--out DIR", d.Path)
	case err != nil:
		return err
	case there == GoOn:
		options.locate(d.Path)
		d.Before, d.Info = &options, info
		return nil
	case info.Draws == 0 || there == Overwrite:
		return nil
	}
	return fmt.Errorf("%s holds a run already (%s, %d draws per chain); continue it with --resume, choose another "+
		"directory with --out DIR, or replace it with --overwrite", d.Path, info.Status, info.Draws)
}

// Created reports whether the directory did not exist or was empty.
func (d *Dir) Created() bool { return d.created }

// Open opens the run for reading.
func (d *Dir) Open() (*store.Run, error) { return store.OpenOn(d.Disk, d.Path) }

// Renew reads the options of the run after it has ended, so that it can be extended.
func (d *Dir) Renew() (err error) {
	var before Options
	if d.Info, err = store.ReadOptionsOn(d.Disk, d.Path, &before); err != nil {
		return err
	}
	d.Before = &before
	return d.SetStatus(store.Running)
}

// SetStatus records the status of the run while it has no writer.
func (d *Dir) SetStatus(status store.Status) error {
	return store.SetStatus(d.Disk, d.Path, status, nil)
}

// Clear removes the files of an earlier run.
func (d *Dir) Clear() error {
	if d.created {
		return nil
	}
	d.Before = nil
	if err := d.RemoveSecond(); err != nil {
		return err
	}
	return d.remove()
}

// remove deletes the files of a run from its directory.
func (d *Dir) remove() error {
	if err := checkpoint.Remove(d.Disk, d.Path); err != nil {
		return err
	}
	if err := d.removeStarts(); err != nil {
		return err
	}
	if err := d.removeInputs(); err != nil {
		return err
	}
	return store.Clear(d.Disk, d.Path)
}

// Close unlocks the directory. It removes a directory that Take created and that contains nothing useful.
func (d *Dir) Close(useful bool) {
	if d.lock == nil { // in memory
		return
	}
	if useful || !d.created {
		_ = d.lock.Release() // the end of the process would release it, too
		return
	}
	_ = store.Clear(d.Disk, d.Path) // best effort: the directory only contains the options of a run that never began
	_ = checkpoint.Remove(d.Disk, d.Path)
	_ = d.removeStarts()
	_ = d.removeInputs()
	_ = d.RemoveSecond()
	_ = d.lock.Remove()
	_ = d.Disk.Remove(d.Path)
}

// HasCheckpoint reports whether the run can be resumed from a checkpoint.
func (d *Dir) HasCheckpoint() bool {
	return files.Exists(d.Disk, filepath.Join(d.Path, checkpoint.File))
}

// isEmpty reports whether the directory contains at most a lock file.
func (d *Dir) isEmpty() bool {
	entries, err := d.Disk.ReadDir(d.Path)
	return err == nil && (len(entries) == 0 || len(entries) == 1 && entries[0].Name() == store.LockFile)
}

// runFile is the file that marks a directory as a run.
const runFile = "run.json"

// IsRun reports whether a path is a run directory.
func IsRun(path string) bool { return isRunOn(files.Disk{}, path) }

func isRunOn(disk files.System, path string) bool {
	return files.Exists(disk, filepath.Join(path, runFile))
}

// Exists reports whether a path exists.
func Exists(path string) bool { return files.Exists(files.Disk{}, path) }
