// Package cache stores results of compilers in the user's cache directory. The name of a file depends on the input of
// the compiler:
//
//	c := cache.Open(cache.Native, ".so")
//	path := c.Find(key)                        // "" the first time
//	path, err := c.Store(key, compile)         // KEY-CHECKSUM.so
//
// A file is written under a temporary name, synced and renamed, so a file with its final name is complete unless the
// disk lost data; the checksum detects that. Processes that compile the same text at the same time write the same name.
// The size of each part of the user's cache is limited (Part): the least recently used files are removed.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"

	"ppl/runtime/sys/files"
	"ppl/runtime/sys/securedir"
)

// A Cache is a directory of files KEY-CHECKSUM with a common ending.
type Cache struct {
	dir    string // "": no cache; nothing is found or stored
	ending string
	size   int64 // largest number of bytes of all files
	disk   files.System
}

// Open returns a part of the user's cache. The cache stays empty if another user could change its contents, since these
// are executed.
func Open(name, ending string) *Cache {
	p := PartOf(name)
	size, _ := p.Limit() // an invalid limit means the default; the command reports it
	c := &Cache{ending: ending, size: size, disk: files.Disk{}}
	if dir := p.Dir(); dir != "" && securedir.Dir(dir) == nil {
		c.dir, c.disk = dir, c.disk.Below(dir)
	}
	return c
}

// Find returns the path of the file of a key if its checksum is correct, and "" otherwise. It removes damaged files.
func (c *Cache) Find(key string) string {
	if c.dir == "" {
		return ""
	}
	paths, _ := filepath.Glob(filepath.Join(c.dir, key+"-*"+c.ending)) // the only error is a bad pattern
	for _, path := range paths {
		if sum, err := checksum(path); err == nil && path == c.path(key, sum) {
			Touch(path)
			return path
		}
		c.Drop(path)
	}
	return ""
}

func (c *Cache) path(key, sum string) string { return filepath.Join(c.dir, key+"-"+sum+c.ending) }

// Drop removes a file. If that fails, Find detects the damage again the next time.
func (c *Cache) Drop(path string) { _ = c.disk.Remove(path) }

// mostKept is the largest number of bytes of a file; a larger file counts as damaged.
const mostKept = 1 << 30

func checksum(path string) (string, error) {
	data, err := files.Read(path, mostKept)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// Store calls write with a temporary name, and renames the file once it is safely on disk. It returns the final path.
func (c *Cache) Store(key string, write func(path string) error) (string, error) {
	if c.dir == "" {
		return "", errors.New("there is no cache directory")
	}
	dir, err := c.disk.MkdirTemp(c.dir, "compile-")
	if err != nil {
		return "", err
	}
	defer c.disk.RemoveAll(dir)
	defer hold(dir)()
	draft := filepath.Join(dir, "draft")
	if err := write(draft); err != nil {
		return "", err
	}
	sum, err := checksum(draft)
	if err != nil {
		return "", err
	}
	if err := c.disk.Sync(draft); err != nil {
		return "", err
	}
	path := c.path(key, sum)
	if err := c.disk.Rename(draft, path); err != nil {
		return "", err
	}
	Evict(c.disk, c.dir, c.size, path)
	return path, nil
}

// hold locks a directory like files.Hold; the returned function releases it.
func hold(dir string) (release func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	files.Hold(f)
	return func() { _ = f.Close() } // nothing was written to it
}
