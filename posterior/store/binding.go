package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
)

// A binding marks the chunks of a run, so that a file of another run, or of another position in the same run, is
// rejected. The mark of a compressed chunk is in the extra field of its gzip header (RFC 1952, section 2.3.1.1), which
// other readers skip. The mark of an uncompressed chunk, which covers its contents, too, is in the attributes of its
// array. Any process that knows the identity of the run can therefore write a chunk, and there is no list of chunks
// that could contradict the files.
type binding struct {
	run string // identity of the run; empty for a run of format 1, whose chunks have no marks
}

// markSize is the number of bytes of a mark.
const markSize = 16

// A place identifies a chunk: an array and the chunk's key.
type place struct{ array, chunk string }

// file returns the path of a chunk in a run directory.
func (p place) file(dir string) string { return filepath.Join(path(dir, p.array), p.chunk) }

// mark returns the mark of a chunk. For a compressed chunk, contents is empty, since gzip has its own checksum.
func (b binding) mark(at place, contents []byte) []byte {
	if b.run == "" {
		return nil
	}
	h := sha256.New()
	for _, part := range []string{b.run, at.array, at.chunk} {
		writePart(h, []byte(part))
	}
	h.Write(contents)
	return h.Sum(nil)[:markSize]
}

// writePart adds a part, preceded by its length, to a hash.
func writePart(h interface{ Write([]byte) (int, error) }, part []byte) {
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part)))) // writing to a hash never fails
	_, _ = h.Write(part)
}

// compressor returns the codec of new arrays.
func (b binding) compressor() *codec {
	if b.run == "" {
		return &codec{"zlib", 1}
	}
	return &codec{"gzip", 1}
}

// markHead begins the subfield of the gzip extra field: two letters and a length.
var markHead = []byte{'p', 'l', markSize, 0}

func extraOf(mark []byte) []byte { return append(bytes.Clone(markHead), mark...) }

var errForeign = errors.New("was written for another run or for another position in this run")

// checkExtra returns an error if the extra field of a chunk does not hold the chunk's mark.
func (b binding) checkExtra(at place, extra []byte) error {
	if b.run != "" && !bytes.Equal(extra, extraOf(b.mark(at, nil))) {
		return errForeign
	}
	return nil
}

// runAttribute names the attribute of the root group that holds the identity of the run. digestsAttribute names the
// attribute of an array that holds the marks of its uncompressed chunks.
const (
	runAttribute     = "ppl_run"
	digestsAttribute = "ppl_digests"
)

// sameRun returns an error if a document names another run than run.json.
func (b binding) sameRun(dir, file, run string) error {
	if run == b.run {
		return nil
	}
	return damaged(dir, file, fmt.Errorf("it belongs to another run (%s) than %s (%s)", orNone(run), runFile,
		orNone(b.run)))
}

func orNone(run string) string {
	if run == "" {
		return "without an identity"
	}
	return run
}
