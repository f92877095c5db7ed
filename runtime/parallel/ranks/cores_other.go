//go:build !linux

package ranks

// Cores returns nil: on this system the cores are not known.
func Cores() []int { return nil }
