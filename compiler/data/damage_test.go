package data

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// Damaged files end in an error or are read, but never in a panic: every binary file cut at random places, and with
// random bytes changed.
func TestDamagedFiles(t *testing.T) {
	paths, err := filepath.Glob("testdata/*")
	if err != nil || len(paths) < 5 {
		t.Fatal("no files", err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			Parse(path, text[:r.IntN(len(text))])
			broken := append([]byte(nil), text...)
			for range 1 + r.IntN(3) {
				broken[r.IntN(len(broken))] = byte(r.IntN(256))
			}
			Parse(path, broken)
		}
	}
}
