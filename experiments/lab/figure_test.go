package lab

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/plot/plotter"
)

// TestLines checks that a figure has its labels and ticks, and omits points that its axes cannot show.
func TestLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.svg")
	points := plotter.XYs{{X: .01, Y: 1}, {X: 1, Y: -1}, {X: 10, Y: 3}, {X: 20, Y: math.NaN()}}
	a := Axes{Title: "title", X: "abscissa", Y: "ordinate", LogX: true, LogY: true}
	if err := Lines(path, a, Line{"one", points}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{">title<", ">abscissa<", ">ordinate<", ">one<", ">0.01<", ">10<"} {
		if !strings.Contains(string(text), word) {
			t.Errorf("%q is not in the figure", word)
		}
	}
	if seen := a.visible(points); len(seen) != 2 || len(points) != 4 {
		t.Errorf("visible: %v of %v", seen, points)
	}
}
