//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"testing"

	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/gputest"
)

// TestNetworks: steps of networks by points, cut as a GPU has them, where scratch memory is NaN before.
func TestNetworks(t *testing.T) {
	gputest.Networks(t, func() device.Device {
		d, _ := open(t, gpu.ByPoints(true), gpu.Poisoned())
		return d
	})
}
