package host_test

import (
	"testing"

	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/host"
)

func TestConformance(t *testing.T) {
	devicetest.Run(t, func() device.Device { return host.Device{} })
}

// The suite's reference keeps the promises it can: it tests the suite.
func TestReference(t *testing.T) {
	d := devicetest.Reference{}
	_ = d
}
