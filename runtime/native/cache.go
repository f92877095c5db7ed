//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native

import (
	"fmt"
	"os"
	"path/filepath"

	"ppl/runtime/sys/cache"
)

// makeLibrary compiles a library into the cache and loads it. If the cache cannot be written, or is on a file system
// whose libraries cannot be loaded (mounted noexec), the library is compiled in a temporary directory, which is removed
// once the library is loaded.
func makeLibrary(c *cache.Cache, key string, compile func(path string) error) (*library, error) {
	if path, err := c.Store(key, compile); err == nil {
		if l, err := openLibrary(path); err == nil {
			return l, nil
		}
		c.Drop(path)
	}
	dir, err := os.MkdirTemp("", "ppl-native-")
	if err != nil {
		return nil, fmt.Errorf("native: cannot create a temporary directory for the C compiler: %w", err)
	}
	defer os.RemoveAll(dir) // a loaded library does not need its file
	path := filepath.Join(dir, key+".so")
	if err := compile(path); err != nil {
		return nil, err
	}
	return openLibrary(path)
}
