//go:build !linux

package store

import "os"

// boot returns the host name, as an approximate identifier of this machine.
func boot() string {
	host, _ := os.Hostname() // without a name, only the locks of the operating system protect a run
	return host
}
