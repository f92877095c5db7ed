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

// slow are some thousand programs to compile: products, which TestExamples has as well, and random programs, of which
// TestSameBytes has some. By points, everyday tests have one layout alone, as the text is the same, and little of what
// threads do as they do by lanes.
const slow = "^TestConformance$/^(interleaved|apart)$/^(statements|random programs)$/^(matmul|[0-9].*|loops|tiles)$" +
	"|^TestPointsConformance$/^apart$|^TestPointsExamples$/^functions$|^TestPointsTrajectories$/^eight_schools$" +
	"|^TestPointsConformance$/^interleaved$/^(ops|random programs|single precision|errors|shuffle)$" +
	"|^TestPointsConformance$/^interleaved$/^statements$/^(matmul|trisolve|choleskypull|eigen)$"

// long are further programs that -short leaves to make check: the second layout, and most examples.
const long = slow + "|^TestConformance$/^apart$|^TestExamples$/^[d-z]"

// TestMain keeps what the tests compile from one run to the next, out of the way of the user's own.
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

// open is a GPU that the processor simulates, or a skip where there is no C++ compiler.
func open(t testing.TB, options ...gpu.Option) (*gpu.Device, *cudasim.Driver) {
	t.Helper()
	d, err := cudasim.New()
	if err != nil {
		t.Skip(err)
	}
	return gpu.New(d, options...), d
}

// TestConformance runs what a GPU would run on the processor. Each part has a simulated GPU of its own.
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

// TestCheck: a GPU that computes what the processor computes passes, and one with a wrong constant does not.
func TestCheck(t *testing.T) {
	d, sim := open(t)
	if err := d.Check(); err != nil {
		t.Error(err)
	}
	sim.About.Compiler = "a wrong compiler"
	err := gpu.New(wrongNoise{sim}).Check()
	if err == nil || !strings.Contains(err.Error(), "it is not used") {
		t.Errorf("wrong noise: %v", err)
	}
}

type wrongNoise struct{ *cudasim.Driver }

func (d wrongNoise) Compile(text string) ([]byte, error) {
	return d.Driver.Compile(strings.Replace(text, "0xD2511F53u", "0xD2511F51u", 1))
}
