//go:build unix

package sharing

import (
	"os"
	"syscall"
	"unsafe"

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
	return mapFile(f, 0, int(info.Size()))
}

// mappedPart returns a part of a file, like mapped, without a lock. It begins at a multiple of a page.
func mappedPart(path string, at int64, size int) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return mapFile(f, at, size)
}

func mapFile(f *os.File, at int64, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), at, size, syscall.PROT_READ, syscall.MAP_SHARED)
}

// release frees the memory of this process for the complete pages of a part of a mapped file. They are mapped again
// when they are read.
func release(part []byte) {
	if len(part) == 0 {
		return
	}
	page, at := uintptr(os.Getpagesize()), uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	first, end := (at+page-1)/page*page-at, (at+uintptr(len(part)))/page*page-at
	if first < end && end <= uintptr(len(part)) {
		_ = unix.Madvise(part[first:end], unix.MADV_DONTNEED) // this only saves memory
	}
}
