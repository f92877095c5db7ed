package files

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// rooted is the part of the disk inside a directory. The directory is opened for each call, so that a long run keeps no
// descriptor, and its directory may be renamed.
type rooted struct{ dir string }

// in calls do with the open directory and the name of a path below it.
func (r rooted) in(path string, do func(root *os.Root, name string) error) error {
	name, err := r.name(path)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return err
	}
	defer root.Close() //nolint:errcheck // nothing was written to it
	return misplaced(named(do(root, name), path), path)
}

// name returns the part of a path below the directory; "." is the directory itself.
func (r rooted) name(path string) (string, error) {
	name, err := filepath.Rel(r.dir, path)
	if err != nil || name == ".." || strings.HasPrefix(name, ".."+string(filepath.Separator)) {
		return "", fmt.Errorf("internal error: %s is not below %s", path, r.dir)
	}
	return name, nil
}

// is reports whether a path is the directory itself, for operations that need its parent.
func (r rooted) is(path string) bool { return filepath.Clean(path) == r.dir }

// Open, Stat and ReadDir follow links like Disk.
func (r rooted) Open(path string) (File, error)             { return Disk{}.Open(path) }
func (r rooted) Stat(path string) (fs.FileInfo, error)      { return Disk{}.Stat(path) }
func (r rooted) ReadDir(path string) ([]fs.DirEntry, error) { return Disk{}.ReadDir(path) }

// Below returns r for directories inside its directory.
func (r rooted) Below(dir string) System {
	if _, err := r.name(dir); err == nil {
		return r
	}
	return Disk{}.Below(dir)
}

func (r rooted) Create(path string) (f File, err error) {
	err = r.in(path, func(root *os.Root, name string) (err error) {
		f, err = create(below{root}, name)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = Misplaced{path, "cannot be written: its directory does not exist", err}
	}
	return f, occupied(err, path)
}

// CreateTemp replaces the last * of the pattern by a random number, or appends a number, like package os.
func (r rooted) CreateTemp(dir, pattern string) (f File, err error) {
	err = r.fresh(dir, pattern, func(root *os.Root, name string) error {
		made, err := root.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		f, err = opened(made, err)
		return err
	})
	return f, err
}

func (r rooted) MkdirTemp(dir, pattern string) (path string, err error) {
	err = r.fresh(dir, pattern, func(root *os.Root, name string) error {
		path = filepath.Join(r.dir, name)
		return root.Mkdir(name, 0o700)
	})
	return path, err
}

// tries is the largest number of random names to try, as in package os.
const tries = 10000

func (r rooted) fresh(dir, pattern string, make func(root *os.Root, name string) error) error {
	return r.in(dir, func(root *os.Root, name string) (err error) {
		before, after := pattern, ""
		if at := strings.LastIndexByte(pattern, '*'); at >= 0 {
			before, after = pattern[:at], pattern[at+1:]
		}
		for range tries {
			random := strconv.FormatUint(rand.Uint64(), 36)
			if err = make(root, filepath.Join(name, before+random+after)); !os.IsExist(err) {
				return err
			}
		}
		return err
	})
}

func (r rooted) Mkdir(path string, mode fs.FileMode) error {
	if r.is(path) {
		return os.Mkdir(path, mode)
	}
	return r.in(path, func(root *os.Root, name string) error { return root.Mkdir(name, mode) })
}

func (r rooted) MkdirAll(path string, mode fs.FileMode) error {
	if r.is(path) {
		return os.MkdirAll(path, mode)
	}
	return r.in(path, func(root *os.Root, name string) error { return root.MkdirAll(name, mode) })
}

func (r rooted) Rename(from, to string) error {
	target, err := r.name(to)
	if err != nil {
		return err
	}
	err = r.in(from, func(root *os.Root, name string) error {
		return orByPath(root.Rename(name, target), root, []string{name, target},
			func() error { return os.Rename(from, to) })
	})
	return occupied(err, to)
}

func (r rooted) Remove(path string) error {
	if r.is(path) {
		return os.Remove(path)
	}
	return r.in(path, func(root *os.Root, name string) error {
		return below{root}.Remove(name)
	})
}

func (r rooted) RemoveAll(path string) error {
	if r.is(path) {
		return os.RemoveAll(path)
	}
	return r.in(path, func(root *os.Root, name string) error {
		return orByPath(root.RemoveAll(name), root, []string{name}, func() error { return os.RemoveAll(path) })
	})
}

// below creates and deletes files in an open directory, for create.
type below struct{ *os.Root }

func (b below) Remove(name string) error {
	return orByPath(b.Root.Remove(name), b.Root, []string{name},
		func() error { return os.Remove(filepath.Join(b.Name(), name)) })
}

// errorInvalidFunction is the error of Windows for a call that a file system lacks: Wine 8 and servers with old systems
// cannot delete or rename relative to an open directory.
const errorInvalidFunction = syscall.Errno(1)

// orByPath makes a change by its full path if err means that the file system does not support it relative to an open
// directory, and if the directories of the names are inside that directory.
func orByPath(err error, root *os.Root, names []string, byPath func() error) error {
	if runtime.GOOS != "windows" || !errors.Is(err, errorInvalidFunction) {
		return err
	}
	for _, name := range names {
		if _, err := root.Stat(filepath.Dir(name)); err != nil {
			return err
		}
	}
	return byPath()
}

func (r rooted) Sync(path string) error {
	return r.in(path, func(root *os.Root, name string) error {
		f, err := root.Open(name)
		if err != nil {
			return err
		}
		return syncAndClose(f)
	})
}

func (r rooted) SyncAll(dir string) error {
	if _, err := r.name(dir); err != nil {
		return err
	}
	return Disk{}.SyncAll(r.dir) // a link below r.dir would cause another file system to be synced
}
