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
	Name  string // name of the directory
	Holds string // description for users
	most  int64  // limit in bytes; the user's limit may be lower
}

// Names of the parts.
const (
	Native = "native"
	CUDA   = "cuda"
	Rows   = "rows"
)

// Parts returns all parts of the user's cache. Some thousand compiled models fit into 256 MB.
func Parts() []Part {
	return []Part{
		{Native, "models compiled for this machine", 256 << 20},
		{CUDA, "models compiled for GPUs", 256 << 20},
		{Rows, "rows of data files that are too large for memory", usualSize},
	}
}

// PartOf returns the part with a name.
func PartOf(name string) Part {
	all := Parts()
	return all[slices.IndexFunc(all, func(p Part) bool { return p.Name == name })]
}

// SizeVariable is the environment variable that limits the size of each part, for example 20GB.
const SizeVariable = "PPL_CACHE_SIZE"

// usualSize is the default limit of a part with rows of data.
const usualSize = 64 << 30

// Limit returns the largest number of bytes of a part. It returns an error if the user's limit is not a size.
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

// Dir returns the directory of a part, which need not exist; it is empty if the user has no cache directory.
func (p Part) Dir() string {
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "ppl", p.Name)
}

// unfinished returns patterns for files and directories that are incomplete, or that belong to one job of several
// processes. The process that creates one locks it (files.Hold).
func unfinished() []string { return []string{"compile-*", "converting-*", "sharing-*", "shared-*"} }

func isUnfinished(name string) bool { return files.MatchesAny(name, unfinished()...) }

// Ready returns an error if the limit is not a size, and removes unfinished files of killed processes from the user's
// cache.
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

// keptIn lists the complete files of a directory, the most recently used first.
func keptIn(dir string) (all []keptFile) {
	entries, _ := os.ReadDir(dir) // if the directory does not exist, there are no files
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !isUnfinished(e.Name()) {
			all = append(all, keptFile{filepath.Join(dir, e.Name()), info.ModTime(), files.Space(info)})
		}
	}
	slices.SortFunc(all, func(a, b keptFile) int { return b.used.Compare(a.used) })
	return all
}

// Touch marks a file as used now. If that fails, the file is only removed from the cache sooner.
func Touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// Evict removes unfinished files of killed processes from a directory. Then it removes the least recently used files
// until the others take at most `most` bytes of the disk; `newest` is always kept. The size of a file may be much
// larger than what it takes: the file by which processes share numbers is sparse where lists were joined to others. A
// process that has opened a removed file can still read it.
func Evict(disk files.System, dir string, most int64, newest string) {
	files.RemoveAbandoned(dir, unfinished()...)
	total := int64(0)
	if info, err := os.Lstat(newest); err == nil {
		total = files.Space(info)
	}
	for _, f := range keptIn(dir) {
		if f.path == newest {
			continue
		}
		total += f.size
		if total > most {
			_ = disk.Remove(f.path) // if this fails, the next call tries again
		}
	}
}

// A Use is the disk usage of a part.
type Use struct {
	Files int
	Bytes int64
	Held  int // number of unfinished files of running processes
}

// Use counts the files of a part.
func (p Part) Use() (u Use) {
	entries, _ := os.ReadDir(p.Dir()) // if the directory does not exist, there are no files
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil:
		case isUnfinished(e.Name()):
			u.Held++
			u.Bytes += files.Space(info)
		case info.Mode().IsRegular():
			u.Files++
			u.Bytes += files.Space(info)
		}
	}
	return u
}

// Clear removes the complete files of a part, and unfinished files of killed processes.
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
