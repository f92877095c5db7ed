//go:build unix

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ordinary reports whether a file is regular and has no other name.
func ordinary(info fs.FileInfo) bool {
	s, known := info.Sys().(*syscall.Stat_t)
	return info.Mode().IsRegular() && (!known || s.Nlink <= 1)
}

// tryLock takes a lock that the system drops when the process ends, however it ends. It reports false where another
// process has it.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}
