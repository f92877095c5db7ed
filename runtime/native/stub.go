//go:build nonative || !(linux || darwin) || !(amd64 || arm64)

// Package native stands in for the device that compiles C, in a build that does without it: such a build is one static
// file.
package native

import (
	"errors"

	"ppl/runtime/device"
)

// New says that there is no native device.
func New() (device.Device, error) {
	return nil, errors.New("native: this ppl was built without the native device; use --device host")
}
