package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ppl/lang/diag"
	"ppl/posterior/store"
)

// Exit codes.
const (
	codeDone        = 0
	codeWrong       = 1   // the model or its data are wrong
	codeUsage       = 2   // the command line is wrong
	codeFailed      = 3   // the run failed: device, disk, an internal error
	codeInterrupted = 130 // as shells report SIGINT
)

// An exit is an error that says which code the process ends with. Its cause is nil when everything has been said
// already.
type exit struct {
	code  int
	cause error
}

func (e exit) Error() string { return fmt.Sprint(e.cause) }

// Unwrap is the cause.
func (e exit) Unwrap() error { return e.cause }

func wrong(cause error) error { return exit{codeWrong, cause} }

// failed is what a device, a disk or the program did. A run that a crash has cut off is what the command was given.
func failed(cause error) error {
	if errors.As(cause, new(store.ErrDamaged)) || errors.As(cause, new(store.ErrNotKept)) {
		return wrong(cause)
	}
	return exit{codeFailed, cause}
}

func interrupted() error { return exit{codeInterrupted, nil} }

func usagef(format string, args ...any) error { return exit{codeUsage, fmt.Errorf(format, args...)} }

// conclude prints the error of cmd, and returns the exit code. Errors of cobra itself are about usage.
func conclude(c *console, cmd *cobra.Command, err error) int {
	switch {
	case err == nil:
		return codeDone
	case errors.Is(err, context.Canceled): // by a signal, in whatever it was
		return codeInterrupted
	}
	e := exit{codeUsage, err}
	errors.As(err, &e)
	switch {
	case e.cause == nil:
	case c.messages != nil:
		c.messages.Encode(errorMessage{"error", e.code, diag.Printable(e.cause.Error())})
	default:
		fmt.Fprintf(c.err, "%s: %s\n", cmd.CommandPath(), diag.Printable(e.cause.Error()))
	}
	if e.code == codeUsage && c.messages == nil {
		fmt.Fprintf(c.err, "usage: %s\n%s --help says more\n", cmd.UseLine(), cmd.CommandPath())
	}
	return e.code
}
