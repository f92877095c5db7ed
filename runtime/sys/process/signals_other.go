//go:build !unix

package process

import (
	"os"
	"syscall"
)

// ignoreClosedPipes does nothing: only Unix ends a process that writes to a pipe without a reader.
func ignoreClosedPipes() {}

// isIgnored returns false: signal.Ignored panics in a browser, and Windows has no such signals.
func isIgnored(os.Signal) bool { return false }

// Endings returns the signals that end a run, with a checkpoint.
func Endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// ignoredByGo returns no signals on this system.
func ignoredByGo() []os.Signal { return nil }
