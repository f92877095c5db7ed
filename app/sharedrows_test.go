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

	"github.com/parquet-go/parquet-go"

	"ppl/app/notes"
	"ppl/app/rundir"
	"ppl/compiler"
)

// sourceOfRows writes 200,000 rows as a table and as Parquet files, and a model of each.
func sourceOfRows(t *testing.T, dir string) map[string]Source {
	t.Helper()
	type row struct{ Y, X, Z float64 }
	rows := make([]row, 200_000)
	var table bytes.Buffer
	table.WriteString("Y,X,Z\n")
	for i := range rows {
		rows[i] = row{math.Sin(float64(i)), math.Cos(float64(i)), math.Sin(float64(i * i))}
		fmt.Fprintf(&table, "%.3f,%.3f,%.3f\n", rows[i].Y, rows[i].X, rows[i].Z)
	}
	for part := range 2 {
		name := filepath.Join(dir, fmt.Sprintf("d%d.parquet", part))
		if err := parquet.WriteFile(name, rows[part*100_000:(part+1)*100_000]); err != nil {
			t.Fatal(err)
		}
	}
	model := "data Y[N], X[N], Z[N] from %q\na ~ Normal(0, 5)\nb ~ Normal(0, 5)\nc ~ Normal(0, 5)\n" +
		"s ~ HalfNormal(2)\nY[i in N] ~ Normal(a + b * X[i] + c * Z[i], s)\n"
	writeAll(t, dir, map[string]string{"d.csv": table.String(), "table.ppl": fmt.Sprintf(model, "d.csv"),
		"parquet.ppl": fmt.Sprintf(model, "d*.parquet")})
	return map[string]Source{"table": {Model: filepath.Join(dir, "table.ppl")},
		"parquet": {Model: filepath.Join(dir, "parquet.ppl")}}
}

// A process that shares its data, or that finds those of another one on its machine, loads a regression without having
// them in memory afterwards, and finds the same digests.
func TestSharedRowsAreNotRead(t *testing.T) {
	dir := t.TempDir()
	for name, s := range sourceOfRows(t, dir) {
		cache := compiler.DefaultRowCache()
		cache.Dir, cache.SharedAs = filepath.Join(dir, "cache"), "shared-"+name
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
		first := load()
		if other := load(); other != first {
			t.Errorf("%s: the digests are %v, and were %v", name, other, first)
		}
		cache.SharedAs = ""
		if alone := load(); alone != first {
			t.Errorf("%s: the digests are %v, and without sharing %v", name, first, alone)
		}
		all := mappings(t, "shared-"+name)
		if len(all) < 2 {
			t.Fatalf("%s: the data are mapped %d times", name, len(all))
		}
		for _, resident := range all {
			if resident > 512 {
				t.Errorf("%s: %d kB of the data are in memory of 4,800", name, resident)
			}
		}
	}
}

// mappings returns the resident memory, in kB, of each mapping of a file, by address.
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

// TestRowsElsewhere checks that a rank that reads the same rows from a copy of the files finds the digests of rank 0.
func TestRowsElsewhere(t *testing.T) {
	var found []rundir.Digests
	for range 2 {
		dir := t.TempDir()
		cache := compiler.DefaultRowCache()
		cache.Dir, cache.Memory = filepath.Join(dir, "rows"), 1000
		p, err := loadSharing(t.Context(), cache, sourceOfRows(t, dir)["parquet"], notes.None{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p.Streams() != 1 {
			t.Fatalf("%d streams", p.Streams())
		}
		digests, err := rundir.DigestsOf(p)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, digests)
	}
	if found[0] != found[1] {
		t.Errorf("digests %+v and %+v", found[0], found[1])
	}
}
