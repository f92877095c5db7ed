package store

import (
	"os"
	"strings"
)

// boot returns an identifier of this machine's current boot, which containers on it share, or "" if there is none.
func boot() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(text))
}
