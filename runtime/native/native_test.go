//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package native_test

import (
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/native"
)

// slow matches four hundred products, each compiled as a program. TestProducts tests them as statements of one program.
const slow = "^TestConformance$/^(interleaved|apart)$/^statements$/^matmul$"

// TestMain keeps compiled libraries between runs of the tests, apart from the user's cache.
func TestMain(m *testing.M) {
	flag.Parse()
	skip := flag.Lookup("test.skip").Value
	if skip.String() == "" && (testing.Short() || os.Getenv("PPL_SLOW") == "") {
		if err := skip.Set(slow); err != nil {
			panic(err)
		}
	}
	if os.Getenv(computeOnly) != "" {
		os.Exit(m.Run()) // a child: in the cache of its parent
	}
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(os.TempDir(), "ppl-native-tests")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// open returns the native device, or skips the test if there is no C compiler.
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

// TestConformance compiles about two hundred programs if none are in the cache of an earlier run.
func TestConformance(t *testing.T) {
	d := open(t)
	devicetest.Run(t, func() device.Device { return d })
}

// near reports whether two numbers are equal to 1e-13; NaN equals NaN.
func near(got, want float64) bool {
	if want != want || math.IsInf(want, 0) {
		return got == want || got != got && want != want
	}
	return math.Abs(got-want) <= 1e-13*math.Max(1, math.Abs(want))
}
