package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
)

// A layoutDocument is the content of layout.json.
type layoutDocument struct {
	Run string `json:"run,omitempty"` // identity of the run
	Layout
}

// Options describes a new run.
type Options struct {
	Overwrite bool   // replace an existing run in the directory; other files are never replaced
	Model     string // name of the model's file, as the user gave it
	Source    []byte // text of the model, stored as model.ppl
	Resolved  any    // options in force, stored as options.json
	Sampler   string
	Device    string
	Seed      uint64
	Draws     int      // requested number of draws of each chain; 0 if unknown
	Version   string   // version of ppl
	Keep      []string // names and patterns of the variables to store; empty for all
	Decides   any      // further inputs that determine the draws: equal JSON means equal draws
}

// identify computes the identity of a run from everything that determines its draws: the model, its data, the sampler
// and its options. A repeated run therefore has the same files.
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
			writeNumbers(h, a.Values)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:markSize]), nil
}

// writeNumbers adds a list of numbers to a hash like writePart, but encodes a part of them at a time.
func writeNumbers(h hash.Hash, xs []float64) {
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(8*len(xs)))) // writing to a hash never fails
	var raw []byte
	for part := range slices.Chunk(xs, sampleElements) {
		raw = encode(raw[:0], realType, part)
		h.Write(raw)
	}
}
