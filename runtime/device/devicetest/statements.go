package devicetest

import "testing"
import "ppl/runtime/device"

func testStatements(t *testing.T, d device.Device) {}
