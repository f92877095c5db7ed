//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
	"ppl/runtime/gpu"
	"ppl/runtime/gpu/cudasim"
	"ppl/runtime/gpu/gputest"
)

// slow matches about a thousand programs: products, which TestExamples covers as well, and random programs, of which
// TestSameBytes has some. By points, the default tests have one layout, since the code is the same, and little of what
// threads compute as they do by lanes.
const slow = "^TestConformance$/^(interleaved|apart)$/^(statements|random programs)$/^(matmul|[0-9].*|loops|tiles)$" +
	"|^TestPointsConformance$/^apart$|^TestPointsExamples$/^functions$|^TestPointsTrajectories$/^eight_schools$" +
	"|^TestPointsConformance$/^interleaved$/^(ops|random programs|single precision|errors|shuffle)$" +
	"|^TestPointsConformance$/^interleaved$/^statements$/^(matmul|trisolve|choleskypull|eigen)$"

// long matches the further programs that -short skips: the second layout, and most examples.
const long = slow + "|^TestConformance$/^apart$|^TestExamples$/^[d-z]"

// TestMain keeps compiled programs between runs of the tests, apart from the user's cache.
func TestMain(m *testing.M) {
	flag.Parse()
	skip := flag.Lookup("test.skip").Value
	some := slow
	if testing.Short() {
		some = long
	}
	if skip.String() == "" && (testing.Short() || os.Getenv("PPL_SLOW") == "") {
		if err := skip.Set(some); err != nil {
			panic(err)
		}
	}
	if err := os.Setenv("XDG_CACHE_HOME", filepath.Join(os.TempDir(), "ppl-gpu-tests")); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// open returns a GPU that the processor simulates, or skips the test if there is no C++ compiler.
func open(t testing.TB, options ...gpu.Option) (*gpu.Device, *cudasim.Driver) {
	t.Helper()
	d, err := cudasim.New()
	if err != nil {
		t.Skip(err)
	}
	return gpu.New(d, options...), d
}

// TestConformance runs the code for a GPU on the processor. Each part has its own simulated GPU.
func TestConformance(t *testing.T) {
	devicetest.Run(t, func() device.Device {
		d, _ := open(t)
		return d
	})
}

func TestExamples(t *testing.T) {
	gputest.Examples(t, "../../examples", func() device.Device {
		d, _ := open(t)
		return d
	})
}

func TestTrajectories(t *testing.T) {
	gputest.Trajectories(t, "../../examples", func() device.Device {
		d, _ := open(t)
		return d
	})
}

// TestCheck checks that Check accepts a GPU that computes correctly and refuses one with a wrong constant.
func TestCheck(t *testing.T) {
	d, sim := open(t)
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	sim.About.Compiler = "a wrong compiler"
	err := gpu.New(wrongNoise{sim}).Check()
	if err == nil || !strings.Contains(err.Error(), "gives wrong results") {
		t.Errorf("wrong noise: %v", err)
	}
}

type wrongNoise struct{ *cudasim.Driver }

func (d wrongNoise) Compile(text string) ([]byte, error) {
	return d.Driver.Compile(strings.Replace(text, "0xD2511F53u", "0xD2511F51u", 1))
}
