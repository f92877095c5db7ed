//go:build !unix

package files

import "io/fs"

// trusted returns true: this system does not report owners of files.
func trusted(fs.FileInfo) bool { return true }
