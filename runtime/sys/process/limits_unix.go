//go:build unix

package process

import (
	"fmt"
	"os"
	"syscall"
)

// Least limits of the system (ulimit) with which this program works. Go reserves 1.2 GB of addresses before the program
// starts, and ends the program with a message of its runtime if fewer are available. A run writes many files at the
// same time.
const (
	leastAddresses = 1600 << 20 // bytes
	fewAddresses   = 8 << 30
	leastFiles     = 80
)

// oneArena is a setting of the C library that prevents each thread from reserving 128 MB of addresses.
const oneArena = "MALLOC_ARENA_MAX"

// SaveAddresses restarts this program with the setting oneArena if the address space is small.
func SaveAddresses() {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &l); err != nil || uint64(l.Cur) >= fewAddresses ||
		os.Getenv(oneArena) != "" {
		return
	}
	if path, err := os.Executable(); err == nil {
		// if this fails, the program continues without the setting
		_ = syscall.Exec(path, os.Args, append(os.Environ(), oneArena+"=1"))
	}
}

// TooLimited returns a message if a limit of the system is too low, and "" otherwise.
func TooLimited() string {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &l); err == nil && uint64(l.Cur) < leastAddresses {
		return fmt.Sprintf("this process may use only %d MB of addresses (ulimit -v), and ppl needs %d MB; raise the "+
			"limit, or run ppl as a job instead of on a login node", uint64(l.Cur)>>20, leastAddresses>>20)
	}
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &l); err == nil && uint64(l.Cur) < leastFiles {
		return fmt.Sprintf("this process may open only %d files (ulimit -n), and ppl needs %d; raise the limit",
			uint64(l.Cur), leastFiles)
	}
	return ""
}
