package memory

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// machine is the memory of the machine in bytes, or of the control group if that has less.
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
	return memory
}
