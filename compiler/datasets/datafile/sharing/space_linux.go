package sharing

import (
	"os"

	"golang.org/x/sys/unix"

	"ppl/runtime/sys/files"
)

// freeSpace frees the space that a part of a file takes on the disk, where the file system can do that.
func freeSpace(f files.File, at, size int64) {
	if file, ok := f.(*os.File); ok {
		_ = unix.Fallocate(int(file.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, at, size)
	}
}
