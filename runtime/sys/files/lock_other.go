//go:build !unix

package files

import (
	"errors"
	"os"
)

// TryLock returns an error, since this system has no such locks.
func TryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }
