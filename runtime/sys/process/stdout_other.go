//go:build !linux

package process

// StdoutClosed reports whether the process was started without standard output, which cannot be found out here.
func StdoutClosed() bool { return false }
