package datafile

import (
	"io"
	"os"
)

// ranges read a file here and there; small reads near each other are one read of the file.
type ranges struct {
	path  string
	size  int64
	ahead int64 // how many bytes are read at once, at least
	read  func(p []byte, at int64) (n int, err error)
	from  int64  // of what is held
	held  []byte // the last part of the file that was read
}

// Sizes of what is read at once, at least: metadata lie at the end of a file, and pages of a column follow one another.
const (
	endRange  = 64 << 10
	pageRange = 1 << 20
)

func (r *ranges) ReadAt(p []byte, at int64) (n int, err error) {
	if at == 0 && len(p) <= len(parquetMagic) { // what the file begins with
		return r.read(p, at)
	}
	if at < r.from || at+int64(len(p)) > r.from+int64(len(r.held)) {
		if err := r.hold(r.around(at, int64(len(p)))); err != nil {
			return 0, err
		}
	}
	if at-r.from > int64(len(r.held)) {
		return 0, io.EOF
	}
	n = copy(p, r.held[at-r.from:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// around returns the range that is read where some bytes are wanted.
func (r *ranges) around(at, n int64) (from, size int64) {
	end := max(0, r.size-endRange)
	if at >= end {
		return end, r.size - end
	}
	return at, max(n, min(r.ahead, r.size-at))
}

// hold reads a part of the file.
func (r *ranges) hold(from, size int64) error {
	if int64(cap(r.held)) < size {
		r.held = make([]byte, size)
	}
	n, err := r.read(r.held[:size], from)
	if err != nil && err != io.EOF {
		return err
	}
	r.from, r.held = from, r.held[:n]
	return nil
}

// readFrom reads a file of this machine, which is open only while it is read: a data set may have more files than may
// be open.
func readFrom(path string) func(p []byte, at int64) (int, error) {
	return func(p []byte, at int64) (int, error) {
		file, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		return file.ReadAt(p, at)
	}
}

// drop forgets what is held.
func (r *ranges) drop() { r.held = nil }
