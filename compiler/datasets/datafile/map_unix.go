//go:build unix

package datafile

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ppl/runtime/sys/files"
)

// mapped returns what a file holds, in memory that all processes which map it share. It cannot be written to, and stays
// for as long as the process, which holds the file: if all that have mapped it were killed, the next start removes it.
func mapped(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return nil, err
	}
	if held, err := files.TryLock(f, false); held && err == nil { // else the age of the file decides
		_, _ = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0) // this descriptor is never closed, so the lock stays
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
}
