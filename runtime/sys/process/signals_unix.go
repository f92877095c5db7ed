//go:build unix

package process

import (
	"os"
	"os/signal"
	"syscall"
)

// ignoreClosedPipes makes a write to a pipe without a reader an error instead of the end of the process.
func ignoreClosedPipes() { signal.Ignore(syscall.SIGPIPE) }

// isIgnored reports whether the parent process asked that a signal be ignored.
func isIgnored(s os.Signal) bool { return signal.Ignored(s) }

// Endings returns the signals that end a run, with a checkpoint: those of people, of a terminal that is closed, and of
// job schedulers before they kill.
func Endings() []os.Signal {
	return append(ignoredByGo(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// ignoredByGo returns those of them that do not end a process written in Go by themselves.
func ignoredByGo() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU, syscall.SIGALRM, syscall.SIGVTALRM}
}
