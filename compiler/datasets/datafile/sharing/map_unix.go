//go:build unix

package sharing

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ppl/runtime/sys/files"
)

// mapped returns the contents of a file, in memory that all processes which map the file share. The memory cannot be
// written to, and stays until the process ends. The process locks the file until then: if all processes that have
// mapped it were killed, the next start finds no lock and removes the file.
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
	// without a lock, the age of the file decides when it is removed
	if held, err := files.TryLock(f, false); held && err == nil {
		_, _ = unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0) // this descriptor is never closed, so the lock stays
	}
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
}
