//go:build !unix

package sharing

import "os"

// mapped returns the contents of a file. Each process has its own copy on this system.
func mapped(path string) ([]byte, error) { return os.ReadFile(path) }
