package files

import (
	"os"
	"path/filepath"
	"time"
)

// Hold locks a file that is not finished for as long as it is open, so that RemoveAbandoned does not take it for one of
// a process that was killed. Without locks on the system, its age alone decides.
func Hold(f File) {
	if locked, ok := f.(*os.File); ok {
		_, _ = TryLock(locked, true)
	}
}

// Ages from which an unfinished file may be one that a killed process has left: one that is new may not have been
// locked yet, and where the system has no locks, only a file of yesterday is certain to be nobody's.
const (
	leastAge  = time.Minute
	certainly = 24 * time.Hour
)

// RemoveAbandoned removes files and directories, directly in a directory, whose names match a pattern and that no
// process holds. What cannot be removed stays for the next time.
func RemoveAbandoned(dir string, patterns ...string) {
	entries, _ := os.ReadDir(dir) // of a directory that is not there, none
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
	flag := os.O_RDWR // NFS has no exclusive locks of files that are open for reading
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
