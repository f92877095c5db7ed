package render

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
)

// TestBufferNames compares the names found in random texts with those that a regular expression finds.
func TestBufferNames(t *testing.T) {
	t.Parallel()
	name, r := regexp.MustCompile(`\bb[0-9]+\b`), rand.New(rand.NewPCG(1, 2))
	pieces := []string{"b", "b1", "b12", "_b3", "b4_", "b5x", "8", " ", "[", ";\n", "é", "B6", "bb7", "sub9"}
	for range 2000 {
		text := ""
		for range r.IntN(8) {
			text += pieces[r.IntN(len(pieces))]
		}
		var got [][]int
		for from, to := range bufferNames(text) {
			got = append(got, []int{from, to})
		}
		if want := name.FindAllStringIndex(text, -1); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q: %v, want %v", text, got, want)
		}
	}
}

// TestNumberedBuffers checks that texts that differ only in the names of buffers have equal results, and others not.
func TestNumberedBuffers(t *testing.T) {
	t.Parallel()
	if a, b := numberedBuffers("b7[e] = b12[e] + b7[e];"), numberedBuffers("b3[e] = b4[e] + b3[e];"); a != b {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := numberedBuffers("b7[e] = b12[e] + b7[e];"), numberedBuffers("b3[e] = b4[e] + b4[e];"); a == b {
		t.Errorf("both are %q", a)
	}
}
