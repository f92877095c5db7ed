package cache

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/memory"
	"ppl/runtime/sys/securedir"
)

// A Part is a directory of the user's cache with files of one kind.
type Part struct {
	Name  string // of the directory
	Holds string // for people
	most  int64  // bytes of its files; the user's limit may be lower
}

// Names of the parts.
const (
	Native = "native"
	CUDA   = "cuda"
	Rows   = "rows"
)

// Parts returns all parts of the user's cache. 256 MB are some thousand compiled models.
func Parts() []Part {
	return []Part{
		{Native, "models compiled for this machine", 256 << 20},
		{CUDA, "models compiled for GPUs", 256 << 20},
		{Rows, "rows of data files that are too large for memory", usualSize},
	}
}

// PartOf returns the part of a name.
func PartOf(name string) Part {
	all := Parts()
	return all[slices.IndexFunc(all, func(p Part) bool { return p.Name == name })]
}

// SizeVariable is the environment variable that limits the size of each part, as in 20GB.
const SizeVariable = "PPL_CACHE_SIZE"

// usualSize is the limit of a part that nobody has set.
const usualSize = 64 << 30

// Limit returns how many bytes a part may have. It is an error if the user's limit is not a size.
func (p Part) Limit() (int64, error) {
	text := os.Getenv(SizeVariable)
	if text == "" {
		return p.most, nil
	}
	bytes, ok := memory.ParseSize(text)
	if !ok {
		return p.most, fmt.Errorf("%s=%s is not a size; write 500MB or 20GB", SizeVariable, text)
	}
	return min(p.most, bytes), nil
}

// Dir returns the directory of a part, which need not be there; empty if the user has no cache directory.
func (p Part) Dir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "ppl", p.Name)
}

// unfinished returns the names of files and directories that are not complete, or that belong to one job of several
// processes. Who makes one holds it (files.Hold).
func unfinished() []string { return []string{"compile-*", "converting-*", "sharing-*", "shared-*"} }

func isUnfinished(name string) bool { return files.MatchesAny(name, unfinished()...) }

// Ready returns an error for a limit that is not a size, and removes what killed processes have left unfinished in the
// user's cache.
func Ready() error {
	for _, p := range Parts() {
		if _, err := p.Limit(); err != nil {
			return err
		}
		if dir := p.Dir(); dir != "" && securedir.Closed(dir) == nil {
			files.RemoveAbandoned(dir, unfinished()...)
		}
	}
	return nil
}

// A keptFile is a complete file of a cache.
type keptFile struct {
	path string
	used time.Time
	size int64
}

// keptIn lists the complete files of a directory, the last used first.
func keptIn(dir string) (all []keptFile) {
	entries, _ := os.ReadDir(dir) // of a directory that is not there, none
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !isUnfinished(e.Name()) {
			all = append(all, keptFile{filepath.Join(dir, e.Name()), info.ModTime(), info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b keptFile) int { return b.used.Compare(a.used) })
	return all
}

// Touch marks a file as used now. If that fails, the file only leaves the cache sooner.
func Touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Evict removes what killed processes have left unfinished in a directory, and then the files that have not been used
// for the longest time, until the rest has at most that many bytes; newest stays in any case. A process that has opened
// a file keeps what is in it.
func Evict(disk files.System, dir string, most int64, newest string) {
	files.RemoveAbandoned(dir, unfinished()...)
	total := int64(0)
	if info, err := os.Lstat(newest); err == nil {
		total = info.Size()
	}
	for _, f := range keptIn(dir) {
		if f.path == newest {
			continue
		}
		total += f.size
		if total > most {
			_ = disk.Remove(f.path) // or the next time
		}
	}
}

// A Use is what a part has.
type Use struct {
	Files int
	Bytes int64
	Held  int // unfinished files of processes that are at work
}

// Use counts the files of a part.
func (p Part) Use() (u Use) {
	entries, _ := os.ReadDir(p.Dir()) // of a directory that is not there, none
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil:
		case isUnfinished(e.Name()):
			u.Held++
			u.Bytes += info.Size()
		case info.Mode().IsRegular():
			u.Files++
			u.Bytes += info.Size()
		}
	}
	return u
}

// Clear removes the complete files of a part, and what killed processes have left.
func (p Part) Clear() error {
	dir := p.Dir()
	if dir == "" {
		return nil
	}
	files.RemoveAbandoned(dir, unfinished()...)
	disk := files.Disk{}.Below(dir)
	for _, f := range keptIn(dir) {
		if err := disk.Remove(f.path); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}
