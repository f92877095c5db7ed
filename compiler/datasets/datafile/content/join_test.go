package content

import (
	"slices"
	"strings"
	"testing"
)

// The categories of a joined column are those of all files, in order of first appearance. Ordered categories that
// differ are an error. If a file has texts without categories, the joined column has no categories.
func TestCategoriesOfParts(t *testing.T) {
	column := func(ordered bool, levels, texts []string) *Array {
		a := &Array{Name: "g", Shape: []int{len(texts)}, Int: true, Origin: levels[0] + ".arrow"}
		a.Labels, a.Values = Encode(texts, make([]bool, len(texts)))
		a.SetLevels(levels, ordered)
		return a
	}
	ab, ca := []string{"b", "a"}, []string{"c", "a"}
	a, err := Join("*", []*Array{column(false, ab, []string{"a", "b"}), column(false, ca, []string{"a"})}, nil)
	if err != nil || !slices.Equal(a.Levels, []string{"b", "a", "c"}) || !slices.Equal(a.Labels, []string{"a", "b"}) ||
		!slices.Equal(a.Values.Doubles(), []float64{1, 2, 1}) {
		t.Errorf("%v, %v", a, err)
	}
	a, err = Join("*", []*Array{column(true, ab, []string{"a"}), column(true, ab, []string{"b"})}, nil)
	if err != nil || !a.Ordered || !slices.Equal(a.Labels, ab) || !slices.Equal(a.Values.Doubles(), []float64{2, 1}) {
		t.Errorf("ordered: %v, %v", a, err)
	}
	_, err = Join("*", []*Array{column(true, ab, []string{"a"}), column(true, ca, []string{"a"})}, nil)
	if err == nil || !strings.Contains(err.Error(), "differ in b.arrow and in c.arrow") {
		t.Errorf("ordered otherwise: %v", err)
	}
	plain := column(false, ca, []string{"a"})
	plain.Levels = nil
	if a, err = Join("*", []*Array{column(false, ab, []string{"b"}), plain}, nil); err != nil || a.Levels != nil {
		t.Errorf("texts without categories: %v, %v", a, err)
	}
}
