//go:build !cu && !nonative && linux && (amd64 || arm64)

package cuda_test

import (
	"strings"
	"testing"

	"ppl/runtime/gpu/cuda"
)

// TestCublasOpens checks that the library has all functions that are called; opening it needs no GPU. A library for a
// later CUDA than the driver is refused.
func TestCublasOpens(t *testing.T) {
	name, err := cuda.FindCublas(99)
	if err != nil {
		t.Skip(err)
	}
	if !strings.HasPrefix(name, "cuBLAS 1") {
		t.Error(name)
	}
	if _, err := cuda.FindCublas(11); err == nil || !strings.Contains(err.Error(), "for a later CUDA than the driver") {
		t.Error(err)
	}
	t.Log(name)
}
