package files

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// SyncAll syncs the entire file system of dir, which is faster for thousands of files than syncing each one.
func (Disk) SyncAll(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(os.NewSyscallError("syncfs", unix.Syncfs(int(f.Fd()))), f.Close())
}
