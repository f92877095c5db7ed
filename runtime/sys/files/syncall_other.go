//go:build !linux

package files

import (
	"io/fs"
	"path/filepath"
)

// SyncAll syncs one file after the other: only Linux can sync an entire file system and wait for it.
func (d Disk) SyncAll(dir string) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return d.Sync(path)
	})
}
