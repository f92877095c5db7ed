package remote

import (
	"io"
	"os"
)

// Ranges implements random access to a file. It reads at least ahead bytes at once, so that following small reads
// nearby need no access to the file.
type Ranges struct {
	size  int64
	ahead int64 // smallest number of bytes that are read at once
	read  func(p []byte, at int64) (n int, err error)
	from  int64  // offset of held in the file
	held  []byte // the bytes that were read last
}

// Numbers of bytes that are read at once: EndRange at the end of a file, for the metadata; at least pageRange
// elsewhere, because the pages of a column follow one another.
const (
	EndRange  = 64 << 10
	pageRange = 1 << 20
)

// OpenRanges opens a file for random access. A file of this machine is open only during a read, because a data set may
// have more files than a process can have open.
func OpenRanges(path string, store Store) (*Ranges, error) {
	if IsURL(path) {
		file, err := OpenURL(path, store)
		if err != nil {
			return nil, err
		}
		return &Ranges{size: file.Size(), ahead: pageRange, read: file.ReadAt}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &Ranges{size: info.Size(), ahead: pageRange, read: readAtOf(path)}, nil
}

// Size returns the number of bytes of the file.
func (r *Ranges) Size() int64 { return r.size }

// magicSize is the largest size of a read at the beginning of a file for which Ranges does not read ahead, because such
// a read only checks the first bytes.
const magicSize = 4

// ReadAt implements io.ReaderAt.
func (r *Ranges) ReadAt(p []byte, at int64) (n int, err error) {
	if at == 0 && len(p) <= magicSize {
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

// around returns the range to read for n bytes at an offset.
func (r *Ranges) around(at, n int64) (from, size int64) {
	end := max(0, r.size-EndRange)
	if at >= end {
		return end, r.size - end
	}
	return at, max(n, min(r.ahead, r.size-at))
}

// hold reads a range of the file into held.
func (r *Ranges) hold(from, size int64) error {
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

// readAtOf returns a function that reads a file of this machine and closes it after each read.
func readAtOf(path string) func(p []byte, at int64) (int, error) {
	return func(p []byte, at int64) (int, error) {
		file, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer file.Close()
		return file.ReadAt(p, at)
	}
}

// Release frees the memory of the bytes that were read last.
func (r *Ranges) Release() { r.held = nil }
