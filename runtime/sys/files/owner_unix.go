//go:build unix

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// trusted reports whether a file belongs to this user or to root.
func trusted(info fs.FileInfo) bool {
	s, known := info.Sys().(*syscall.Stat_t)
	return known && (s.Uid == uint32(os.Getuid()) || s.Uid == 0)
}
