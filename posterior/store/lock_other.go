//go:build !unix

package store

import "os"

// tryLock takes no lock: here two runs in one directory are not kept apart.
func tryLock(*os.File, bool) (bool, error) { return true, nil }
