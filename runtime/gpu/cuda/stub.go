//go:build nonative || !linux || !(amd64 || arm64)

package cuda

import (
	"errors"

	"ppl/runtime/gpu/driver"
)

// Linked reports whether this build has the device.
const Linked = false

// Installed returns false: this build does not support CUDA.
func Installed() bool { return false }

// Open returns an error: this build does not support CUDA.
func Open(int) (driver.Driver, error) {
	return nil, errors.New("cuda: this ppl was built without the GPU device, which needs Linux on x86-64 or ARM64, " +
		"and the native device")
}
