//go:build linux

package app

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
)

// A process that finds the data of another one on its machine loads a regression without having a page of them in
// memory, and finds the same digests.
func TestSharedRowsAreNotRead(t *testing.T) {
	dir := t.TempDir()
	var table bytes.Buffer
	table.WriteString("y,x,z\n")
	for i := range 200_000 {
		fmt.Fprintf(&table, "%.3f,%.3f,%.3f\n", math.Sin(float64(i)), math.Cos(float64(i)), math.Sin(float64(i*i)))
	}
	writeAll(t, dir, map[string]string{"d.csv": table.String(), "m.ppl": "data y[N], x[N], z[N]\na ~ Normal(0, 5)\n" +
		"b ~ Normal(0, 5)\nc ~ Normal(0, 5)\ns ~ HalfNormal(2)\ny[i in N] ~ Normal(a + b * x[i] + c * z[i], s)\n"})
	s := Source{Model: filepath.Join(dir, "m.ppl"), Data: []string{filepath.Join(dir, "d.csv")}}
	cache := compiler.DefaultRowCache()
	cache.Dir, cache.SharedAs = filepath.Join(dir, "cache"), "shared-rows"
	load := func() rundir.Digests {
		p, err := loadSharing(context.Background(), cache, s, notes.None{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		digests, err := rundir.DigestsOf(p)
		if err != nil {
			t.Fatal(err)
		}
		return digests
	}
	want := load()
	before := mappings(t, cache.SharedAs)
	got := load()
	if got != want {
		t.Errorf("the digests are %v, and were %v", got, want)
	}
	after := mappings(t, cache.SharedAs)
	if len(before) != 1 || len(after) != 2 {
		t.Fatalf("the data are mapped %d and then %d times", len(before), len(after))
	}
	for at, resident := range after {
		if _, first := before[at]; !first && resident > 256 {
			t.Errorf("%d kB of the data are in memory of 4,800", resident)
		}
	}
}

// mappings returns the memory, in kB, that is resident of each mapping of a file, by its address.
func mappings(t *testing.T, name string) map[string]int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	all, begins := map[string]int{}, regexp.MustCompile(`^[0-9a-f]+-[0-9a-f]+ `)
	at := ""
	for line := range strings.Lines(string(text)) {
		var resident int
		switch n, _ := fmt.Sscanf(line, "Rss: %d kB", &resident); {
		case begins.MatchString(line):
			at = ""
			if strings.HasSuffix(strings.TrimSpace(line), name) {
				at, _, _ = strings.Cut(line, " ")
			}
		case at != "" && n == 1:
			all[at] = resident
		}
	}
	return all
}
