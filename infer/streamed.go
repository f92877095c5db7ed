package infer

import (
	"errors"
	"fmt"
)

// A Streamed target has data that are too large for memory: rows remain in files, and a few are read at a time.
//
// A stream is an array of data that Split reads from a file. If the rows given to Split are constants of the graph,
// Split reads them at once. Otherwise the graph has an input for each stream. Before each evaluation, the caller must
// fill it with the result of ReadRows for these rows.
type Streamed interface {
	Splittable
	// Streams returns the number of streams, 0 if all data are in memory.
	Streams() int
	// Mixed reports whether the rows are stored in random order. Then consecutive rows, which are faster to read, can
	// serve as a random sample.
	Mixed() bool
	// StreamWidth returns the number of columns of stream k.
	StreamWidth(k int) int
	// StreamInput returns the name of the input for m rows of stream k, shape [m, width]. The input is given if the
	// rows are common to all lanes.
	StreamInput(k, m int, common bool) string
	// ReadRows reads rows of stream k into dst, width numbers for each row. rows holds numbers from 0 to Rows−1. It is
	// safe for concurrent use.
	ReadRows(k int, rows, dst []float64) error
}

// Streaming returns t as a Streamed target; ok is false if all its data are in memory.
func Streaming(t Target) (streamed Streamed, ok bool) {
	streamed, ok = t.(Streamed)
	return streamed, ok && streamed.Streams() > 0
}

// NeedAll returns an error if some data of t are not in memory. method names the method that needs all data for each
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
