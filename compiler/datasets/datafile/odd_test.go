package datafile

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

// oddTables returns tables with columns that cannot be read, with unusual separators or marks, or in other encodings.
func oddTables() map[string]string {
	return map[string]string{
		"twice.csv":     "a,y,a,b,a\n1,2,3,4,5\nx,3,4,5,6\n",
		"nameless.csv":  "y,,b,\n1,,2,\n3,,4,\n",
		"filled.csv":    "y,,b\n1,7,2\n3,x,4\n",
		"index.csv":     ",y,b\n0,1,2\n1,3,4\n",
		"huge.csv":      "y,a\n1,1\n2,1e999\n3,word\n4,2\n",
		"marks.csv":     "y;a;b\n1.5;870;1.5\n2.5;1.200;1,5\n3.5;900;2\n",
		"late.csv":      "y;a\n" + strings.Repeat("1;870\n", 20000) + "1,5;1.200\n",
		"thousands.csv": "y,a\n1,\"1,200\"\n2,870\n", "commas.csv": "y,a\n1,\"1,200\"\n2,\"1,300\"\n",
		"quoted.csv":      "y,a\n1,\"1,5\"\n2,3\n",
		"either.csv":      "y;a\n1;870\n2;1.200\n",
		"separator.csv":   "sep=;\ny;b\n1,5;2\n2,5;3\n",
		"short.csv":       "y,b\nr1,1,2\nr2,3,4\n",
		"returns.csv":     "y,b\r1,x\r2,y\r",
		"spreadsheet.csv": "\r\ny,b\r\n1,x\r\n2,y\r\n",
		"wide.csv":        "\xff\xfe" + wide("y;b\n1,5;Møre\n2,5;Zürich\n", 0),
		"wide.tsv":        "\xfe\xff" + wide("y\tb\r\n1.5\tMøre\r\n", 1),
		"windows.csv":     "y,b\n1,M\xf8re\n2,Z\xfcrich\n3,\x80\n",
		"quotes.csv":      "y,\"b, c\"\n1,\"x\n,\"\"y\"\"\"\n",
	}
}

// wide returns a text in UTF-16 without a byte-order mark; low is the position of the low byte, 0 or 1.
func wide(text string, low int) string {
	var b strings.Builder
	for _, r := range text {
		pair := [2]byte{}
		pair[low], pair[1-low] = byte(r), byte(r>>8)
		b.Write(pair[:])
	}
	return b.String()
}

// Reading a file by rows and reading it into memory give the same columns, notes and errors of columns.
func TestOddColumnsByRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	paths := []string{"testdata/odd.parquet", "testdata/lists.parquet", "testdata/ordered.parquet",
		"testdata/ordered_groups.parquet", "testdata/ordered_pandas.parquet"}
	for name, text := range oddTables() {
		paths = append(paths, written(t, dir, name, text))
	}
	slices.Sort(paths)
	cache, unread := RowCache{Dir: filepath.Join(dir, "rows")}, 0
	for _, path := range paths {
		whole, err := Read(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		rows, err := cache.ByRows(path)
		if err != nil {
			t.Errorf("%s by rows: %v", path, err)
			continue
		}
		if !slices.Equal(rows.Order, whole.Order) || !slices.Equal(rows.Notes, whole.Notes) {
			t.Errorf("%s: %q %q, whole %q %q", path, rows.Order, rows.Notes, whole.Order, whole.Notes)
			continue
		}
		for name, want := range whole.Arrays {
			got := *rows.Arrays[name]
			if want.Unread != nil || got.Unread != nil {
				if unread++; want.Unread == nil || got.Unread == nil || got.Unread.Error() != want.Unread.Error() {
					t.Errorf("%s: %q is not read since %v, whole %v", path, name, got.Unread, want.Unread)
				}
				continue
			}
			got.Values = numbers.Of(readBack(t, &got)...)
			got.Rows, got.Columns = nil, nil
			if d := cmp.Diff(*want, got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(content.Array{}, "Dialect")); d != "" {
				t.Errorf("%s (-whole +by rows)\n%s", path, d)
			}
		}
	}
	if unread < 12 {
		t.Errorf("%d columns are not read", unread)
	}
}

// Reading a file with an error by rows and reading it into memory give the same message.
func TestOddTablesRefusedByRows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"title.csv":   "Sales of 2024,,\nstore,price,sales\na,1,2\n",
		"comment.csv": "# exported\na,b\n1,2\n", "nul.csv": "a,b\n1,2\n3,\x004\n", "empty.csv": "",
		"names.csv": "a,b\n1,5,2\n1,6,3\n", "bytes.csv": "\xff\xfe" + wide("a,b\n1,2\n\x00,3\n", 0),
	} {
		path := written(t, dir, name, text)
		_, want := Read(path)
		_, err := RowCache{Dir: filepath.Join(dir, "rows")}.ByRows(path)
		if err == nil || want == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v, whole %v", name, err, want)
		}
	}
}

// In Arrow files, columns with a repeated name, an unsupported type or a changing dictionary have errors, and the other
// columns are read.
func TestOddColumnsOfArrow(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct {
		y      []float64
		unread map[string]string
	}{
		"testdata/odd.arrow": {[]float64{1.5, nan, -2}, map[string]string{"list": "lists", "record": "records",
			"words": "lists", "price": "fixed-point decimals", "clock": "times of day", "half": "half-precision",
			"hash": "too large for a float64", "id": "too large for a float64", "tags": "lists",
			"y2": `columns 12 and 13 are both named "y2"`}},
		"testdata/changing.arrows": {[]float64{1, 2, 1, 2}, map[string]string{"g": "changes its dictionary"}},
	} {
		f, err := Read(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if y := f.Find("y"); y == nil || !same(y.Values.Doubles(), c.y) {
			t.Errorf("%s: y is %v", path, y)
		}
		for name, says := range c.unread {
			if a := f.Find(name); a == nil || a.Unread == nil || !strings.Contains(a.Unread.Error(), says) {
				t.Errorf("%s: %s is %v, want one that is not read: %s", path, name, a, says)
			}
		}
		if !slices.Equal(f.Order, slices.Compact(slices.Clone(f.Order))) {
			t.Errorf("%s: %q", path, f.Order)
		}
	}
}

// Categories that pandas wrote have their order in all formats.
func TestCategories(t *testing.T) {
	t.Parallel()
	answers, sizes := []string{"never", "rarely", "often"}, []string{"small", "medium", "large"}
	for _, name := range []string{"ordered.parquet", "ordered_groups.parquet", "ordered_pandas.parquet",
		"ordered.feather", "ordered.arrows"} {
		f, err := Read("testdata/" + name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a, s := f.Find("answer"), f.Find("size")
		if !a.Ordered || !slices.Equal(a.Labels, answers) || !same(a.Values.Doubles(), []float64{3, 1, nan, 3}) {
			t.Errorf("%s: answer is %v %v %v", name, a.Ordered, a.Labels, a.Values)
		}
		if s.Ordered || !slices.Equal(s.Levels, sizes) || !slices.Equal(s.Labels, []string{"large", "small"}) ||
			!same(s.Values.Doubles(), []float64{2, 1, 1, 2}) {
			t.Errorf("%s: size is %v %v %v %v", name, s.Ordered, s.Levels, s.Labels, s.Values)
		}
	}
}
