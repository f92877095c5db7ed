package datafile

import (
	"io"
	"os"
)

// ranges read a file here and there. The file is open only while it is read, so that a data set may have more files
// than may be open; small reads near each other are one read of the file.
type ranges struct {
	path string
	size int64
	from int64  // of what is held
	held []byte // the last part of the file that was read
}

// Sizes of what is read at once, at least: metadata lie at the end of a file, and pages of a column follow one another.
const (
	endRange  = 64 << 10
	pageRange = 1 << 20
)

func (r *ranges) ReadAt(p []byte, at int64) (n int, err error) {
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

// around is the range that is read where some bytes are wanted.
func (r *ranges) around(at, n int64) (from, size int64) {
	end := max(0, r.size-endRange)
	switch {
	case at+n <= 4: // what the file begins with
		return at, n
	case at >= end:
		return end, r.size - end
	}
	return at, max(n, min(pageRange, r.size-at))
}

// hold reads a part of the file.
func (r *ranges) hold(from, size int64) error {
	file, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer file.Close()
	if int64(cap(r.held)) < size {
		r.held = make([]byte, size)
	}
	n, err := file.ReadAt(r.held[:size], from)
	if err != nil && err != io.EOF {
		return err
	}
	r.from, r.held = from, r.held[:n]
	return nil
}

// drop forgets what is held.
func (r *ranges) drop() { r.held = nil }
