package check

import (
	"maps"
	"slices"
	"testing"

	"ppl/compiler/frontend/typing"
	"ppl/stdlib"
)

// The library documents exactly the functions that have a rule in the checker. Density is an exception: it is written
// like a distribution.
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
		t.Errorf("the library documents %v, the checker has rules for %v", documented, known)
	}
}
