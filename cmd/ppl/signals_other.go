//go:build !unix

package main

import (
	"os"
	"syscall"
)

// endings are the signals that end a run, with a checkpoint.
func endings() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// ignoredByGo are signals that do not end a process written in Go by themselves.
func ignoredByGo() []os.Signal { return nil }
