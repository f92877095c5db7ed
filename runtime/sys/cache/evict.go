package cache

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// leftover is the age from which the directory of a compilation is taken to be left behind by a killed process.
const leftover = time.Hour

// touch marks a file as used now. If that fails, the file only leaves the cache sooner.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// A cachedFile is a file in the cache, or the directory of a compilation.
type cachedFile struct {
	path string
	used time.Time
	size int64
}

// evict removes the files that have not been used for the longest time until the rest fit, and directories that killed
// compilations left behind. A library that a process has loaded stays loaded; if another process finds one gone, it
// compiles it again.
func (c *Cache) evict(newest string) {
	total := int64(0)
	for _, f := range c.list("*" + c.ending) {
		if total += f.size; total > c.size && f.path != newest {
			c.Drop(f.path)
		}
	}
	for _, f := range c.list("compile-*") {
		if time.Since(f.used) > leftover {
			_ = c.disk.RemoveAll(f.path) // if that fails: the next time
		}
	}
}

// list is the files that match a pattern, the last used first.
func (c *Cache) list(pattern string) (all []cachedFile) {
	paths, _ := filepath.Glob(filepath.Join(c.dir, pattern)) // the only error is a bad pattern
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			all = append(all, cachedFile{path, info.ModTime(), info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b cachedFile) int { return b.used.Compare(a.used) })
	return all
}
