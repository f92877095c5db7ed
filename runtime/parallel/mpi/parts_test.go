//go:build !nonative && linux && (amd64 || arm64)

package mpi

import (
	"math"
	"slices"
	"testing"
)

// TestParts checks that parts that do not fit MPI's 32-bit counts are an error.
func TestParts(t *testing.T) {
	counts, at, err := parts([]int{0, 5, 5, math.MaxInt32})
	if err != nil || !slices.Equal(counts, []int32{5, 0, math.MaxInt32 - 5}) || !slices.Equal(at, []int32{0, 5, 5}) {
		t.Error(counts, at, err)
	}
	if _, _, err := parts([]int{0, 5, math.MaxInt32 + 1}); err == nil {
		t.Error("too many bytes are no error")
	}
}
