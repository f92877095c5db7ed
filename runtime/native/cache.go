//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ppl/runtime/private"
)

// A cache is a directory of libraries KEY-CHECKSUM.so. A library is written under a temporary name, synced and renamed,
// so a file with that name is complete unless the disk lost it; the checksum detects that. Processes that compile the
// same text at the same time write the same name. The size of the cache is limited: see evict.go.
type cache struct {
	dir  string // "": no cache; every library is compiled again
	size int64  // maximal bytes of all libraries
}

// cacheSize is the size of the user's cache: some thousand libraries.
const cacheSize = 256 << 20

// newCache uses the user's cache directory, if nobody else can change what is in it: loading a library runs its code.
func newCache() *cache {
	base, err := os.UserCacheDir()
	if err != nil {
		return &cache{}
	}
	dir := filepath.Join(base, "ppl", "native")
	if private.Dir(dir) != nil {
		return &cache{}
	}
	return &cache{dir, cacheSize}
}

// find is the path of a library whose checksum is right, or "". It removes damaged ones.
func (c *cache) find(key string) string {
	if c.dir == "" {
		return ""
	}
	paths, _ := filepath.Glob(filepath.Join(c.dir, key+"-*.so")) // the only error is a bad pattern
	for _, path := range paths {
		if sum, err := checksum(path); err == nil && path == c.path(key, sum) {
			touch(path)
			return path
		}
		c.drop(path)
	}
	return ""
}

func (c *cache) path(key, sum string) string { return filepath.Join(c.dir, key+"-"+sum+".so") }

// drop removes a library. If that fails, it will be found damaged again the next time.
func (c *cache) drop(path string) { _ = os.Remove(path) }

func checksum(path string) (string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16]), nil
}

// make compiles a library into the cache and loads it. If the cache cannot be written, or is on a file system whose
// libraries cannot be loaded (mounted noexec), the library is compiled in a temporary directory and removed once it is
// loaded.
func (c *cache) make(key string, compile func(path string) error) (*library, error) {
	if c.dir != "" {
		if path, err := c.store(key, compile); err == nil {
			if l, err := openLibrary(path); err == nil {
				return l, nil
			}
			c.drop(path)
		}
	}
	dir, err := os.MkdirTemp("", "ppl-native-")
	if err != nil {
		return nil, fmt.Errorf("native: nowhere to compile to: %w", err)
	}
	defer os.RemoveAll(dir) // a loaded library does not need its file
	path := filepath.Join(dir, key+".so")
	if err := compile(path); err != nil {
		return nil, err
	}
	return openLibrary(path)
}

// store compiles a library under a temporary name, and renames it once it is safely on disk.
func (c *cache) store(key string, compile func(path string) error) (string, error) {
	dir, err := os.MkdirTemp(c.dir, "compile-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	draft := filepath.Join(dir, "library")
	if err := compile(draft); err != nil {
		return "", err
	}
	sum, err := checksum(draft)
	if err != nil {
		return "", err
	}
	if err := syncFile(draft); err != nil {
		return "", err
	}
	path := c.path(key, sum)
	if err := os.Rename(draft, path); err != nil {
		return "", err
	}
	c.evict(path)
	return path, nil
}

func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
