//go:build !nonative && linux && (amd64 || arm64)

package cuda

import "fmt"

// Linked reports whether this build has the device.
const Linked = true

// Attributes of cuDeviceGetAttribute and cuFuncGetAttribute.
const (
	multiprocessors = 16
	capabilityMajor = 75
	capabilityMinor = 76
	singlePerDouble = 87

	functionLocalBytes = 3
	functionRegisters  = 4
)

// oldestDriver is CUDA 12.0 in the format of cuDriverGetVersion; machine code of NVRTC 12 needs at least this version.
const oldestDriver = 12000

// recent reports an error if the driver's version is too old.
func recent(version int) error {
	if version >= oldestDriver {
		return nil
	}
	return fmt.Errorf("cuda: the NVIDIA driver is for CUDA %d.%d and ppl needs 12.0 or later: update the driver",
		version/1000, version%1000/10)
}

func noSuchGPU(number, count int) error {
	return fmt.Errorf("cuda: there is no GPU number %d; this machine has %d, counted from 0", number, count)
}
