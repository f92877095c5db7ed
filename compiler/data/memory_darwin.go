package data

import "golang.org/x/sys/unix"

// machineMemory is the memory of the machine in bytes.
func machineMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return unknownMemory
	}
	return int64(n)
}
