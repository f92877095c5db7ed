//go:build !linux

package ranks

// Cores lists the cores that this process may run on, by the system's numbers; nil if they are not known.
func Cores() []int { return nil }
