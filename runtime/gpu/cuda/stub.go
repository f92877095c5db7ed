//go:build nonative || !linux || !(amd64 || arm64)

package cuda

import (
	"errors"

	"ppl/runtime/gpu/driver"
)

// Linked: this build does not have the device.
const Linked = false

// Installed is false: there is no CUDA here.
func Installed() bool { return false }

// Open fails: there is no CUDA here.
func Open(int) (driver.Driver, error) {
	return nil, errors.New("cuda: this ppl has no GPU device: it works on Linux on x86-64 and ARM64, if the native " +
		"device was built")
}
