//go:build !unix

package sharing

import (
	"errors"
	"os"
)

// mapped returns the contents of a file. Each process has its own copy on this system.
func mapped(path string) ([]byte, error) { return os.ReadFile(path) }

// mappedPart returns an error: a copy would not show what is written later.
func mappedPart(string, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func release([]byte) {}
