package terminal

import (
	"errors"
	"fmt"
	"io"
	"syscall"

	"ppl/app/fault"
	"ppl/runtime/sys/files"
)

// An output is where results go. It keeps its first error, so that commands need not check each write: a full
// disk ends each of them in the same way. A reader that went away, as head does, wanted no more: what is
// left is not written, and nothing has failed.
type output struct {
	to     io.Writer
	err    error
	wanted bool // something was to be written
}

// errOutputClosed says that there is nowhere to write.
var errOutputClosed = errors.New("standard output is closed")

// Write writes to where results go until that fails.
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

// failure returns the error with which a command ends, nil if everything that somebody wanted to read was written.
func (o *output) failure() error {
	if o.err == nil || !o.wanted || errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	return fault.Of(fmt.Errorf("the results could not be written: %w", o.err))
}

// WriteFile writes a file that the user named. If the name is a link, the file that it leads to is written.
func WriteFile(path string, write func(io.Writer) error) error {
	to, err := files.Followed(path)
	if err != nil {
		return err
	}
	return files.Output(to, write)
}

// Bytes returns a function that writes a text, for WriteFile.
func Bytes(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}

// OutputFailure returns the error with which a command ends because results could not be written; nil if everything
// that somebody wanted to read was written.
func (c *Console) OutputFailure() error {
	if o, ok := c.Out.(*output); ok {
		return o.failure()
	}
	return nil
}
