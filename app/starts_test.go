package app

import (
	"slices"
	"testing"

	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/types"
)

// The starting points from a run are its last draws, latest first.
func TestLastDraws(t *testing.T) {
	g := &given{values: [][]map[string]*content.Array{{{}, {}}, {{}, {}}}}
	g.add(types.Variable{Name: "x", Shape: []int{2}}, [][]float64{{1, 2, 3, 4, 5, 6}, {11, 12, 13, 14, 15, 16}})
	for c, want := range [][][]float64{{{5, 6}, {3, 4}}, {{15, 16}, {13, 14}}} {
		for k, at := range g.values[c] {
			if !slices.Equal(at["x"].Values.Doubles(), want[k]) {
				t.Errorf("chain %d, start %d: %v, want %v", c, k, at["x"].Values, want[k])
			}
		}
	}
}
