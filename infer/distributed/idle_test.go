package distributed

import (
	"strings"
	"testing"
)

// Of ranks that had nothing to do it is said how many they were.
func TestIdle(t *testing.T) {
	for want, of := range map[string][2]int{"": {3, 0}, "3 ranks had nothing to share": {3, 2},
		"2 of 5 ranks were idle: the data have rows for 3, and fewer than 33 walkers": {5, 2}} {
		if got := idle(of[0], of[1]); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: %q, want %q", of, got, want)
		}
	}
}
