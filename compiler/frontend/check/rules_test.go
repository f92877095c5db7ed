package check

import (
	"maps"
	"slices"
	"testing"

	"ppl/stdlib"
)

// The library documents the functions that the checker has rules for, and no others; Density is a distribution by
// syntax.
func TestRulesAreDocumented(t *testing.T) {
	var documented []string
	for _, r := range stdlib.Rules() {
		if r.Name != "Density" {
			documented = append(documented, r.Name)
		}
	}
	slices.Sort(documented)
	if known := slices.Sorted(maps.Keys(specials())); !slices.Equal(documented, known) {
		t.Errorf("documented are %v, the checker has %v", documented, known)
	}
}
