package files

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// A NotRegular is the error for a path that is not a regular file.
type NotRegular struct{ Path, What string }

func (n NotRegular) Error() string {
	return fmt.Sprintf("%s is %s; only regular files are read", n.Path, n.What)
}

// A TooLarge is the error for a file with more bytes than the expected content can have.
type TooLarge struct {
	Path       string
	Size, Most int64
}

func (t TooLarge) Error() string {
	return fmt.Sprintf("%s has %d bytes, and at most %d are read", t.Path, t.Size, t.Most)
}

// Open opens a regular file, or a link to one, for reading. For other files, such as a named pipe, which could block
// forever, or a device such as /dev/zero, which has no end, it returns the error NotRegular.
func Open(path string) (*os.File, error) {
	f, _, err := open(path)
	return f, misplaced(err, path)
}

func open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, NotRegular{path, kindOf(info.Mode())}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|NonBlocking, 0) // it may have become a pipe
	if err != nil {
		return nil, nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = NotRegular{path, kindOf(info.Mode())}
	}
	if err != nil {
		_ = f.Close() // the first error is reported
		return nil, nil, err
	}
	return f, info, nil
}

func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// Read reads a regular file of at most `most` bytes; the error is TooLarge if it has more.
func Read(path string, most int64) ([]byte, error) { return ReadOn(Disk{}, nil, path, most) }

// ReadOn reads a file of another system like Read, into the memory of dst if that is large enough.
func ReadOn(on System, dst []byte, path string, most int64) ([]byte, error) {
	f, err := on.Open(path)
	if err != nil {
		return dst, err
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	info, err := on.Stat(path)
	if err != nil {
		return dst, err
	}
	if info.Size() > most {
		return dst, TooLarge{path, info.Size(), most}
	}
	b := bytes.NewBuffer(dst[:0])
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, most+1)); err != nil {
		return b.Bytes(), err
	}
	if n := int64(b.Len()); n > most {
		return b.Bytes(), TooLarge{path, n, most}
	}
	return b.Bytes(), nil
}
