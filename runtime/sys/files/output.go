package files

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Output writes a file that a user requested. The file appears when it is complete, and keeps the mode of a file that
// it replaces. A link of that name is replaced and not followed; devices and pipes are written in place.
func Output(path string, write func(io.Writer) error) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return replaceFile(path, 0, write)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a directory; name a file", path)
	case info.Mode()&fs.ModeSymlink != 0:
		return replaceFile(path, 0, write)
	case !info.Mode().IsRegular():
		return outputInto(path, 0, write)
	}
	err = replaceFile(path, info.Mode().Perm(), write)
	if errors.Is(err, errNoRoom) { // no file can be created in the directory, but the file itself may be writable
		return outputInto(path, os.O_TRUNC, write)
	}
	return err
}

var errNoRoom = errors.New("no file can be created in the directory")

// replaceFile writes a new file and renames it. A mode of 0 means the system's default.
func replaceFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	temporary := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(rand.Uint64(), 36))
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%w: %w", errNoRoom, err)
	}
	if err != nil {
		return named(err, path)
	}
	err = write(onlyWriter{f})
	if err == nil && mode != 0 {
		err = f.Chmod(mode)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		_ = os.Remove(temporary) // the first error is reported
	}
	return named(err, path)
}

func outputInto(path string, flag int, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|flag, 0)
	if err != nil {
		return err
	}
	err = write(onlyWriter{f})
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// onlyWriter hides the Seek method of a file, since pipes cannot seek.
type onlyWriter struct{ io.Writer }

// Followed resolves the links of a path that a user has named. It returns an error for a link that belongs to another
// user, since that could lead to any file of the user who follows it.
func Followed(path string) (string, error) {
	named := path
	for range 40 { // the limit of Linux
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, nil // an error shows when the file is opened
		}
		if !trusted(info) {
			return "", fmt.Errorf("%s is a link that another user has made; name the file itself", path)
		}
		to, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	return "", fmt.Errorf("%s leads through more than 40 links; name the file itself", named)
}
