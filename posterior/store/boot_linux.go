package store

import (
	"os"
	"strings"
)

// boot returns a name of this machine since it was last started, which containers on it share; empty if it has none.
func boot() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}
