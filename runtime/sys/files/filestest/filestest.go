// Package filestest lets calls of a file system fail, so that a test can try each in turn:
//
//	for at := 1; ; at++ {
//		disk := filestest.New(filestest.Full(at))
//		write(disk)                        // must report an error, and leave what can be read
//		if disk.Calls() < at { break }     // every call has failed once
//	}
//
// Trying every call in turn is described by Pillai et al. (OSDI 2014) and in SQLite's page on how it is tested
// (sqlite.org/testing.html, "I/O error testing").
package filestest

import (
	"io/fs"
	"sync"
	"syscall"

	"ppl/runtime/sys/files"
)

// A Plan states which error the call of that number, from 1, has; nil if it succeeds.
type Plan func(call int, op Op) error

// An Op is a kind of call.
type Op string

// Kinds of calls.
const (
	Create Op = "create" // a file or a directory
	Write  Op = "write"
	Sync   Op = "sync" // a file or a directory
	Close  Op = "close"
	Rename Op = "rename"
	Remove Op = "remove"
)

// Full returns a disk that is full from a call on: nothing can be made or written. A write that fails has written half.
func Full(at int) Plan {
	return func(call int, op Op) error {
		if call >= at && (op == Create || op == Write) {
			return syscall.ENOSPC
		}
		return nil
	}
}

// Good returns a disk on which everything succeeds, and quickly, as nothing is synced.
func Good(int, Op) error { return nil }

// Once returns a disk on which a single call fails, whatever it is.
func Once(at int) Plan {
	return func(call int, _ Op) error {
		if call == at {
			return syscall.EIO
		}
		return nil
	}
}

// Dead returns a disk on which nothing succeeds from a call on.
func Dead(at int) Plan {
	return func(call int, _ Op) error {
		if call >= at {
			return syscall.EIO
		}
		return nil
	}
}

// A Faulty is the disk of the machine, on which calls fail as planned.
type Faulty struct {
	disk  files.System
	calls *calls // of it and of what lies Below
}

// calls counts what was called, and decides what fails.
type calls struct {
	mu    sync.Mutex
	plan  Plan
	made  int
	broke int
}

// New returns a disk with faults.
func New(plan Plan) *Faulty { return &Faulty{files.Disk{}, &calls{plan: plan}} }

// Calls returns how many calls there were.
func (f *Faulty) Calls() int {
	f.calls.mu.Lock()
	defer f.calls.mu.Unlock()
	return f.calls.made
}

// Broke returns how many calls failed as planned.
func (f *Faulty) Broke() int {
	f.calls.mu.Lock()
	defer f.calls.mu.Unlock()
	return f.calls.broke
}

func (f *Faulty) next(op Op, path string) error {
	c := f.calls
	c.mu.Lock()
	defer c.mu.Unlock()
	c.made++
	if err := c.plan(c.made, op); err != nil {
		c.broke++
		return &fs.PathError{Op: string(op), Path: path, Err: err}
	}
	return nil
}

// Open is that of the disk, which never fails as planned.
func (f *Faulty) Open(path string) (files.File, error) { return f.disk.Open(path) }

// Stat is that of the disk.
func (f *Faulty) Stat(path string) (fs.FileInfo, error) { return f.disk.Stat(path) }

// ReadDir is that of the disk.
func (f *Faulty) ReadDir(path string) ([]fs.DirEntry, error) { return f.disk.ReadDir(path) }

// Below returns the part of the disk in a directory, with the same plan.
func (f *Faulty) Below(dir string) files.System { return &Faulty{f.disk.Below(dir), f.calls} }

// Create is os.Create.
func (f *Faulty) Create(path string) (files.File, error) {
	if err := f.next(Create, path); err != nil {
		return nil, err
	}
	return f.opened(f.disk.Create(path))
}

// CreateTemp is os.CreateTemp.
func (f *Faulty) CreateTemp(dir, pattern string) (files.File, error) {
	if err := f.next(Create, dir); err != nil {
		return nil, err
	}
	return f.opened(f.disk.CreateTemp(dir, pattern))
}

func (f *Faulty) opened(file files.File, err error) (files.File, error) {
	if err != nil {
		return nil, err
	}
	return &faultyFile{file, f}, nil
}

// Mkdir is os.Mkdir.
func (f *Faulty) Mkdir(path string, mode fs.FileMode) error {
	if err := f.next(Create, path); err != nil {
		return err
	}
	return f.disk.Mkdir(path, mode)
}

// MkdirAll is os.MkdirAll.
func (f *Faulty) MkdirAll(path string, mode fs.FileMode) error {
	if err := f.next(Create, path); err != nil {
		return err
	}
	return f.disk.MkdirAll(path, mode)
}

// MkdirTemp is os.MkdirTemp.
func (f *Faulty) MkdirTemp(dir, pattern string) (string, error) {
	if err := f.next(Create, dir); err != nil {
		return "", err
	}
	return f.disk.MkdirTemp(dir, pattern)
}

// Rename is os.Rename.
func (f *Faulty) Rename(from, to string) error {
	if err := f.next(Rename, from); err != nil {
		return err
	}
	return f.disk.Rename(from, to)
}

// Remove is os.Remove.
func (f *Faulty) Remove(path string) error {
	if err := f.next(Remove, path); err != nil {
		return err
	}
	return f.disk.Remove(path)
}

// RemoveAll is os.RemoveAll.
func (f *Faulty) RemoveAll(path string) error {
	if err := f.next(Remove, path); err != nil {
		return err
	}
	return f.disk.RemoveAll(path)
}

// Sync succeeds without waiting for the disk: a test ends before the machine loses power.
func (f *Faulty) Sync(path string) error { return f.next(Sync, path) }

// SyncAll is like Sync.
func (f *Faulty) SyncAll(dir string) error { return f.next(Sync, dir) }

// A faultyFile is a file of a Faulty.
type faultyFile struct {
	files.File
	disk *Faulty
}

// Write writes half of b where it fails.
func (f *faultyFile) Write(b []byte) (int, error) {
	if err := f.disk.next(Write, f.Name()); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

// WriteAt writes half of b where it fails.
func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.next(Write, f.Name()); err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, err
	}
	return f.File.WriteAt(b, at)
}

// Sync is that of Faulty. Where it fails, what was written is still in the file, as on a disk it may be.
func (f *faultyFile) Sync() error { return f.disk.next(Sync, f.Name()) }

// Close closes the file in any case.
func (f *faultyFile) Close() error {
	err := f.disk.next(Close, f.Name())
	if e := f.File.Close(); err == nil {
		err = e
	}
	return err
}

var _ files.System = (*Faulty)(nil)
