package app

import (
	"testing"

	"ppl/app/rundir"
)

// The message names what differs between a rank and rank 0.
func TestUnlikeRanks(t *testing.T) {
	for want, m := range map[string]loadedModel{
		"its data are not those of rank 0": {Version: "1", Digests: rundir.Digests{Program: "p",
			Data: "other"}},
		"its model is not that of rank 0": {Version: "1", Digests: rundir.Digests{Program: "other",
			Data: "d"}},
		"its ppl is version 2, and that of rank 0 is 1": {Version: "2", Digests: rundir.Digests{Program: "p",
			Data: "d"}},
		"d.csv is not there": {Error: "d.csv is not there"},
	} {
		if got := m.unlike("1", rundir.Digests{Program: "p", Data: "d"}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	m := loadedModel{Version: "1", Digests: rundir.Digests{Program: "p", Data: "d"}}
	if got := m.unlike("1", m.Digests); got != "" {
		t.Error(got)
	}
}
