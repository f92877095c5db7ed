//go:build unix

package main

import (
	"os"
	"syscall"
)

// endings are the signals that end a run, with a checkpoint: those of people, of a terminal that is closed, and of job
// schedulers before they kill.
func endings() []os.Signal {
	return []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGXCPU}
}
