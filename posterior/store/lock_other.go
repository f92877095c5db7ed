//go:build !unix

package store

import "io/fs"

// ordinary reports whether a file is regular.
func ordinary(info fs.FileInfo) bool { return info.Mode().IsRegular() }
