package files

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// A Misplaced is the error for a path that cannot be read or written because of another file: a link that leads to
// itself or out of the directory, or a file instead of a directory. Other errors of the system, such as a full disk,
// are returned unchanged.
type Misplaced struct {
	Path, What string
	Cause      error // error of the system
}

func (m Misplaced) Error() string { return m.Path + " " + m.What }

// Unwrap returns the error of the system.
func (m Misplaced) Unwrap() error { return m.Cause }

// misplaced converts an error of the system into Misplaced if it was caused by a link or a file on the way to a path.
func misplaced(err error, path string) error {
	switch {
	case err == nil || errors.As(err, new(Misplaced)):
		return err
	case errors.Is(err, syscall.ELOOP):
		return Misplaced{path, "is a link that leads to itself", err}
	case errors.Is(err, syscall.ENOTDIR):
		return Misplaced{path, "lies below a file that is not a directory", err}
	case strings.HasSuffix(err.Error(), ": path escapes from parent"):
		return Misplaced{path, "is reached by a link out of its directory", err}
	}
	return err
}

// occupied is like misplaced, for a path at which a new file was to be created.
func occupied(err error, path string) error {
	if errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENOTEMPTY) {
		return Misplaced{path, "is a directory, and should be a file", err}
	}
	return misplaced(err, path)
}

// named returns an error with the given path, and with the usual name of the operation. Errors of os.Root have only the
// part of the path below the directory, and operations that end in "at", such as "openat".
func named(err error, path string) error {
	op, cause := "", error(nil)
	switch e := err.(type) {
	case *fs.PathError:
		op, cause = e.Op, e.Err
	case *os.LinkError:
		op, cause = e.Op, e.Err
	default:
		return err
	}
	for _, call := range []string{"open", "mkdir", "rename", "unlink"} {
		if op == call+"at" {
			op = call
		}
	}
	return &fs.PathError{Op: op, Path: path, Err: cause}
}
