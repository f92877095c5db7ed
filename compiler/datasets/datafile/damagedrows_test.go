package datafile

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/runtime/sys/files/filestest"
)

// rowsOf converts a text and returns the row cache, the path of the text, and the name of the row file.
func rowsOf(t *testing.T, dir, text string) (cache RowCache, path, name string) {
	t.Helper()
	cache = RowCache{Dir: filepath.Join(dir, "rows"), Bound: 1 << 20}
	path = written(t, dir, "x.csv", text)
	if _, err := cache.ByRows(path); err != nil {
		t.Fatal(err)
	}
	return cache, path, rowFileIn(t, cache)
}

// rowFileIn returns the newest row file of a cache.
func rowFileIn(t *testing.T, cache RowCache) (name string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(cache.Dir, "*"+rowEnding))
	if err != nil || len(names) == 0 {
		t.Fatal("no row file", err)
	}
	var newest time.Time
	for _, n := range names {
		if info, err := os.Stat(n); err == nil && !info.ModTime().Before(newest) {
			name, newest = n, info.ModTime()
		}
	}
	return name
}

// stride is the size in bytes of a record of threeRows: x as u1, y as f4, the number of the row and a checksum.
const stride = 1 + 4 + 8 + 4

const threeRows = "x,y\n1,2.5\n100,3.5\n7,4.5\n"

// If any byte of a record in a row file is changed, reading the row fails, and the next opening creates the file again.
func TestDamagedRows(t *testing.T) {
	cache, path, name := rowsOf(t, t.TempDir(), threeRows)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	_, _, other := rowsOf(t, t.TempDir(), strings.Replace(threeRows, "100", "200", 1))
	stolen, err := os.ReadFile(other)
	if err != nil {
		t.Fatal(err)
	}
	f, err := cache.ByRows(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Arrays["x"].Rows.Close()
	damages := map[string][]byte{
		"two records change places": slices.Concat(whole[stride:2*stride], whole[:stride], whole[2*stride:]),
		"records of another file":   slices.Concat(stolen[:3*stride], whole[3*stride:]),
		"zeros":                     slices.Concat(make([]byte, 3*stride), whole[3*stride:]),
	}
	for at := range 3 * stride {
		changed := slices.Clone(whole)
		changed[at] ^= 1 << (at % 8)
		damages[fmt.Sprintf("a bit of byte %d", at)] = changed
	}
	for what, text := range damages {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := readAll(cache, path); err == nil || !strings.Contains(err.Error(), "is damaged") {
			t.Fatalf("%s: %v", what, err)
		}
		if err := readAll(cache, path); err != nil {
			t.Fatalf("%s: the file is not created again: %v", what, err)
		}
	}
}

// A row file that cannot be read, or that is truncated, also while it is open, is created again or causes an error. No
// wrong rows are ever read.
func TestRowReadsThatFail(t *testing.T) {
	for what, spoil := range filestest.ReadFaults() {
		cache, path, name := rowsOf(t, t.TempDir(), threeRows)
		f, err := cache.ByRows(path)
		if err != nil {
			t.Fatal(err)
		}
		rows := f.Arrays["x"].Rows
		size := int64(3 * stride)
		rows.Close()
		if err := spoil(name); err != nil {
			t.Fatal(err)
		}
		if err := readAll(cache, path); err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", what, err)
		}
		if err := os.RemoveAll(name); err != nil { // a row file that could not be replaced
			t.Fatal(err)
		}
		if f, err = cache.ByRows(path); err != nil {
			t.Fatalf("%s, and then a good disk: %v", what, err)
		}
		rows = f.Arrays["x"].Rows
		if err := os.Truncate(name, size-1); err != nil {
			t.Fatal(err)
		}
		s := &rowfile.Selection{File: rows}
		s.Add(0, nil, nil)
		if err := s.Read([]int{2}, make([]float64, s.Width)); err == nil {
			t.Errorf("%s: a row is read from a file that has shrunk", what)
		}
		rows.Close()
	}
}

// readAll reads all rows of a file through its row file.
func readAll(cache RowCache, path string) error {
	f, err := cache.ByRows(path)
	if err != nil {
		return err
	}
	rows := f.Arrays["x"].Rows
	defer rows.Close()
	s := &rowfile.Selection{File: rows}
	s.AddRow()
	places := make([]int, rows.Rows)
	for i := range places {
		places[i] = i
	}
	return s.Read(places, make([]float64, rows.Rows))
}

// If any call of the file system fails during a conversion, either no row file or the complete row file exists. After
// the fault, the conversion succeeds.
func TestRowsOnABadDisk(t *testing.T) {
	for kind, plan := range map[string]func(int) filestest.Plan{
		"full": filestest.Full, "once": filestest.Once, "dead": filestest.Dead,
	} {
		tried := 0
		for at := 1; ; at++ {
			dir := t.TempDir()
			path := written(t, dir, "x.csv", "x\n"+strings.Repeat("1\n20\n3.5\n", 100))
			disk := filestest.New(plan(at))
			cache := RowCache{Dir: filepath.Join(dir, "rows"), Bound: 1 << 20, Disk: disk}
			err := readAll(cache, path)
			if err == nil && disk.Calls() < at {
				break
			}
			if err != nil { // if nil, the row file is complete, and only closing or removing a temporary file failed
				tried++
			}
			cache.Disk = nil
			if err := readAll(cache, path); err != nil {
				t.Errorf("%s at call %d, and then a good disk: %v", kind, at, err)
			}
		}
		if tried < 5 {
			t.Errorf("%s: only %d calls fail a conversion", kind, tried)
		}
	}
}

// BenchmarkReadRows reads a minibatch of 256 rows of 24 numbers.
func BenchmarkReadRows(b *testing.B) {
	dir := b.TempDir()
	var text strings.Builder
	text.WriteString("x")
	for k := range 23 {
		text.WriteString(",c" + string(rune('a'+k)))
	}
	for range 4096 {
		text.WriteString("\n1.5" + strings.Repeat(",2.25", 23))
	}
	path := filepath.Join(dir, "x.csv")
	if err := os.WriteFile(path, []byte(text.String()+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := RowCache{Dir: filepath.Join(dir, "rows"), Bound: 1 << 30}.ByRows(path)
	if err != nil {
		b.Fatal(err)
	}
	rows := f.Arrays["x"].Rows
	s := &rowfile.Selection{File: rows}
	for c := range rows.Columns {
		s.Add(c, nil, nil)
	}
	places, values := make([]int, 256), make([]float64, 256*s.Width)
	for i := range places {
		places[i] = 1000 + i
	}
	for b.Loop() {
		if err := s.Read(places, values); err != nil {
			b.Fatal(err)
		}
	}
}
