package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
)

// A binding marks the chunks of a run as its own, so that a file of another run, or of another place in this one, is
// not taken for draws. The mark of a compressed chunk is in the extra field of its gzip header (RFC 1952, section
// 2.3.1.1), which other readers skip; that of a chunk that is stored as it is, which covers the contents too, is among
// the attributes of its array. A chunk can so be written by any process that has the identity of the run, and is
// never at odds with a list of chunks.
type binding struct {
	run string // the identity; empty: a run of format 1, whose chunks have no marks
}

// markSize is the number of bytes of a mark.
const markSize = 16

// A place is a chunk of an array of a store.
type place struct{ array, chunk string }

// file returns where a place is in a run directory.
func (p place) file(dir string) string { return filepath.Join(path(dir, p.array), p.chunk) }

// mark is that of a place with some contents, which are empty for compressed chunks: gzip has a checksum of its own.
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

// writePart adds a part with its length to a hash.
func writePart(h interface{ Write([]byte) (int, error) }, part []byte) {
	_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part)))) // a hash takes all
	_, _ = h.Write(part)
}

// compressor is that of new arrays.
func (b binding) compressor() *codec {
	if b.run == "" {
		return &codec{"zlib", 1}
	}
	return &codec{"gzip", 1}
}

// Subfields of the extra field have two letters and a length.
var markHead = []byte{'p', 'l', markSize, 0}

func extraOf(mark []byte) []byte { return append(bytes.Clone(markHead), mark...) }

var errForeign = errors.New("is that of another run, or of another place in this one")

// checkExtra compares the extra field of a chunk with the mark of its place.
func (b binding) checkExtra(at place, extra []byte) error {
	if b.run != "" && !bytes.Equal(extra, extraOf(b.mark(at, nil))) {
		return errForeign
	}
	return nil
}

// identify gives a run the identity that follows from what decides its draws: the model, its data, the sampler and its
// options. So a run that is repeated has the same files.
func (o Options) identify(l Layout) (string, error) {
	h := sha256.New()
	layout, err := json.Marshal(l)
	if err != nil {
		return "", err
	}
	decides, err := json.Marshal(o.Decides)
	if err != nil {
		return "", err
	}
	for _, part := range [][]byte{o.Source, []byte(o.Sampler), binary.LittleEndian.AppendUint64(nil, o.Seed), decides,
		layout} {
		writePart(h, part)
	}
	for _, g := range l.constants() {
		for _, a := range g.arrays {
			writePart(h, encode(nil, realType, a.Values))
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:markSize]), nil
}

// A layoutDocument is layout.json.
type layoutDocument struct {
	Run string `json:"run,omitempty"` // the identity of the run
	Layout
}

// runAttribute is the name of the identity of the run among the attributes of its root group, and digestsAttribute
// that of the marks of the chunks of an array that are stored as they are.
const (
	runAttribute     = "ppl_run"
	digestsAttribute = "ppl_digests"
)

// sameRun returns an error for a document that reports that it belongs to another run than run.json.
func (b binding) sameRun(dir, file, run string) error {
	if run == b.run {
		return nil
	}
	return damaged(dir, file, fmt.Errorf("it is that of another run (%s) than %s (%s)", orNone(run), runFile,
		orNone(b.run)))
}

func orNone(run string) string {
	if run == "" {
		return "without an identity"
	}
	return run
}
