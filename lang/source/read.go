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

// Open opens a file that a user named for reading. It is a regular file or one of the process's own streams, such as
// /dev/stdin: a named pipe that nobody writes to would be waited for without end, and a device such as /dev/zero has
// no end. Errors name the path.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if what := special(info.Mode()); what != "" && !stream(path) {
		return nil, fmt.Errorf("%s is %s; regular files and /dev/stdin are read", path, what)
	}
	return os.Open(path)
}

// special reports what a file is that is not regular, nothing for a regular one.
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
	return "not a file with text or data"
}

// stream reports whether a path names a stream that the process was given: standard input, or what a shell writes for
// <(command).
func stream(path string) bool {
	path = filepath.Clean(path)
	return path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/self/fd/")
}

// A TooLarge is an input of more bytes than are read.
type TooLarge struct {
	Path string
	Most int64 // bytes
}

func (t TooLarge) Error() string {
	return fmt.Sprintf("%s has more than %s, the most that is read", t.Path, Bytes(t.Most))
}

// Read reads a file that a user named, as Open describes it. One of more than most bytes is refused with a TooLarge,
// without being read to its end.
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

// readUpTo reads r to its end, or refuses it with a TooLarge that names path when it has more than most bytes. If there
// are no more than the size bytes that are expected, no byte is copied to a larger place.
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

// MostModel is how many bytes the text of a model may have: more than any model that was written by hand or by a
// program, and little in comparison with the memory of a machine.
const MostModel = 64 << 20

// ReadModel reads the text of a model, or of a file that it imports.
func ReadModel(path string) (string, error) {
	text, err := Read(path, MostModel)
	return string(text), err
}

// ReadModelFrom reads the text of a model from a stream, whose name errors give.
func ReadModelFrom(r io.Reader, name string) (string, error) {
	text, err := readUpTo(r, name, MostModel, 0)
	return string(text), err
}

// Bytes returns a number of bytes for readers: 64 MB, 1.5 GB.
func Bytes(n int64) string {
	switch {
	case n >= 1e9:
		return fmt.Sprintf("%.3g GB", float64(n)/1e9)
	case n >= 1e6:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.3g kB", float64(n)/1e3)
}
