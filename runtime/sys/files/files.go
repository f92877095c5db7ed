// Package files is how ppl writes what has to last: runs, checkpoints, rows of large data, compiled models.
//
//	err := files.Replace(files.Disk{}, "m.run/run.json", text)   // readers see the old text or the new one
//	err = files.Disk{}.Sync("m.run")                             // and now it outlasts a loss of power
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
	"runtime"
)

// A System is where files are written. Its methods are those of package os.
type System interface {
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

// Create makes a file, or empties the one that is there.
func (Disk) Create(path string) (File, error) { return opened(os.Create(path)) }

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
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() && runtime.GOOS == "windows" {
		return f.Close()
	}
	return errors.Join(f.Sync(), f.Close())
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

// partialOf is the name of a file that is not whole yet.
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
