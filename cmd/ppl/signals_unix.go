//go:build unix

package main

import (
	"os"
	"syscall"
)

// endings are the signals that end a run, with a checkpoint: those of people, of a terminal that is closed, and of job
// schedulers before they kill.
func endings() []os.Signal {
	return append(ignoredByGo(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
}

// ignoredByGo are those of them that do not end a process written in Go by themselves.
func ignoredByGo() []os.Signal {
	return []os.Signal{syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU, syscall.SIGALRM, syscall.SIGVTALRM}
}
