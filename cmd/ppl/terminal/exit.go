package terminal

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"ppl/app/fault"
	"ppl/lang/diag"
	"ppl/runtime/sys/process"
)

// Exit codes of commands.
const (
	CodeDone        = 0
	CodeWrong       = 1 // the model or its data are wrong
	CodeUsage       = 2 // the command line is wrong
	CodeFailed      = 3 // the run failed: device, disk, an internal error
	CodeInterrupted = process.Interrupted
)

// A codeRow describes an exit code. The README contains the same table.
type codeRow struct {
	code  int
	kind  fault.Kind // 0 if there is no error
	means string
}

func exitCodes() []codeRow {
	return []codeRow{
		{CodeDone, 0, "done"},
		{CodeWrong, fault.Input, "the model, its data or the run that was named are wrong"},
		{CodeUsage, fault.Usage, "wrong usage"},
		{CodeFailed, fault.Failure, "the run failed, or a device or a disk did"},
		{CodeInterrupted, fault.Interruption, "interrupted, or out of time before the first draw; the draws so far " +
			"are kept"},
	}
}

// codeOf returns the exit code for a kind of error.
func codeOf(k fault.Kind) int {
	for _, row := range exitCodes() {
		if row.kind == k {
			return row.code
		}
	}
	return CodeFailed
}

// Conclude prints the error of cmd, and returns the exit code. Errors of cobra are usage errors.
func (c *Console) Conclude(cmd *cobra.Command, err error) int {
	if err == nil {
		return CodeDone
	}
	kind, e := fault.KindOf(err), (*fault.Error)(nil)
	switch {
	case kind == fault.Interruption: // after a signal, other errors are irrelevant
		return CodeInterrupted
	case !errors.As(err, &e):
		kind, e = fault.Usage, &fault.Error{Err: err}
	}
	c.PrintDiagnostics(e.Diagnostics)
	switch {
	case e.Err == nil:
	case c.Messages != nil:
		c.Messages.Error(codeOf(kind), e.Err.Error())
	default:
		fmt.Fprintf(c.Err, "%s: %s\n", cmd.CommandPath(), diag.Printable(e.Err.Error()))
	}
	if kind == fault.Usage && c.Messages == nil {
		fmt.Fprintf(c.Err, "usage: %s\n%s --help says more\n", cmd.UseLine(), cmd.CommandPath())
	}
	return codeOf(kind)
}
