package memory

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// taken is the number of bytes of address space that the Go runtime and system libraries use.
const taken = 1300 << 20

// machine returns the memory of the machine in bytes, or that of the control group or the limit of addresses (ulimit
// -v) if that is less.
func machine() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return unknown
	}
	memory := int64(uint64(info.Totalram) * uint64(info.Unit))
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(name)
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
			memory = min(memory, n)
		}
	}
	var addresses unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &addresses); err == nil && addresses.Cur < 1<<62 {
		memory = min(memory, max(64<<20, int64(addresses.Cur)-taken))
	}
	return memory
}
