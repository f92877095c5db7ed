package terminal

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"ppl/app/fault"
	"ppl/runtime/sys/files"
)

// An output writes results. It keeps the first error, so that commands need not check each write; a full disk ends all
// commands in the same way. If the reader closes the pipe, as head does, the rest of the output is dropped without an
// error.
type output struct {
	to     io.Writer
	err    error
	wanted bool // whether anything was to be written
}

// errOutputClosed reports that standard output is closed.
var errOutputClosed = errors.New("standard output is closed")

// Write writes results until a write fails.
func (o *output) Write(p []byte) (int, error) {
	o.wanted = o.wanted || len(p) > 0
	if o.err == nil {
		var n int
		n, o.err = o.to.Write(p)
		if o.err == nil {
			return n, nil
		}
	}
	if errors.Is(o.err, syscall.EPIPE) {
		return len(p), nil
	}
	return 0, o.err
}

// failure returns the error with which a command ends, or nil if all output was written or not wanted.
func (o *output) failure() error {
	if o.err == nil || !o.wanted || errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	return fault.Of(fmt.Errorf("the results could not be written: %w", o.err))
}

// WriteFile writes a file that the user named. If the name is a link, it writes the file to which the link points.
func WriteFile(path string, write func(io.Writer) error) error {
	to, err := files.Followed(path)
	if err != nil {
		return err
	}
	return files.Output(to, write)
}

// Bytes returns a function that writes a text, as an argument of WriteFile.
func Bytes(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// OutputFailure returns the error with which a command ends because results could not be written. It is nil if all
// output was written or not wanted.
func (c *Console) OutputFailure() error {
	if o, ok := c.Out.(*output); ok {
		return o.failure()
	}
	return nil
}
