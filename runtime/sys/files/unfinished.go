package files

import (
	"os"
	"path/filepath"
	"time"
)

// Hold locks an unfinished file while it is open, so that RemoveAbandoned does not remove it. On systems without locks,
// RemoveAbandoned decides by the age of a file.
func Hold(f File) {
	if locked, ok := f.(*os.File); ok {
		_, _ = TryLock(locked, true)
	}
}

// Least ages at which an unfinished file may be removed: a very new file may not have been locked yet, and on systems
// without locks only a file that is a day old is certainly not in use.
const (
	leastAge  = time.Minute
	certainly = 24 * time.Hour
)

// RemoveAbandoned removes unfinished files and directories of killed processes: those directly in dir whose names match
// a pattern and that no process has locked. It ignores errors; the next call tries again.
func RemoveAbandoned(dir string, patterns ...string) {
	entries, _ := os.ReadDir(dir) // if the directory does not exist, there are no entries
	disk := Disk{}.Below(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && MatchesAny(e.Name(), patterns...) {
			if path := filepath.Join(dir, e.Name()); abandoned(path, info) {
				_ = disk.RemoveAll(path)
			}
		}
	}
}

// MatchesAny reports whether a name matches one of some patterns.
func MatchesAny(name string, patterns ...string) bool {
	for _, pattern := range patterns {
		if ok, _ := filepath.Match(pattern, name); ok { // the only error is a bad pattern
			return true
		}
	}
	return false
}

func abandoned(path string, info os.FileInfo) bool {
	age := time.Since(info.ModTime())
	if age < leastAge || !info.Mode().IsRegular() && !info.IsDir() {
		return false
	}
	flag := os.O_RDWR // on NFS, a file that is open only for reading cannot be locked exclusively
	if info.IsDir() {
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flag|NonBlocking, 0)
	if err != nil {
		return false
	}
	defer f.Close() //nolint:errcheck // nothing was written to it
	free, err := TryLock(f, true)
	if err != nil {
		return age > certainly
	}
	return free
}
