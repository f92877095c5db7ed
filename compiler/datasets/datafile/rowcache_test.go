package datafile

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/rowfile"
	"ppl/compiler/datasets/datafile/stream"
	"ppl/numbers"
)

// written writes a file and returns its path.
func written(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// readBack reads an array of a row file, in the order of the data file.
func readBack(t *testing.T, a *content.Array) []float64 {
	t.Helper()
	s := &rowfile.Selection{File: a.Rows}
	for _, c := range a.Columns {
		codes := a.Codes[c]
		if codes == nil {
			codes = a.Rows.Columns[c].Codes
		}
		s.Add(c, codes, nil)
	}
	row := s.AddRow()
	places, values := make([]int, a.Rows.Rows), make([]float64, a.Rows.Rows*s.Width)
	for i := range places {
		places[i] = i
	}
	if err := s.Read(places, values); err != nil {
		t.Fatal(err)
	}
	out := make([]float64, a.Rows.Rows*row)
	for p := range places {
		record := values[p*s.Width:]
		if at := int(record[row]); a.Rows.Place(at) != p {
			t.Fatalf("row %d is at position %d, want %d", at, p, a.Rows.Place(at))
		} else {
			copy(out[at*row:], record[:row])
		}
	}
	return out
}

// cifarImages returns a file of CIFAR-10's binary version with one image of each given class.
func cifarImages(classes ...byte) string {
	var out strings.Builder
	for _, class := range classes {
		out.WriteByte(class)
		for k := range 3 * 32 * 32 {
			out.WriteByte(byte(k % 251))
		}
	}
	return out.String()
}

// Reading a file by rows gives the same arrays as reading it into memory, and the summaries of columns agree with the
// values.
func TestByRows(t *testing.T) {
	dir := t.TempDir()
	long := "y,name,ok\n" + strings.Repeat("1,a,true\n2.5,NA,false\n,b c,NA\n-3e2,7,1\n", 300)
	files := []string{
		written(t, dir, "long.csv", long), written(t, dir, "long.csv.gz", zipped(t, long)),
		written(t, dir, "bom.tsv", "\ufeff\"a\tb\"\tc\n1\t2\n3\t\n"), written(t, dir, "one.csv", "x\n1\n\"2\"\n3\n"),
		written(t, dir, "late.csv", "x\n"+strings.Repeat("1.50\n", 100)+"word\n1.5\n"),
		written(t, dir, "empty.csv", "x,y\n"),
		written(t, dir, "zeros.csv", "zip,t,n\n2139,00,1\n02139,0.5,2\n00501,01,3\n"),
		written(t, dir, "tiny.npy.gz",
			zipped(t, npy("{'descr': '>i2', 'fortran_order': False, 'shape': (5, 2, 3), }", 60))),
		"testdata/row_major.npy", "testdata/images-idx3-ubyte.gz", "testdata/float-idx1.gz", "testdata/mixed.parquet",
		"testdata/table.csv.gz", written(t, dir, "batch.bin", cifarImages(0, 9, 4)),
		written(t, dir, "batch.bin.gz", zipped(t, cifarImages(3))),
	}
	cache := RowCache{Dir: filepath.Join(dir, "rows")}
	for _, path := range files {
		whole, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := cache.ByRows(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if rows.Table != whole.Table || rows.Lone != whole.Lone || !slices.Equal(rows.Order, whole.Order) {
			t.Errorf("%s: %v, whole %v", path, rows, whole)
			continue
		}
		for name, want := range whole.Arrays {
			got := *rows.Arrays[name]
			got.Values = numbers.Of(readBack(t, &got)...)
			checkSummary(t, path, want, got.Rows.Columns[got.Columns[0]])
			got.Rows, got.Columns = nil, nil
			if d := cmp.Diff(*want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(content.Array{}, "Dialect")); d != "" {
				t.Errorf("%s (-whole +by rows)\n%s", path, d)
			}
		}
	}
}

// A data set has one row file, whether its path is relative, as in a command, or absolute, as for the workers of a run
// on the same machine. Another pattern that matches the same files may have other keys.
func TestOneRowFileForAllPaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.MkdirAll("k=1", 0o700); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		written(t, "k=1", fmt.Sprintf("part-%d.csv", i), "x\n1\n2\n")
	}
	cache := RowCache{Dir: filepath.Join(dir, "rows"), Bound: 1 << 20}
	converted := 0
	for _, c := range []struct {
		path      string
		converted int
	}{{"k=1/*.csv", 1}, {filepath.Join(dir, "k=1", "*.csv"), 1}, {"./k=1/../k=1/*.csv", 1}, {"k=*/*.csv", 2},
		{filepath.Join(dir, "k=*", "*.csv"), 2}} {
		cache.Converting = func(_ string, done float64) error {
			if done == 0 {
				converted++
			}
			return nil
		}
		if _, err := cache.ByRows(c.path); err != nil {
			t.Fatal(err)
		}
		rows, err := filepath.Glob(filepath.Join(cache.Dir, "*"+rowEnding))
		if err != nil || len(rows) != c.converted || converted != c.converted {
			t.Errorf("after %s: %d row files and %d conversions, want %d", c.path, len(rows), converted, c.converted)
		}
	}
}

// Dates in a file that is read by rows are the same days as in memory, if they are stored as texts and if they are too
// many for this.
func TestDatesByRows(t *testing.T) {
	dir := t.TempDir()
	const dates = "at,y\n2024-02-29,1\nNA,2\n1969-12-31 06:00,3\n2024-02-29,4\n2024-03-01T12:00:00,5\n"
	path := written(t, dir, "few.csv", dates)
	whole, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := whole.Arrays["at"].Dates()
	for _, r := range []stream.Retyping{{}, {Dates: true}} {
		name := filepath.Join(dir, "rows")
		cache := RowCache{Dir: dir}
		learned := &stream.Learned{Columns: map[int]stream.Retyping{0: r}}
		if err := cache.conversion(path, name, "few").Pass(learned); err != nil {
			t.Fatal(err)
		}
		rows, err := rowfile.Open(name, "few")
		if err != nil {
			t.Fatal(err)
		}
		got := *fileOf(rows).Arrays["at"]
		if (got.Labels == nil) != r.Dates {
			t.Errorf("the texts are %v", got.Labels)
		} else if !r.Dates {
			got = *got.Dates()
		}
		if got.Values = numbers.Of(readBack(t, &got)...); !got.Values.Equal(want.Values) || got.Int != want.Int {
			t.Errorf("the days are %v, whole %v", got.Values, want.Values)
		}
		checkSummary(t, path, want, got.Column(0))
	}
	long := written(t, dir, "mixed.csv", dates+"yesterday,7\n")
	learned := &stream.Learned{Columns: map[int]stream.Retyping{0: {Dates: true}}}
	if err := (RowCache{Dir: dir}).conversion(long, filepath.Join(dir, "rows"), "").Pass(learned); err != nil {
		t.Fatal(err)
	}
	rows, err := rowfile.Open(filepath.Join(dir, "rows"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := fileOf(rows).Arrays["at"].Unread; err == nil ||
		!strings.Contains(err.Error(), `column "at": "yesterday" is not a date, and there are more than 1048576`) {
		t.Errorf("a text among many dates: %v", err)
	}
}

func checkSummary(t *testing.T, path string, a *content.Array, c rowfile.Column) {
	t.Helper()
	if len(a.Labels) > 0 {
		return
	}
	want := rowfile.Column{Low: rowfile.Mark{At: -1}, High: rowfile.Mark{At: -1}, Broken: rowfile.Mark{At: -1}}
	for i, v := range a.Values.All() {
		want.Note(v, i)
	}
	if c.Low != want.Low || c.High != want.High || c.Broken != want.Broken || c.Missing != want.Missing {
		t.Errorf("%s, %s: %v %v %v %d, want %v", path, c.Name, c.Low, c.High, c.Broken, c.Missing, want)
	}
}

// Reading a file with an error by rows gives the same message as reading it into memory. Files that cannot be read by
// rows have messages that name the cause.
func TestByRowsRefusals(t *testing.T) {
	dir := t.TempDir()
	cache := RowCache{Dir: filepath.Join(dir, "rows")}
	for name, text := range map[string]string{
		"fields.csv": "a,b\n1,2\n3\n", "quote.csv": "a,b\n1,\"2\n",
		"blank.csv": "a\n1\n\n2\n", "nothing.csv": "",
		"u.npy":     npy("{'descr': '<U1', 'fortran_order': False, 'shape': (2,), }", 8),
		"bad-ubyte": "\x00\x00\x07\x01\x00\x00\x00\x01",
	} {
		path := written(t, dir, name, text)
		_, want := Read(path)
		if _, err := cache.ByRows(path); err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, whole %v", name, err, want)
		}
	}
	for name, test := range map[string][2]string{
		"d.json": {`{"x": [1]}`, "row by row, which is possible only for CSV"},
		"f.npy":  {npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", 32), "ascontiguousarray"},
		"s.npy": {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 16),
			"the file ends in row 3 of 3"},
		"l.npy": {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 16),
			"has more bytes after its 1 rows"},
		"none.gz": {"\x1f\x8b", "none.gz: "},
	} {
		if _, err := cache.ByRows(written(t, dir, name, test[0])); err == nil ||
			!strings.Contains(err.Error(), test[1]) {
			t.Errorf("%s: %v, want %s", name, err, test[1])
		}
	}
	if left, _ := filepath.Glob(filepath.Join(cache.Dir, "*")); len(left) > 0 {
		t.Errorf("refused files leave %v", left)
	}
}

// A row file is used until the data file changes. A damaged row file is created again. Row files that were not used
// recently are removed if the total size exceeds the bound.
func TestShelf(t *testing.T) {
	dir := t.TempDir()
	cache := RowCache{Dir: filepath.Join(dir, "rows"), Bound: 1 << 20}
	path := written(t, dir, "x.csv", "x\n1\n2\n")
	open := func() (string, []float64) {
		t.Helper()
		f, err := cache.ByRows(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Arrays["x"].Rows.Close()
		return rowFileIn(t, cache), readBack(t, f.Arrays["x"])
	}
	name, _ := open()
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(name)
	open()
	if after, err := os.Stat(name); err != nil || !os.SameFile(before, after) ||
		after.ModTime().Equal(before.ModTime()) {
		t.Errorf("a second reading does not use the row file that is there, or does not mark it as used: %v", err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for damage, text := range map[string][]byte{"cut": whole[:len(whole)-1], "empty": nil, "half": whole[:len(whole)/2],
		"longer": append([]byte{0}, whole...),
		"footer": append(append(slices.Clone(whole[:48]), whole[48]^1), whole[49:]...)} {
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, got := open(); !slices.Equal(got, []float64{1, 2}) {
			t.Errorf("%s: %v", damage, got)
		}
		if again, err := os.ReadFile(name); err != nil || !bytes.Equal(again, whole) {
			t.Errorf("%s: not created again: %v", damage, err)
		}
	}
	if err := os.WriteFile(path, []byte("x\n3\n4\n5\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cache.Bound = 1
	second, got := open()
	if !slices.Equal(got, []float64{3, 4, 5}) || second == name {
		t.Errorf("changed data: %v", got)
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the old row file is not removed although the bound is exceeded")
	}
}

// Large depends on the memory limit, the format and compression.
func TestLarge(t *testing.T) {
	dir, text := t.TempDir(), strings.Repeat("x", 100)
	array := func(kind string, n int) string {
		return npy("{'descr': '"+kind+"', 'fortran_order': False, 'shape': (1,), }", n)
	}
	for path, cost := range map[string]int{
		written(t, dir, "x.csv", text): 12, written(t, dir, "x.csv.gz", zipped(t, text)): 48, written(t, dir, "x.npy",
			array("<f8", 8)): 8,
		written(t, dir, "y.npy", array("<f4", 4)): 13, written(t, dir, "z.npy", array("|u1", 1)): 46,
		written(t, dir, "z.npy.gz", zipped(t, array("|u1", 1))): 184,
	} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		for less, want := range []bool{false, true} {
			memory := info.Size()*int64(cost) - int64(less)
			if size, large := (RowCache{Memory: memory}).Large(path); large != want || large && size != info.Size() {
				t.Errorf("%s with %d bytes of memory: %v", path, memory, large)
			}
		}
	}
	bomb := written(t, dir, "bomb.csv.gz", expanded(t, "x\n", "0\n", 8<<20))
	if _, large := (RowCache{Memory: 1 << 20}).Large(bomb); large {
		t.Error("a file that expands a thousandfold is large, so its rows would be written to disk")
	}
	if s := DefaultRowCache(); s.Memory < 1<<20 {
		t.Errorf("this machine has %d bytes", s.Memory)
	}
}

// A directory that other users can change is not used for row files. The message explains how to set another.
func TestRowsInAnOpenDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("owners of directories are not checked on Windows")
	}
	dir := t.TempDir()
	path := written(t, dir, "big.csv", "x\n"+strings.Repeat("1\n", 1000))
	shared := filepath.Join(dir, "shared")
	if err := os.Mkdir(shared, 0o700); err != nil {
		t.Fatal(err)
	}
	cache := RowCache{Memory: 1, Dir: filepath.Join(shared, "ppl", "rows"), Bound: 1 << 30}
	if _, err := cache.ByRows(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	_, err := cache.ByRows(path)
	if err == nil || !strings.Contains(err.Error(), "shared can be changed by other users; XDG_CACHE_HOME=DIR") {
		t.Errorf("%v", err)
	}
}
