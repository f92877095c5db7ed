package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The data and the truth in the repository are what the simulator writes.
func TestFilesAreSimulated(t *testing.T) {
	files, err := simulate()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%s differs: run `go run ./simulate` in examples/", name)
		}
	}
}

// The scale of the ICAR prior on a path of three regions: the pseudo-inverse of its Laplacian [[1, -1, 0], [-1, 2, -1],
// [0, -1, 1]] has the diagonal (5/9, 2/9, 5/9), worked by hand.
func TestScaleOfPath(t *testing.T) {
	scale := newLaplacian(3, []float64{1, 2}, []float64{2, 3}).scale()
	if want := math.Cbrt(5.0 / 9 * 2 / 9 * 5 / 9); !(math.Abs(scale-want) < 1e-12) {
		t.Errorf("scale %.12g, want %.12g", scale, want)
	}
}

// regions.ppl states the scale of the grid that its data were simulated on.
func TestScaleInModel(t *testing.T) {
	model, err := os.ReadFile("../regions.ppl")
	if err != nil {
		t.Fatal(err)
	}
	here, there := borders(6, 8)
	if want := "\ndata scale = " + number(newLaplacian(48, here, there).scale()) +
		"\n"; !strings.Contains(string(model), want) {
		t.Errorf("regions.ppl lacks %q", want)
	}
}
