package filestest

import (
	"errors"
	"os"
	"syscall"
)

// noData is a file of Linux whose first byte cannot be read: EIO.
const noData = "/proc/self/mem"

// ReadFaults returns ways to change a file so that reading it fails, or returns fewer bytes than were written, as for a
// file that shrinks while it is read.
func ReadFaults() map[string]func(path string) error {
	faults := map[string]func(path string) error{
		"gone":           os.Remove,
		"a directory":    func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"empty":          func(path string) error { return os.Truncate(path, 0) },
		"half of it":     func(path string) error { return cut(path, func(n int64) int64 { return n / 2 }) },
		"one byte short": func(path string) error { return cut(path, func(n int64) int64 { return max(0, n-1) }) },
	}
	if _, err := os.ReadFile(noData); errors.Is(err, syscall.EIO) {
		faults["input/output error"] = func(path string) error {
			return errors.Join(os.Remove(path), os.Symlink(noData, path))
		}
	}
	return faults
}

func cut(path string, size func(now int64) int64) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, size(info.Size()))
}
