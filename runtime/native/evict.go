//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// leftover is the age at which the directory of a compilation belongs to nobody any more.
const leftover = time.Hour

// touch marks a library as used now; where that fails it only leaves the cache sooner.
func touch(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now)
}

// A kept file is a library in the cache, or the directory of a compilation.
type kept struct {
	path string
	used time.Time
	size int64
}

// evict removes the libraries that have not been used for the longest time until the rest fit, and what compilations
// that were killed left behind. A library that a process has loaded stays loaded; one that is gone when another process
// comes to load it is compiled again.
func (c *cache) evict(newest string) {
	total := int64(0)
	for _, f := range c.list("*.so") {
		if total += f.size; total > c.size && f.path != newest {
			c.drop(f.path)
		}
	}
	for _, f := range c.list("compile-*") {
		if time.Since(f.used) > leftover {
			_ = os.RemoveAll(f.path) // or the next time
		}
	}
}

// list is the files of a pattern, the last used first.
func (c *cache) list(pattern string) (all []kept) {
	paths, _ := filepath.Glob(filepath.Join(c.dir, pattern)) // the only error is a bad pattern
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil {
			all = append(all, kept{path, info.ModTime(), info.Size()})
		}
	}
	slices.SortFunc(all, func(a, b kept) int { return b.used.Compare(a.used) })
	return all
}
