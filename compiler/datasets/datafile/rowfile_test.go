package datafile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/numbers"
	"ppl/runtime/sys/files"
)

// written writes a file for a test.
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
func readBack(t *testing.T, a *Array) []float64 {
	t.Helper()
	s := &Selection{File: a.Rows}
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
			t.Fatalf("row %d stands at %d and not at %d", at, p, a.Rows.Place(at))
		} else {
			copy(out[at*row:], record[:row])
		}
	}
	return out
}

// By rows a file has the arrays that it has when read whole, and the summaries of a column are those of its values.
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
				cmpopts.IgnoreUnexported(Array{})); d != "" {
				t.Errorf("%s (-whole +by rows)\n%s", path, d)
			}
		}
	}
}

// Dates in a file that is read by rows are the days that they are when it is read whole, whether they are few enough to
// be names, or too many.
func TestDatesByRows(t *testing.T) {
	dir := t.TempDir()
	const dates = "at,y\n2024-02-29,1\nNA,2\n1969-12-31 06:00,3\n2024-02-29,4\n2024-03-01T12:00:00,5\n"
	path := written(t, dir, "few.csv", dates)
	whole, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	want := whole.Arrays["at"].Dates()
	for _, r := range []retyping{{}, {dates: true}} {
		name := filepath.Join(dir, "rows")
		w := rowWriter{RowCache{}, files.Disk{}, name, "few"}
		if err := w.convertOnce(path, &learned{columns: map[int]retyping{0: r}}); err != nil {
			t.Fatal(err)
		}
		rows, err := openRowFile(name, "few")
		if err != nil {
			t.Fatal(err)
		}
		got := *rows.asFile().Arrays["at"]
		if (got.Labels == nil) != r.dates {
			t.Errorf("the texts are %v", got.Labels)
		} else if !r.dates {
			got = *got.Dates()
		}
		if got.Values = numbers.Of(readBack(t, &got)...); !got.Values.Equal(want.Values) || got.Int != want.Int {
			t.Errorf("the days are %v, whole %v", got.Values, want.Values)
		}
		checkSummary(t, path, want, got.Column(0))
	}
	long := written(t, dir, "mixed.csv", dates+"yesterday,7\n")
	w := rowWriter{RowCache{}, files.Disk{}, filepath.Join(dir, "rows"), ""}
	if err := w.convertOnce(long, &learned{columns: map[int]retyping{0: {dates: true}}}); err != nil {
		t.Fatal(err)
	}
	rows, err := openRowFile(filepath.Join(dir, "rows"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := rows.asFile().Arrays["at"].Unread; err == nil ||
		!strings.Contains(err.Error(), `column "at": "yesterday" is not a date, and there are more than 1048576`) {
		t.Errorf("a text among many dates: %v", err)
	}
}

// A column of more texts than are kept becomes dates if its first is one, and is refused otherwise.
func TestManyTexts(t *testing.T) {
	for first, dates := range map[string]bool{"2024-02-29": true, "Oslo": false} {
		w := wordColumn{}
		for i := range mostLabels {
			text := first
			if i > 0 {
				text = fmt.Sprint(i)
			}
			if n, err := w.number(text, 3, i); err != nil || n.value != float64(i+1) {
				t.Fatal(n, err)
			}
		}
		_, err := w.number("2024-03-01", 3, mostLabels)
		again := retyping{}
		if errors.As(err, &again) != dates || dates && (again.column != 3 || !again.dates) ||
			!dates && err != errManyTexts {
			t.Errorf("after many texts like %s: %v", first, err)
		}
	}
}

func checkSummary(t *testing.T, path string, a *Array, c Column) {
	t.Helper()
	if len(a.Labels) > 0 {
		return
	}
	want := Column{Low: Mark{At: -1}, High: Mark{At: -1}, Broken: Mark{At: -1}}
	for i, v := range a.Values.All() {
		want.note(v, i)
	}
	if c.Low != want.Low || c.High != want.High || c.Broken != want.Broken || c.Missing != want.Missing {
		t.Errorf("%s, %s: %v %v %v %d, want %v", path, c.Name, c.Low, c.High, c.Broken, c.Missing, want)
	}
}

// What is wrong with a file is said in the words with which it is refused whole.
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
		"d.json": {`{"x": [1]}`, "row by row, which CSV"},
		"f.npy":  {npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", 32), "ascontiguousarray"},
		"s.npy": {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 16),
			"the file ends in row 3 of 3"},
		"l.npy":   {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", 16), "goes on after its 1 rows"},
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

// A row file serves until the data change; one that is damaged is made anew; those not used for long go when there is
// no room.
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
		return f.Arrays["x"].Rows.file.Name(), readBack(t, f.Arrays["x"])
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
			t.Errorf("%s: not made anew: %v", damage, err)
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
		t.Error("the row file of what was there before stays where there is no room")
	}
}

// What counts as large depends on memory and compression.
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
		t.Error("rows of a file that expands a thousandfold would be written to disk")
	}
	if s := DefaultRowCache(); s.Memory < 1<<20 {
		t.Errorf("this machine has %d bytes", s.Memory)
	}
}

// Rows are in random order: of 100,000 numbers in order, means of 256 that follow one another have the variance of so
// many drawn without replacement; that of the data's own order is far off.
func TestMixing(t *testing.T) {
	const n, size = 100_000, 256
	for _, rows := range []int{1, 2, 3, 5, 64, 1000, n} {
		m, seen := newMixing(rows), make([]bool, rows)
		for i := range rows {
			if p := m.position(i); p < 0 || p >= rows || seen[p] {
				t.Fatalf("%d rows: row %d at %d", rows, i, p)
			} else {
				seen[p] = true
			}
		}
	}
	mixed, plain := make([]float64, n), make([]float64, n)
	m := newMixing(n)
	for i := range n {
		v := (float64(i) + 0.5) / n
		mixed[m.position(i)], plain[i] = v, v
	}
	want := 1.0 / 12 / size * (1 - float64(size)/n)
	ratio := func(xs []float64) float64 {
		sum, windows := 0.0, n/size
		for w := range windows {
			mean := 0.0
			for _, v := range xs[w*size : (w+1)*size] {
				mean += v / size
			}
			sum += (mean - 0.5) * (mean - 0.5) / float64(windows)
		}
		return sum / want
	}
	bound := 5 * math.Sqrt(2*size/float64(n)) // standard error of a variance from n/size normal means
	if r := ratio(mixed); math.Abs(r-1) > bound {
		t.Errorf("variance of means is %.3f of that of rows at random, want 1 ± %.3f", r, bound)
	}
	if r := ratio(plain); math.Abs(r-1) < bound {
		t.Errorf("the data's own order passes: %.3f", r)
	}
}

// Buckets: files of many pieces come out as those of one.
func TestMixRows(t *testing.T) {
	const rows, stride, seed = 5000, 16 + sumSize, 7
	in := make([]byte, 0, rows*stride)
	r := rand.New(rand.NewPCG(1, 1))
	want := make([]byte, rows*stride)
	for i := range rows {
		record := append(appendElement(appendElement(nil, "f8", r.Float64()), "f8", float64(i)), 0, 0, 0, 0)
		in = append(in, record...)
		place := newMixing(rows).position(i)
		putSum(record, place, seed)
		copy(want[place*stride:], record)
	}
	for _, size := range []int64{bucketSize, 4000, 100_000} {
		out, err := os.Create(filepath.Join(t.TempDir(), fmt.Sprint(size)))
		if err != nil {
			t.Fatal(err)
		}
		if err := mixRows(bytes.NewReader(in), out, rows, stride, seed, size); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(out.Name()); err != nil || !bytes.Equal(got, want) {
			t.Errorf("buckets of %d bytes: records are not at their places: %v", size, err)
		}
	}
}

// Rows that another user could have written are not read: the directory is refused, with how to name another.
func TestRowsInAnOpenDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("owners are not looked at")
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
