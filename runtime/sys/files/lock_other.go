//go:build !unix

package files

import (
	"errors"
	"os"
)

// TryLock takes no lock on this system: the error says so.
func TryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }
