package distributed

import (
	"strings"
	"testing"
)

// TestIdle checks that the note states the number of idle ranks.
func TestIdle(t *testing.T) {
	for want, of := range map[string][2]int{"": {3, 0}, "only one of 3 ranks had work": {3, 2},
		"2 of 5 ranks were idle: the data have rows for 3 ranks only, and dividing the walkers needs at least 33": {5,
			2}} {
		if got := idle(of[0], of[1]); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("%v: %q, want %q", of, got, want)
		}
	}
}
