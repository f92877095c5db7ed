package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/app/rundir"
)

// TestMemoryOfRankZero checks that a rank reads data by rows if rank 0 does, whatever its own memory is.
func TestMemoryOfRankZero(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.ppl")
	for name, text := range map[string]string{model: "data y[N] from \"t.csv\"\nm ~ Normal(0, 1)\ny ~ Normal(m, 1)\n",
		filepath.Join(dir, "t.csv"): "y\n" + strings.Repeat("1.5\n", 300)} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for memory, streams := range map[int64]int{1000: 1, 1 << 30: 0} {
		o := modelOrder{Source: Source{Model: model}, Device: "host", Memory: memory}
		cache := o.cache()
		cache.Dir = filepath.Join(dir, "rows")
		f := &follower{job: &Job{}}
		if answer := f.loadFrom(t.Context(), cache, o); f.program == nil || f.program.Streams() != streams {
			t.Errorf("%d bytes of memory on rank 0: %s", memory, answer)
		}
	}
}

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
