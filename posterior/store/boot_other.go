//go:build !linux

package store

import "os"

// boot returns a name of this machine.
func boot() string {
	host, _ := os.Hostname() // without one, locks are those of the system
	return host
}
