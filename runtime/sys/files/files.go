// Package files writes files that must be durable: runs, checkpoints, rows of large data, compiled models.
//
//	err := files.Replace(files.Disk{}, "m.run/run.json", text)   // readers see the old text or the new one
//	err = files.Disk{}.Sync("m.run")                             // now the change survives a loss of power
//
// Files below a directory that another user may have created, such as a run, are written through Below and read with
// Open or Read: links do not lead out of the directory, and pipes and devices are refused.
//
// A System is passed to all functions that write, so that tests can make each call fail in turn (package filestest).
// Pillai et al., "All File Systems Are Not Created Equal" (OSDI 2014), describe what a file system may do at a crash,
// and which calls make a change durable.
package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A System is a place for files: the disk, or memory. Its methods are like those of package os, with two exceptions:
// Create creates a new file and replaces an existing one, so that a link of that name is not followed, and Open returns
// an error for anything but a regular file.
type System interface {
	Open(path string) (File, error) // for reading
	Stat(path string) (fs.FileInfo, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	// Below returns the system for the contents of a directory: no link leads a path out of the directory, whoever
	// created it. Paths must begin with dir.
	Below(dir string) System
	Create(path string) (File, error)
	CreateTemp(dir, pattern string) (File, error)
	Mkdir(path string, mode fs.FileMode) error
	MkdirAll(path string, mode fs.FileMode) error
	MkdirTemp(dir, pattern string) (string, error)
	Rename(from, to string) error
	Remove(path string) error
	RemoveAll(path string) error
	Sync(path string) error   // makes the contents of a file, or the names in a directory, durable
	SyncAll(dir string) error // makes everything below a directory durable
}

// A File is open for writing and for reading.
type File interface {
	io.ReadWriteSeeker
	io.ReaderAt
	io.WriterAt
	io.Closer
	Name() string
	Sync() error
}

// Disk is the file system of the machine.
type Disk struct{}

// Open opens a regular file for reading.
func (Disk) Open(path string) (File, error) { return opened(Open(path)) }

// Stat describes the file at a path.
func (Disk) Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	return info, misplaced(err, path)
}

// ReadDir lists a directory, sorted by name.
func (Disk) ReadDir(path string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(path)
	return entries, misplaced(err, path)
}

// Below restricts paths to a directory even if it contains links (os.Root), on systems that have links.
func (d Disk) Below(dir string) System {
	if !hasLinks {
		return d
	}
	return rooted{filepath.Clean(dir)}
}

// Create creates a new file, and replaces an existing file or link.
func (Disk) Create(path string) (File, error) { return create(osNames{}, path) }

// names are the calls of package os, or of an os.Root, that create a new file.
type names interface {
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Remove(name string) error
}

type osNames struct{}

func (osNames) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}

func (osNames) Remove(name string) error { return os.Remove(name) }

// create creates a new file and removes an existing one. It fails if another process creates the name again several
// times.
func create(in names, name string) (File, error) {
	for try := 0; ; try++ {
		f, err := in.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || try == 3 {
			return opened(f, err)
		}
		if err := in.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
}

// CreateTemp creates a file with a new name.
func (Disk) CreateTemp(dir, pattern string) (File, error) { return opened(os.CreateTemp(dir, pattern)) }

// opened returns f as a File; it returns a nil File for a nil *os.File.
func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Mkdir creates a directory.
func (Disk) Mkdir(path string, mode fs.FileMode) error { return os.Mkdir(path, mode) }

// MkdirAll creates a directory and its missing parents.
func (Disk) MkdirAll(path string, mode fs.FileMode) error { return os.MkdirAll(path, mode) }

// MkdirTemp creates a directory with a new name.
func (Disk) MkdirTemp(dir, pattern string) (string, error) { return os.MkdirTemp(dir, pattern) }

// Rename renames a file, and replaces an existing file.
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove deletes a file or an empty directory.
func (Disk) Remove(path string) error { return os.Remove(path) }

// RemoveAll deletes a directory and its contents.
func (Disk) RemoveAll(path string) error { return os.RemoveAll(path) }

// Sync makes the contents of a file, or the names in a directory, durable. Windows has no such call for directories and
// does not need it.
func (Disk) Sync(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return syncAndClose(f)
}

func syncAndClose(f *os.File) error {
	if info, err := f.Stat(); err == nil && info.IsDir() && runtime.GOOS == "windows" {
		return f.Close()
	}
	return errors.Join(f.Sync(), f.Close())
}

// Exists reports whether a path exists.
func Exists(on System, path string) bool {
	_, err := on.Stat(path)
	return err == nil
}

// RemoveAny deletes files; missing files are ignored.
func RemoveAny(disk System, paths ...string) error {
	for _, path := range paths {
		if err := disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Replace writes a file so that a reader sees either all of it or the old contents, even after a crash of the process.
// After the directory has been synced, that also holds after a loss of power.
func Replace(on System, path string, parts ...[]byte) error {
	return Place(on, path, func(partial string) error { return Write(on, partial, parts...) })
}

// ReplaceQuickly is like Replace but does not sync, for data that can be restored from elsewhere.
func ReplaceQuickly(on System, path string, data []byte) error {
	return Place(on, path, func(partial string) error { return write(on, partial, [][]byte{data}, unsynced) })
}

// Place calls write with a temporary name, path.partial, and renames that file to path.
func Place(on System, path string, write func(partial string) error) error {
	partial := partialOf(path)
	err := write(partial)
	if err == nil {
		err = on.Rename(partial, path)
	}
	if err != nil {
		_ = on.Remove(partial) // the first error is reported
	}
	return err
}

// partialOf returns the name of an incomplete file.
func partialOf(path string) string { return path + ".partial" }

// Write creates a file from the given parts, and syncs it.
func Write(on System, path string, parts ...[]byte) error { return write(on, path, parts, File.Sync) }

// WriteBy creates a file with the output of a function, and syncs it.
func WriteBy(on System, path string, by func(io.Writer) error) error {
	return writeBy(on, path, by, File.Sync)
}

func unsynced(File) error { return nil }

func write(on System, path string, parts [][]byte, sync func(File) error) error {
	by := func(to io.Writer) error {
		for _, part := range parts {
			if _, err := to.Write(part); err != nil {
				return err
			}
		}
		return nil
	}
	return writeBy(on, path, by, sync)
}

func writeBy(on System, path string, by func(io.Writer) error, sync func(File) error) error {
	f, err := on.Create(path)
	if err != nil {
		return err
	}
	if err = by(f); err == nil {
		err = sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}
