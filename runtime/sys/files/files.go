// Package files is how ppl writes what has to last: runs, checkpoints, rows of large data, compiled models.
//
//	err := files.Replace(files.Disk{}, "m.run/run.json", text)   // readers see the old text or the new one
//	err = files.Disk{}.Sync("m.run")                             // and now it outlasts a loss of power
//
// Files below a directory that somebody else may have made, such as a run, are written through Below and read with Open
// or Read: links do not lead out of it, and pipes and devices are not waited for.
//
// A System is passed to whatever writes, so that tests can let each of its calls fail in turn (package filestest). What
// a file system may do at a crash, and which calls make a change durable, is described by Pillai et al., "All File
// Systems Are Not Created Equal" (OSDI 2014).
package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// A System is where files are written and read: the disk, or memory. Its methods are those of package os, but Create
// makes a new file and replaces one that is there, so that a link of that name is not followed, and Open refuses what
// is not a regular file.
type System interface {
	Open(path string) (File, error) // for reading
	Stat(path string) (fs.FileInfo, error)
	ReadDir(path string) ([]fs.DirEntry, error)
	// Below returns the system for what lies in a directory: no path that begins with it leads out of it by a link,
	// whoever made the directory. Paths must begin with dir.
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
	SyncAll(dir string) error // makes all that is below a directory durable
}

// A File is open for writing, and for reading back.
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

// Stat describes what is at a path.
func (Disk) Stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	return info, misplaced(err, path)
}

// ReadDir lists what is in a directory, sorted by name.
func (Disk) ReadDir(path string) ([]fs.DirEntry, error) {
	entries, err := os.ReadDir(path)
	return entries, misplaced(err, path)
}

// Below opens directories so that links lead nowhere else (os.Root), where there are links.
func (d Disk) Below(dir string) System {
	if !hasLinks {
		return d
	}
	return rooted{filepath.Clean(dir)}
}

// Create makes a new file, and replaces the file or the link that is there.
func (Disk) Create(path string) (File, error) { return create(osNames{}, path) }

// names are the calls of package os, or of an os.Root, that make a new file.
type names interface {
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Remove(name string) error
}

type osNames struct{}

func (osNames) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}

func (osNames) Remove(name string) error { return os.Remove(name) }

// create makes a new file instead of what is there. Somebody who makes the name again each time is not waited for.
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

// CreateTemp makes a file whose name is new.
func (Disk) CreateTemp(dir, pattern string) (File, error) { return opened(os.CreateTemp(dir, pattern)) }

// opened keeps a nil file from becoming a File that is not nil.
func opened(f *os.File, err error) (File, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Mkdir makes a directory.
func (Disk) Mkdir(path string, mode fs.FileMode) error { return os.Mkdir(path, mode) }

// MkdirAll makes a directory and those above it that are not there.
func (Disk) MkdirAll(path string, mode fs.FileMode) error { return os.MkdirAll(path, mode) }

// MkdirTemp makes a directory whose name is new.
func (Disk) MkdirTemp(dir, pattern string) (string, error) { return os.MkdirTemp(dir, pattern) }

// Rename gives a file another name, and takes the place of a file that has it.
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove deletes a file or an empty directory.
func (Disk) Remove(path string) error { return os.Remove(path) }

// RemoveAll deletes a directory with all that is in it.
func (Disk) RemoveAll(path string) error { return os.RemoveAll(path) }

// Sync makes the contents of a file, or the names in a directory, durable. Windows has no such call for directories and
// needs none.
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

// Exists reports whether there is something at a path.
func Exists(on System, path string) bool {
	_, err := on.Stat(path)
	return err == nil
}

// RemoveAny deletes those of some files that are there.
func RemoveAny(disk System, paths ...string) error {
	for _, path := range paths {
		if err := disk.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Replace writes a file so that a reader sees either all of it or the old contents, even after a crash of the process.
// Once the directory has been synced too, that also holds after a loss of power.
func Replace(on System, path string, parts ...[]byte) error {
	return Place(on, path, func(partial string) error { return Write(on, partial, parts...) })
}

// ReplaceQuickly is Replace without the cost of syncing, for what is also said elsewhere.
func ReplaceQuickly(on System, path string, data []byte) error {
	return Place(on, path, func(partial string) error { return write(on, partial, [][]byte{data}, unsynced) })
}

// Place lets write make a file under another name, path.partial, which then takes the place of what is at path.
func Place(on System, path string, write func(partial string) error) error {
	partial := partialOf(path)
	err := write(partial)
	if err == nil {
		err = on.Rename(partial, path)
	}
	if err != nil {
		_ = on.Remove(partial) // the first error is the one to report
	}
	return err
}

// partialOf returns the name of a file that is not whole yet.
func partialOf(path string) string { return path + ".partial" }

// Write makes a file of parts, one after another, and syncs it.
func Write(on System, path string, parts ...[]byte) error { return write(on, path, parts, File.Sync) }

// WriteBy makes a file of what a function writes, and syncs it.
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
