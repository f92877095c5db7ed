//go:build !unix

package datafile

import "os"

// mapped returns what a file holds; here each process has a separate copy.
func mapped(path string) ([]byte, error) { return os.ReadFile(path) }
