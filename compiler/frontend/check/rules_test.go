package check

import (
	"maps"
	"slices"
	"testing"

	"ppl/compiler/frontend/typing"
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
	known := slices.Concat(slices.Collect(maps.Keys(specials())), slices.Collect(maps.Keys(typing.OfValues())))
	slices.Sort(known)
	if !slices.Equal(documented, known) {
		t.Errorf("documented are %v, the checker has %v", documented, known)
	}
}
