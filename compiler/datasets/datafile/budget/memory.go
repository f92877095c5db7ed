// Package budget bounds the memory that reading a file takes. It computes the memory before it is allocated, so that a
// small compressed file with large contents gives an error instead of exhausting the memory of the machine:
//
//	memory := budget.Memory(1 << 30)
//	err := memory.Fits("x.csv", budget.Cost{Each: 12}, strings.NewReader(text))
//	if err != nil {
//		return nil, err // x.csv holds at least 100 MiB, and reading them takes more than the 1 GiB of memory
//	}
package budget

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"ppl/compiler/datasets/datafile/damage"
	"ppl/lang/source"
)

// Memory is the number of bytes of memory that reading a file may take.
type Memory int64

// A Counter is a writer that subtracts from Left the cost of the text that is written to it, and fails if Left becomes
// negative.
type Counter struct {
	Cost
	Left  int64 // bytes of memory
	Bytes int64 // length of the text so far
}

var errTooMuch = errors.New("there is too little memory")

// Write subtracts the cost of the next bytes of the text.
func (c *Counter) Write(p []byte) (int, error) {
	c.Bytes += int64(len(p))
	c.Left -= c.Each * int64(len(p))
	rest := p
	if c.First != nil {
		line, more, ended := bytes.Cut(p, []byte("\n"))
		c.count(line, c.First)
		rest = more
		if ended {
			c.First = nil
		}
	}
	c.count(rest, c.Of)
	if c.Left < 0 {
		return 0, errTooMuch
	}
	return len(p), nil
}

func (c *Counter) count(p []byte, of map[byte]int64) {
	for b, each := range of {
		c.Left -= each * int64(bytes.Count(p, []byte{b}))
	}
}

// Fits returns an error if reading a text would take more memory than m.
func (m Memory) Fits(path string, c Cost, text io.Reader) error {
	_, err := m.Count(path, c, text)
	return err
}

// Count returns the length of a text in bytes, or an error if reading it would take more memory than m.
func (m Memory) Count(path string, c Cost, text io.Reader) (length int64, err error) {
	counter := &Counter{Cost: c, Left: int64(m)}
	_, err = io.Copy(counter, text)
	switch {
	case errors.Is(err, errTooMuch):
		return 0, m.Exceeded(path, counter.Bytes)
	case err != nil:
		return 0, fmt.Errorf("%s: %w", path, damage.Cause(err))
	}
	return counter.Bytes, nil
}

// Exceeded returns the error of a file that contains at least the given number of bytes and needs more memory than m.
func (m Memory) Exceeded(path string, bytes int64) error {
	return fmt.Errorf("%s holds at least %s, and reading it takes more than the %s of available memory; "+
		"--max-memory SIZE sets the limit, and rows of an uncompressed CSV, TSV, Parquet or .npy file can be read "+
		"from disk",
		path, source.Bytes(bytes), source.Bytes(int64(m)))
}
