//go:build !linux

package process

// StdoutClosed returns false, since this system does not show whether the process was started without standard output.
func StdoutClosed() bool { return false }
