//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"os"
	"os/exec"
	"testing"

	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/native"
)

// open is the native device with the caller's own cache, or a skip where there is no C compiler.
func open(t testing.TB) device.Device {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil && os.Getenv("CC") == "" {
		t.Skip("no C compiler here: the native device is not tested")
	}
	d, err := native.New()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestConformance(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	d := open(t)
	devicetest.Run(t, func() device.Device { return d })
}
