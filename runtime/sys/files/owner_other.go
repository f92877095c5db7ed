//go:build !unix

package files

import "io/fs"

// trusted is true: who owns a file is not asked for here.
func trusted(fs.FileInfo) bool { return true }
