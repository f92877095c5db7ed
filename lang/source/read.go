package source

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Open opens a file that a user named. It accepts only regular files and the process's own streams, such as /dev/stdin:
// reading a named pipe without a writer would block forever, and a device such as /dev/zero has no end. Errors include
// the path.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if what := special(info.Mode()); what != "" && !stream(path) {
		return nil, fmt.Errorf("%s is %s; only regular files, /dev/stdin and pipes of a shell can be read", path, what)
	}
	return os.Open(path)
}

// special describes a file that is not regular. It returns "" for a regular file.
func special(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return ""
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}

// stream reports whether a path names a stream of the process: standard input, or a path that a shell substitutes for
// <(command).
func stream(path string) bool {
	path = filepath.Clean(path)
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// A TooLarge is the error for an input that exceeds the size limit.
type TooLarge struct {
	Path string
	Most int64 // limit in bytes
}

func (t TooLarge) Error() string {
	return fmt.Sprintf("%s has more than %s, the limit for such files", t.Path, Bytes(t.Most))
}

// Read reads a file that a user named, as Open describes. If it has more than most bytes, Read returns a TooLarge
// without reading it to its end.
func Read(path string, most int64) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size := int64(0)
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		size = info.Size()
	}
	if size > most {
		return nil, TooLarge{path, most}
	}
	return readUpTo(file, path, most, size)
}

// readUpTo reads r to its end. If r has more than most bytes, the error is a TooLarge with the path. size is the
// expected number of bytes, for which memory is allocated at once.
func readUpTo(r io.Reader, path string, most, size int64) ([]byte, error) {
	var text bytes.Buffer
	text.Grow(int(size) + bytes.MinRead)
	_, err := text.ReadFrom(io.LimitReader(r, most+1))
	if err == nil && int64(text.Len()) > most {
		err = TooLarge{path, most}
	}
	if err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// MostModel is the greatest size of a model's text in bytes. It is more than the size of any real model, and little
// compared with a computer's memory.
const MostModel = 64 << 20

// ReadModel reads the text of a model, or of a file that it imports.
func ReadModel(path string) (string, error) {
	text, err := Read(path, MostModel)
	return string(text), err
}

// ReadModelFrom reads the text of a model from a stream. If it has more than MostModel bytes, the error is a TooLarge
// with the name.
func ReadModelFrom(r io.Reader, name string) (string, error) {
	text, err := readUpTo(r, name, MostModel, 0)
	return string(text), err
}

// Bytes formats a number of bytes for users: 64 MB, 1.5 GB.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3g GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.3g kB", float64(n)/1e3)
}
