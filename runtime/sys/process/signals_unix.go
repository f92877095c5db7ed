//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreClosedPipes makes a write to a pipe without a reader return an error instead of ending the process.
func ignoreClosedPipes() { signal.Ignore(syscall.SIGPIPE) }

// isIgnored reports whether the parent process made this process ignore a signal.
func isIgnored(s os.Signal) bool { return signal.Ignored(s) }

// Endings returns the signals that end a run, with a checkpoint: those sent by users, by a terminal that is closed, and
// by job schedulers before they kill a job.
func Endings() []os.Signal {
	return append(ignoredByGo(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// ignoredByGo returns the signals that do not end a Go process by default.
func ignoredByGo() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU, syscall.SIGALRM, syscall.SIGVTALRM}
}
