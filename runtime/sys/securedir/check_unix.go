//go:build unix

package securedir

import (
	"os"
	"path/filepath"
	"syscall"
)

// check looks at a directory and its parents as they are without links.
func check(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	me := uint32(os.Getuid())
	inside := me // the owner of what was looked at before
	for dir, first := path, true; ; dir, first = filepath.Dir(dir), false {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		owner, known := info.Sys().(*syscall.Stat_t)
		switch open := info.Mode().Perm()&0o022 != 0; {
		case !info.IsDir():
			return Unsafe{dir, "is no directory"}
		case !known || owner.Uid != me && (owner.Uid != 0 || first):
			return Unsafe{dir, "belongs to another user"}
		case first && info.Mode().Perm()&0o077 != 0:
			return Unsafe{dir, "is open to other users"}
		case open && (info.Mode()&os.ModeSticky == 0 || inside != me):
			return Unsafe{dir, "can be changed by other users"}
		}
		inside = owner.Uid
		if dir == filepath.Dir(dir) {
			return nil
		}
	}
}
