package devicetest

import (
	"ppl/compiler/backend/ir"
	"ppl/runtime/device"
	"testing"
)

// Run tests a device in every layout of lanes; open returns a new device. The tests run in parallel.
func Run(t *testing.T, open func() device.Device) {
	for _, layout := range []ir.Layout{ir.Interleaved, ir.Apart} {
		t.Run(layout.String(), func(t *testing.T) {
			runParts(t, func() device.Device { return InLayout(open(), layout) })
		})
	}
}

func runParts(t *testing.T, open func() device.Device) {
	for _, part := range []struct {
		name string
		test func(t *testing.T, d device.Device)
	}{
		{"ops", testOps},
		{"statements", testStatements},
		{"noise", testNoise},
		{"noise of single precision", testSingleNoise},
		{"shuffle", testShuffle},
		{"schedule", testSchedule},
		{"peers", testPeers},
		{"addressed noise", testAddressed},
		{"masks", testMasks},
		{"buffers", testBuffers},
		{"given", testGiven},
		{"errors", testErrors},
		{"threads and lanes", testInvariance},
		{"random programs", testRandom},
		{"single precision", testSingle},
	} {
		t.Run(part.name, func(t *testing.T) {
			t.Parallel()
			part.test(t, open())
		})
	}
}
