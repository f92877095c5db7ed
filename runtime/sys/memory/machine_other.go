//go:build !linux && !darwin

package memory

// machine returns a default, since this system is not supported.
func machine() int64 { return unknown }
