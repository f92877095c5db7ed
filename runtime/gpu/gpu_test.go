//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cudasim"
)

// slow are some thousand programs to compile: products, which TestExamples has as well, and random programs.
const slow = "^TestConformance$/^(interleaved|apart)$/^(statements|random programs)$/^(matmul|[0-9].*|loops|tiles)$"

// TestMain keeps what the tests compile from one run to the next, out of the way of the user's own.
func TestMain(m *testing.M) {
	flag.Parse()
	skip := flag.Lookup("test.skip").Value
	if skip.String() == "" && (testing.Short() || os.Getenv("PPL_SLOW") == "") {
		if err := skip.Set(slow); err != nil {
			panic(err)
		}
	}
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(os.TempDir(), "ppl-gpu-tests")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// open is a GPU that the processor simulates, or a skip where there is no C++ compiler.
func open(t testing.TB) (*gpu.Device, *cudasim.Driver) {
	t.Helper()
	d, err := cudasim.New()
	if err != nil {
		t.Skip(err)
	}
	return gpu.New(d), d
}

// TestConformance runs what a GPU would run on the processor. Each part has a simulated GPU of its own.
func TestConformance(t *testing.T) {
	devicetest.Run(t, func() device.Device {
		d, _ := open(t)
		return d
	})
}
