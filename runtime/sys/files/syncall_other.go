//go:build !linux

package files

import (
	"io/fs"
	"path/filepath"
)

// SyncAll syncs one file after the other: only Linux has a call that waits for a whole file system.
func (d Disk) SyncAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return d.Sync(path)
	})
}
