//go:build unix

package datafile

import (
	"os"
	"syscall"
)

// mapped is what a file holds, in memory that all processes which map it share. It cannot be written to, and stays for
// as long as the process.
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
	return syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
}
