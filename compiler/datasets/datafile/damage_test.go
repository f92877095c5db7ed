package datafile

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/metrics"
	"strings"
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

// Arrow files in which each byte in turn is another one, or that end there, take little memory: counts and sizes are
// compared with the bytes that are there before anything is allocated for them.
func TestDamagedArrow(t *testing.T) {
	files, refused, most := 0, 0, uint64(0)
	for _, path := range []string{"mixed.feather", "mixed.arrow", "mixed.arrows", "lists.arrow"} {
		text, err := os.ReadFile("testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		for i, b := range text {
			for _, other := range []byte{0, 0xff, b ^ 0x80} {
				broken := append([]byte(nil), text...)
				broken[i] = other
				taken, err := allocated(path, broken)
				if files++; taken > 2*leastMemory {
					t.Fatalf("%s with %#x for %#x at %d takes %d bytes", path, other, b, i, taken)
				}
				if err != nil && strings.Contains(err.Error(), "holds at least") {
					refused++
				}
				most = max(most, taken)
			}
			if _, err := allocated(path, text[:i]); err == nil && path != "mixed.arrows" {
				t.Fatalf("%s is read from its first %d bytes", path, i)
			}
		}
	}
	if files < 20000 || refused == 0 {
		t.Fatalf("of %d files, %d claim more than fits", files, refused)
	}
	t.Logf("%d files, of which %d claim more than fits; one takes %d bytes at most", files, refused, most)
}

// allocated is what reading a file takes, with as little memory as a machine may have.
func allocated(path string, text []byte) (uint64, error) {
	taken := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(taken)
	before := taken[0].Value.Uint64()
	_, err := RowCache{}.parse(path, text)
	metrics.Read(taken)
	return taken[0].Value.Uint64() - before, err
}
