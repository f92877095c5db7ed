//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endings are the signals that end a run, with a checkpoint.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }
