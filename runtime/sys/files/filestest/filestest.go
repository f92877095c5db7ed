// Package filestest makes calls of a file system fail, so that a test can try a failure of each call in turn:
//
//	for at := 1; ; at++ {
//		disk := filestest.New(filestest.Full(at))
//		write(disk)                        // must report an error and leave readable files
//		if disk.Calls() < at { break }     // every call has failed once
//	}
//
// Pillai et al. (OSDI 2014) and SQLite's page on its tests (sqlite.org/testing.html, "I/O error testing") describe this
// kind of test.
package filestest

import (
	"io/fs"
	"sync"
	"syscall"

	"ppl/runtime/sys/files"
)

// A Plan returns the error of each call by its number, from 1; nil if the call succeeds.
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

// Full returns the plan of a disk that is full from call `at` on: nothing can be created or written. A failing write
// writes half of its data.
func Full(at int) Plan {
	return func(call int, op Op) error {
		if call >= at && (op == Create || op == Write) {
			return syscall.ENOSPC
		}
		return nil
	}
}

// Good is the plan of a disk on which every call succeeds.
func Good(int, Op) error { return nil }

// Once returns the plan of a disk on which only call `at` fails, whatever its kind.
func Once(at int) Plan {
	return func(call int, _ Op) error {
		if call == at {
			return syscall.EIO
		}
		return nil
	}
}

// Dead returns the plan of a disk on which every call fails from call `at` on.
func Dead(at int) Plan {
	return func(call int, _ Op) error {
		if call >= at {
			return syscall.EIO
		}
		return nil
	}
}

// A Faulty is the disk of the machine, on which calls fail as planned. It never waits for the disk.
type Faulty struct {
	disk  files.System
	calls *calls // shared with systems that Below returns
}

// calls counts the calls, and decides which fail.
type calls struct {
	mu    sync.Mutex
	plan  Plan
	made  int
	broke int
}

// New returns a disk on which calls fail as planned.
func New(plan Plan) *Faulty { return &Faulty{files.Disk{}, &calls{plan: plan}} }

// Calls returns the number of calls so far.
func (f *Faulty) Calls() int {
	f.calls.mu.Lock()
	defer f.calls.mu.Unlock()
	return f.calls.made
}

// Broke returns the number of calls that failed as planned.
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

// Open opens a file of the disk; the plan does not apply.
func (f *Faulty) Open(path string) (files.File, error) { return f.disk.Open(path) }

// Stat describes a file of the disk; the plan does not apply.
func (f *Faulty) Stat(path string) (fs.FileInfo, error) { return f.disk.Stat(path) }

// ReadDir lists a directory of the disk; the plan does not apply.
func (f *Faulty) ReadDir(path string) ([]fs.DirEntry, error) { return f.disk.ReadDir(path) }

// Below returns the part of the disk in a directory, with the same plan.
func (f *Faulty) Below(dir string) files.System { return &Faulty{f.disk.Below(dir), f.calls} }

// Create creates a file, or fails as planned.
func (f *Faulty) Create(path string) (files.File, error) {
	if err := f.next(Create, path); err != nil {
		return nil, err
	}
	return f.opened(f.disk.Create(path))
}

// CreateTemp creates a file with a new name, or fails as planned.
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

// Mkdir creates a directory, or fails as planned.
func (f *Faulty) Mkdir(path string, mode fs.FileMode) error {
	if err := f.next(Create, path); err != nil {
		return err
	}
	return f.disk.Mkdir(path, mode)
}

// MkdirAll creates a directory and its missing parents, or fails as planned.
func (f *Faulty) MkdirAll(path string, mode fs.FileMode) error {
	if err := f.next(Create, path); err != nil {
		return err
	}
	return f.disk.MkdirAll(path, mode)
}

// MkdirTemp creates a directory with a new name, or fails as planned.
func (f *Faulty) MkdirTemp(dir, pattern string) (string, error) {
	if err := f.next(Create, dir); err != nil {
		return "", err
	}
	return f.disk.MkdirTemp(dir, pattern)
}

// Rename renames a file, or fails as planned.
func (f *Faulty) Rename(from, to string) error {
	if err := f.next(Rename, from); err != nil {
		return err
	}
	return f.disk.Rename(from, to)
}

// Remove deletes a file or an empty directory, or fails as planned.
func (f *Faulty) Remove(path string) error {
	if err := f.next(Remove, path); err != nil {
		return err
	}
	return f.disk.Remove(path)
}

// RemoveAll deletes a directory and its contents, or fails as planned.
func (f *Faulty) RemoveAll(path string) error {
	if err := f.next(Remove, path); err != nil {
		return err
	}
	return f.disk.RemoveAll(path)
}

// Sync succeeds without waiting for the disk, or fails as planned: tests do not need durability.
func (f *Faulty) Sync(path string) error { return f.next(Sync, path) }

// SyncAll is like Sync.
func (f *Faulty) SyncAll(dir string) error { return f.next(Sync, dir) }

// A faultyFile is a file of a Faulty.
type faultyFile struct {
	files.File
	disk *Faulty
}

// Write writes b; if it fails as planned, it writes half of b.
func (f *faultyFile) Write(b []byte) (int, error) {
	if err := f.disk.next(Write, f.Name()); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

// WriteAt writes b; if it fails as planned, it writes half of b.
func (f *faultyFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.disk.next(Write, f.Name()); err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, err
	}
	return f.File.WriteAt(b, at)
}

// Sync is like Faulty.Sync. If it fails, the data written before are still in the file, as may happen on a disk.
func (f *faultyFile) Sync() error { return f.disk.next(Sync, f.Name()) }

// Close closes the file even if it fails as planned.
func (f *faultyFile) Close() error {
	err := f.disk.next(Close, f.Name())
	if e := f.File.Close(); err == nil {
		err = e
	}
	return err
}

var _ files.System = (*Faulty)(nil)
