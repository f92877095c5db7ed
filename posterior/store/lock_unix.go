//go:build unix

package store

import (
	"io/fs"
	"syscall"
)

// ordinary reports whether a file is regular and has only one name (no further hard links).
func ordinary(info fs.FileInfo) bool {
	s, known := info.Sys().(*syscall.Stat_t)
	return info.Mode().IsRegular() && (!known || s.Nlink <= 1)
}
