//go:build unix

package securedir

import (
	"os"
	"path/filepath"
	"syscall"
)

// closed checks a directory without its parents.
func closed(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	mode := info.Mode().Perm()
	switch {
	case !known:
		return nil
	case owner.Uid != uint32(os.Getuid()) && owner.Uid != 0:
		return Unsafe{path, "belongs to another user"}
	case mode&0o002 != 0 || mode&0o020 != 0 && owner.Gid != uint32(os.Getgid()):
		return Unsafe{path, "can be changed by other users"}
	}
	return nil
}

// check checks a directory and its parents, after resolving symbolic links.
func check(path string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return err
	}
	me := uint32(os.Getuid())
	inside := me // owner of the directory below dir
	for dir, first := path, true; ; dir, first = filepath.Dir(dir), false {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		owner, known := info.Sys().(*syscall.Stat_t)
		switch open := info.Mode().Perm()&0o022 != 0; {
		case !info.IsDir():
			return Unsafe{dir, "is not a directory"}
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
