//go:build unix

package files

import (
	"io/fs"
	"syscall"
)

// blockSize is the unit of Stat_t.Blocks.
const blockSize = 512

// Space returns the bytes of a disk that a file takes: its size, or less if the file is sparse.
func Space(info fs.FileInfo) int64 {
	if s, known := info.Sys().(*syscall.Stat_t); known {
		return min(info.Size(), blockSize*int64(s.Blocks))
	}
	return info.Size()
}
