package infer

import (
	"errors"
	"fmt"
)

// A Streamed target has data that are too large for memory: rows stay in files, and a few are read at a time.
//
// Where Split is given rows that are known when the graph is built, it reads them then. For other rows the graph has an
// input for each stream, and whoever runs it puts there, before each run, what ReadRows gives for these rows.
type Streamed interface {
	Splittable
	// Streams is how many there are: 0 when all data are in memory.
	Streams() int
	// Mixed reports whether rows that follow one another are as good as rows at random, and are read together.
	Mixed() bool
	// StreamInput names the input in which m rows of stream k stand, shape [m, width].
	StreamInput(k, m int) (name string, width int)
	// ReadRows puts what stream k has for rows, numbers from 0 to Rows−1, into dst, width numbers each. It is safe for
	// concurrent use.
	ReadRows(k int, rows, dst []float64) error
}

// Streaming returns the target as a streamed one, if data of it are in files.
func Streaming(t Target) (Streamed, bool) {
	s, ok := t.(Streamed)
	return s, ok && s.Streams() > 0
}

// NeedAll returns an error for a target of which not all data are in memory to a method that needs them all for each
// gradient.
func NeedAll(t Target, method string) error {
	if _, ok := Streaming(t); !ok {
		return nil
	}
	return Refusal{fmt.Errorf("%s needs all data for each gradient, but they are too large for memory and are read a "+
		"few rows at a time; %w", method, errTakeBatches)}
}

var errTakeBatches = errors.New("take minibatches: --sampler renhd --set batch=256, or `infer renhd(batch = 256)` " +
	"in the model")
