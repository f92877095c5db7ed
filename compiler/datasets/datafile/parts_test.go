package datafile

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/datafile/content"
	"ppl/compiler/datasets/datafile/rowfile"
)

// A cutTable is a table of texts that tests write as one file and as several files.
type cutTable struct {
	names []string
	rows  [][]string
}

// randomTable returns a table with columns of random kinds. Some kinds can be recognised only from some of the rows.
func randomTable(r *rand.Rand) cutTable {
	var t cutTable
	kinds := []func() string{
		func() string { return strconv.Itoa(r.IntN(9) - 2) },
		func() string { return strconv.FormatFloat(r.NormFloat64(), 'g', 4, 64) },
		func() string { return pick(r, "1", "2", "2.5", "NA", "") },
		func() string { return pick(r, "a", "b", "ä", "B", "c d", "e,f", "NA", `g"h`) },
		func() string { return pick(r, "1", "2", "3", "4", "5", "6", "7", "x") },
		func() string { return pick(r, "007", "7", "12", "0120") },
		func() string { return pick(r, "3e5", "4e1", "12", "300000") },
		func() string { return pick(r, "1,234.5", "12", "1,000.25") },
		func() string { return pick(r, "2024-02-29", "1999-12-31", "") },
		func() string { return pick(r, "true", "false", "TRUE") },
		func() string { return pick(r, "123456789012345678", "5") },
		func() string { return "" },
	}
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	columns := 2 + r.IntN(5)
	for i := range columns {
		t.names = append(t.names, fmt.Sprintf("c%d", i))
	}
	for range r.IntN(40) {
		var row []string
		for _, kind := range kinds[:columns] {
			row = append(row, kind())
		}
		t.rows = append(t.rows, row)
	}
	return t
}

func pick(r *rand.Rand, of ...string) string { return of[r.IntN(len(of))] }

// cuts divides the rows into at most ten tables, some of which may be empty.
func (t cutTable) cuts(r *rand.Rand) (parts []cutTable) {
	at := []int{0, len(t.rows)}
	for range r.IntN(9) {
		at = append(at, r.IntN(len(t.rows)+1))
	}
	slices.Sort(at)
	for i := range at[1:] {
		parts = append(parts, cutTable{t.names, t.rows[at[i]:at[i+1]]})
	}
	return parts
}

// columns returns the table with its columns in another order.
func (t cutTable) columns(order []int) (out cutTable) {
	for _, k := range order {
		out.names = append(out.names, t.names[k])
	}
	for _, row := range t.rows {
		var of []string
		for _, k := range order {
			of = append(of, row[k])
		}
		out.rows = append(out.rows, of)
	}
	return out
}

func (t cutTable) csv(tb testing.TB, comma rune) string {
	tb.Helper()
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = comma
	if err := errors.Join(w.Write(t.names), w.WriteAll(t.rows)); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}

// asOne returns options that compare files, ignoring their paths, notes and dialects.
func asOne() cmp.Options {
	return cmp.Options{cmpopts.IgnoreFields(content.Array{}, "Origin", "Dialect"),
		cmpopts.IgnoreFields(content.File{}, "Path", "Notes"),
		cmpopts.IgnoreUnexported(content.File{}), cmpopts.EquateNaNs(), cmpopts.EquateEmpty()}
}

// writePart writes some rows of a table as CSV or TSV, with a random separator and compression, and with columns in the
// given order.
func writePart(t *testing.T, r *rand.Rand, dir, name string, part cutTable, order []int) {
	t.Helper()
	comma, ending := ',', ".csv"
	switch r.IntN(3) {
	case 0:
		comma = ';'
	case 1:
		comma, ending = '\t', ".tsv"
	}
	text := part.columns(order).csv(t, comma)
	if r.IntN(4) == 0 {
		text, ending = zipped(t, text), ending+".gz"
	}
	written(t, dir, name+ending, text)
}

// Reading a table that is divided at random into text files gives the same columns, including codes, kinds and
// spellings, as reading one file, in memory and by rows.
func TestPartsOfTexts(t *testing.T) {
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 60))
		table, dir := randomTable(r), t.TempDir()
		one := written(t, t.TempDir(), "one.csv", table.csv(t, ','))
		for i, part := range table.cuts(r) {
			order := r.Perm(len(table.names))
			if i == 0 {
				slices.Sort(order)
			}
			writePart(t, r, dir, fmt.Sprintf("part-%d", i), part, order)
		}
		for _, path := range []string{dir, dir + "/*sv*", dir + "/part-?.*"} {
			want, err := Read(one)
			got, failed := Read(path)
			if (err == nil) != (failed == nil) {
				t.Fatalf("seed %d: %v, and %v", seed, err, failed)
			}
			if err != nil {
				continue
			}
			if d := cmp.Diff(want, got, asOne()); d != "" {
				t.Fatalf("seed %d: %s\n%s", seed, d, table.csv(t, ','))
			}
		}
		sameByRows(t, seed, one, dir)
	}
}

// sameByRows compares the data of two paths that are read by rows.
func sameByRows(t *testing.T, seed uint64, one, parts string) {
	t.Helper()
	cache := RowCache{Dir: filepath.Join(t.TempDir(), "rows"), Bound: 1 << 30}
	want, err := cache.ByRows(one)
	got, failed := cache.ByRows(parts)
	if (err == nil) != (failed == nil) {
		t.Fatalf("seed %d: by rows: %v, and %v", seed, err, failed)
	}
	if err != nil {
		return
	}
	ignored := cmp.Options{asOne(), cmpopts.IgnoreFields(content.Array{}, "Rows"),
		cmpopts.IgnoreUnexported(rowfile.Column{})}
	if d := cmp.Diff(want, got, ignored); d != "" {
		t.Fatalf("seed %d: by rows: %s", seed, d)
	}
	for _, name := range want.Order {
		a, b := want.Arrays[name], got.Arrays[name]
		if a.Unread != nil {
			continue
		}
		if d := cmp.Diff(readBack(t, a), readBack(t, b), ignored); d != "" {
			t.Fatalf("seed %d: by rows, %s: %s", seed, name, d)
		}
		if d := cmp.Diff(a.Rows.Columns[a.Columns[0]], b.Rows.Columns[b.Columns[0]], ignored); d != "" {
			t.Fatalf("seed %d: by rows, what is known of %s: %s", seed, name, d)
		}
	}
}

// The comparison with asOne detects exchanged rows, a changed label and a changed number.
func TestPlantedPart(t *testing.T) {
	dir := t.TempDir()
	want, err := Read(written(t, dir, "one.csv", "g,x\nb,1\na,2\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, parts := range map[string][2]string{"order": {"g,x\na,2\n", "g,x\nb,1\n"},
		"label": {"g,x\nb,1\n", "g,x\nc,2\n"}, "number": {"g,x\nb,1\n", "g,x\na,3\n"}} {
		in := t.TempDir()
		written(t, in, "1.csv", parts[0])
		written(t, in, "2.csv", parts[1])
		got, err := Read(in)
		if err != nil {
			t.Fatal(err)
		}
		if cmp.Diff(want, got, asOne()) == "" {
			t.Errorf("the comparison does not detect a changed %s", name)
		}
	}
}

// parquetOf returns a table as a Parquet file with columns of the given kinds and row groups of perGroup rows.
func parquetOf(t *testing.T, table cutTable, kinds []string, perGroup int) string {
	t.Helper()
	group := parquet.Group{}
	for i, name := range table.names {
		node := map[string]parquet.Node{"int": parquet.Int(64), "real": parquet.Leaf(parquet.DoubleType),
			"text": parquet.String()}[kinds[i]]
		group[name] = parquet.Optional(node)
	}
	schema := parquet.NewSchema("table", group)
	var b bytes.Buffer
	w := parquet.NewWriter(&b, schema, parquet.MaxRowsPerRowGroup(int64(perGroup)))
	for _, fields := range table.rows {
		row := map[string]any{}
		for i, text := range fields {
			switch v, err := strconv.ParseFloat(text, 64); {
			case text == "":
			case kinds[i] == "int" && err == nil:
				row[table.names[i]] = int64(v)
			case kinds[i] == "real":
				row[table.names[i]] = v
			default:
				row[table.names[i]] = text
			}
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Reading a table that is divided at random into Parquet files, in which a column has different types of numbers, gives
// the same columns as reading one file.
func TestPartsOfParquet(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 61))
		table, dir := cutTable{names: []string{"n", "x", "g", "m"}}, t.TempDir()
		for range 1 + r.IntN(60) {
			table.rows = append(table.rows, []string{strconv.Itoa(r.IntN(7)), pick(r, "1.5", "", "-2", "8"),
				pick(r, "", "a", "b", "ab", "é"), pick(r, "3", "4")})
		}
		one := written(t, t.TempDir(), "one.parquet", parquetOf(t, table, []string{"int", "real", "text", "real"}, 7))
		broken := false // whether column m has the type real in some file with rows
		for i, part := range table.cuts(r) {
			kinds := []string{"int", "real", "text", pick(r, "int", "real")}
			if len(part.rows) > 0 && !broken {
				kinds[3], broken = "real", true
			}
			written(t, dir, fmt.Sprintf("%d.parquet", i), parquetOf(t, part, kinds, 1+r.IntN(9)))
		}
		want, err := Read(one)
		got, failed := Read(dir)
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got, asOne()); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		sameByRows(t, seed, one, dir+"/*.parquet")
	}
}

// Reading Arrow files with different dictionaries, which PyArrow wrote from the rows of one file, gives the same
// columns as reading this file.
func TestPartsOfArrow(t *testing.T) {
	want, err := Read("testdata/joined.arrow")
	got, failed := Read("testdata/parts")
	if err := errors.Join(err, failed); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got, asOne()); d != "" {
		t.Error(d)
	}
	if g := got.Arrays["g"]; !slices.Equal(g.Levels, []string{"b", "a", "é"}) {
		t.Errorf("levels %v", g.Levels)
	}
}

// Keys of folders are the columns that a table of text with these values would have, in memory and by rows.
func TestKeysOfFolders(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 62))
		dir := t.TempDir()
		values := [][]string{{"2023", "2024", "2025"}, {"01", "02", "12"}, {missingKey, "a b", "c"}, {"-2", "1.5"},
			{"2024-01-01", "2024-01-02"}}[r.IntN(5)]
		one := cutTable{names: []string{"x", "z", "key"}}
		for _, value := range values { // in the order of the paths
			for k := range r.IntN(3) {
				part := cutTable{names: []string{"x", "z"}}
				for range r.IntN(4) {
					row := []string{strconv.Itoa(r.IntN(100)), pick(r, "u", "v")}
					part.rows = append(part.rows, row)
					key := value
					if value == missingKey {
						key = "NA"
					}
					one.rows = append(one.rows, append(slices.Clone(row), key))
				}
				folder := filepath.Join(dir, "key="+strings.ReplaceAll(value, " ", "%20"))
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
				written(t, folder, fmt.Sprintf("%d.csv", k), part.csv(t, ','))
			}
		}
		if len(one.rows) == 0 {
			continue
		}
		path := written(t, t.TempDir(), "one.csv", one.csv(t, ','))
		want, err := Read(path)
		got, failed := Read(dir)
		if err := errors.Join(err, failed); err != nil {
			t.Fatal(err)
		}
		// Zeros also has the spellings of keys of folders without rows.
		spelled := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Zeros" }, cmp.Ignore())
		if d := cmp.Diff(want, got, asOne(), spelled); d != "" {
			t.Fatalf("seed %d: %s", seed, d)
		}
		cache := RowCache{Dir: filepath.Join(t.TempDir(), "rows"), Bound: 1 << 30}
		byRows, err := cache.ByRows(dir + "/*/*.csv")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range want.Order {
			if d := cmp.Diff(want.Arrays[name].Values.Doubles(), readBack(t, byRows.Arrays[name]),
				cmpopts.EquateNaNs()); d != "" {
				t.Fatalf("seed %d: by rows, %s: %s", seed, name, d)
			}
			if d := cmp.Diff(want.Arrays[name].Labels, byRows.Arrays[name].Labels); d != "" {
				t.Fatalf("seed %d: by rows, labels of %s: %s", seed, name, d)
			}
		}
	}
}

const missingKey = "__HIVE_DEFAULT_PARTITION__"

// A column that is not in all files, or has different kinds of values, has an error that names a file. Other columns
// are read.
func TestPartsThatDiffer(t *testing.T) {
	real, text := []string{"real", "real"}, []string{"real", "text"}
	ab := cutTable{[]string{"a", "b"}, [][]string{{"1", "2"}}}
	for _, c := range []struct {
		files map[string]string
		a, b  string // parts of the errors of columns a and b; empty if they are read
	}{
		{map[string]string{"1.csv": "a,b\n1,2\n", "2.csv": "b\n2\n"}, `2.csv has no column "a", which `, ""},
		{map[string]string{"1.csv": "b\n2\n", "2.csv": "a,b\n1,2\n"}, `1.csv has no column "a", which `, ""},
		{map[string]string{"1.csv": "a,b\n1,2\n", "2.csv": "b,a\nx,2\n"}, "", ""}, // b has texts, as in one file
		{map[string]string{"1.parquet": parquetOf(t, ab, real, 9), "2.parquet": parquetOf(t, ab, text, 9)}, "",
			`column "b" has numbers in `},
		{map[string]string{"1.parquet": parquetOf(t, ab, real, 9), "2.csv": "a,b\n1,x\n"}, "",
			`column "b" has numbers in `},
		{map[string]string{"1.parquet": parquetOf(t, ab, real, 9), "2.csv": "a,b\n1,\n"}, "", ""},
		{map[string]string{"k=1/1.csv": "a,b\n1,2\n", "2.csv": "b,a,k\n3,2,5\n"}, "", ""},
	} {
		dir := t.TempDir()
		for name, text := range c.files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			written(t, dir, name, text)
		}
		f, err := Read(dir)
		if err != nil {
			t.Errorf("%v: %v", c.files, err)
			continue
		}
		for name, want := range map[string]string{"a": c.a, "b": c.b} {
			why := f.Arrays[name].Unread
			if (why == nil) != (want == "") || why != nil && !strings.Contains(why.Error(), want) {
				t.Errorf("%s of %q: %v, want %q", name, c.files, why, want)
			}
		}
	}
}

// Patterns without files, invalid patterns, and files that cannot be joined have errors that name the cause.
func TestNoParts(t *testing.T) {
	dir := t.TempDir()
	written(t, dir, "a.npy", "")
	written(t, dir, "b.csv", "")
	written(t, dir, "c.csv", "x\n1\n")
	written(t, dir, "d.csv", "x,y\n1\n")
	written(t, dir, "e.csv", ",x\nu,1\n")
	written(t, dir, "f.json", `{"x": [1]}`)
	for _, c := range []struct{ pattern, want string }{
		{"*.parquet", "no file matches "}, {"no/*.csv", "no file matches "}, {"[", "is invalid"},
		{"[bc].csv", "b.csv: the file is empty"}, {"[cd].csv", "d.csv:2: row 1 has 1 fields, the header has 2"},
		{"[ce].csv", "e.csv differ: one of them has names of rows"}, {"[cf].*", "f.json is not a table"},
	} {
		_, err := Read(dir + "/" + c.pattern)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.pattern, err, c.want)
		}
		if missing := errors.Is(err, fs.ErrNotExist); missing != (strings.HasPrefix(c.want, "no file")) {
			t.Errorf("%s: does not exist: %v", c.pattern, missing)
		}
	}
}

// A data set of a thousand files can be read, in memory and by rows.
func TestManyParts(t *testing.T) {
	dir := t.TempDir()
	for i := range 1000 {
		table := cutTable{[]string{"n", "g"}, [][]string{{strconv.Itoa(i), strconv.Itoa(i % 7)}}}
		written(t, dir, fmt.Sprintf("p%d.parquet", i), parquetOf(t, table, []string{"int", "text"}, 9))
	}
	f, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range f.Arrays["n"].Values.All() {
		if v != float64(i) {
			t.Fatalf("row %d has %g", i, v)
		}
	}
	if g := f.Arrays["g"]; g.Values.Len() != 1000 || len(g.Labels) != 7 || g.Values.At(10) != 4 {
		t.Errorf("labels %v, %v", g.Labels, g.Values)
	}
	cache := RowCache{Dir: filepath.Join(t.TempDir(), "rows"), Bound: 1 << 30}
	if f, err = cache.ByRows(dir); err != nil {
		t.Fatal(err)
	}
	if got := readBack(t, f.Arrays["n"]); len(got) != 1000 || got[999] != 999 {
		t.Errorf("by rows: %v", got)
	}
}

// Opening a Parquet file and finding one column does not read the pages of other columns.
func TestWantedColumns(t *testing.T) {
	table := cutTable{names: []string{"a", "b"}}
	for i := range 5000 {
		table.rows = append(table.rows, []string{strconv.Itoa(i), strconv.Itoa(i * 7919)})
	}
	text := []byte(parquetOf(t, table, []string{"int", "int"}, 5000))
	dir := t.TempDir()
	path := written(t, dir, "x.parquet", string(text))
	f, err := DefaultRowCache().Open(path)
	if err != nil {
		t.Fatal(err)
	}
	in, err := parquet.OpenFile(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	m := in.Metadata().RowGroups[0].Columns[in.Root().Column("b").Index()].MetaData
	for i := m.DataPageOffset; i < m.DataPageOffset+m.TotalCompressedSize; i++ {
		text[i] = 0xff
	}
	written(t, dir, "x.parquet", string(text))
	if a := f.Find("a"); a.Unread != nil || a.Values.Len() != 5000 || a.Values.At(4999) != 4999 {
		t.Errorf("a: %v, %d", a.Unread, a.Values.Len())
	}
	if b := f.Find("b"); b.Unread == nil || b.Refused() {
		t.Errorf("damage of b: %v", b.Unread)
	}
	if _, err := Read(path); err == nil {
		t.Error("a damaged column is read")
	}
}
