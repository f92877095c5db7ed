//go:build !nonative && (linux || darwin) && amd64

package native_test

import (
	"cmp"
	"os"
	"testing"

	"ppl/runtime/device"
	"ppl/runtime/device/devicetest"
)

// TestNarrowVectors tests two programs for which GCC 12 without AVX compiled a setup function wrongly: it interchanged
// loops, assumed that the function writes nothing, and left out its call.
func TestNarrowVectors(t *testing.T) {
	t.Setenv("CC", cmp.Or(os.Getenv("CC"), "cc")+" -mno-avx")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	for _, seed := range []uint64{34, 5} {
		devicetest.Agree(t, open(t), devicetest.Reference{}, devicetest.Random(seed),
			device.Options{Lanes: 3, Threads: 1, Seed: seed}, 1e-11)
	}
}
