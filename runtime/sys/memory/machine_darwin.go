package memory

import "golang.org/x/sys/unix"

// machine returns the memory of the machine in bytes.
func machine() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return unknown
	}
	return int64(n)
}
