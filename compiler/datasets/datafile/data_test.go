package datafile

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppl/compiler/datasets/datafile/content"
	"ppl/numbers"
)

var nan, inf = math.NaN(), math.Inf(1)

func TestRead(t *testing.T) {
	tests := []struct {
		name, path, text string
		want             []content.Array
	}{
		{"scalars", "d.json", `{"N": 3, "x": -1.5e2, "t": true, "i": 1e+05}`, []content.Array{
			{Name: "N", Values: numbers.Of(3), Int: true},
			{Name: "x", Values: numbers.Of(-150)},
			{Name: "t", Values: numbers.Of(1), Int: true},
			{Name: "i", Values: numbers.Of(1e5), Int: true},
		}},
		{"nested", "d.json", "\ufeff{\n\"m\": [[1, 2, 3], [4, 5, 6]], \"e\": [[], []], \"none\": []}\n",
			[]content.Array{
				{Name: "m", Shape: []int{2, 3}, Values: numbers.Of(1, 2, 3, 4, 5, 6), Int: true},
				{Name: "e", Shape: []int{2, 0}, Int: true},
				{Name: "none", Shape: []int{0}, Int: true},
			}},
		{"missing and infinite", "d.json",
			`{"x": [1, null, "NaN", "NA", NaN, NA], "y": ["inf", "-inf", Infinity, -Infinity]}`, []content.Array{
				{Name: "x", Shape: []int{6}, Values: numbers.Of(1, nan, nan, nan, nan, nan), Int: true},
				{Name: "y", Shape: []int{4}, Values: numbers.Of(inf, -inf, inf, -inf)},
			}},
		{"objects", "d.json", `{"x": {"b": 1, "a": 2.5}, "m": {"r": {"b": 1, "a": 2}, "s": {"a": 3}}, "o": {"a": [1, 2]}}`,
			[]content.Array{{Name: "x", Shape: []int{2}, Values: numbers.Of(1, 2.5), Keys: [][]string{{"b", "a"}}},
				{Name: "m", Shape: []int{3}, Values: numbers.Of(1, 2, 3), Int: true,
					Keys: [][]string{{"r", "r", "s"}, {"b", "a", "a"}}},
				{Name: "o", Shape: []int{1, 2}, Values: numbers.Of(1, 2), Int: true, Keys: [][]string{{"a"}}}}},
		{"records", "d.json", `[{"x": 1, "g": "a"}, {}, {"g": "b", "z": 2.5}]`, []content.Array{
			{Name: "x", Shape: []int{3}, Values: numbers.Of(1, nan, nan), Int: true},
			{Name: "g", Shape: []int{3}, Values: numbers.Of(1, nan, 2), Int: true, Labels: []string{"a", "b"}},
			{Name: "z", Shape: []int{3}, Values: numbers.Of(nan, nan, 2.5)}}},
		{"labels", "d.json", `{"county": ["B", "A", null, "B", "\u00e9"]}`, []content.Array{
			{Name: "county", Shape: []int{5}, Values: numbers.Of(2, 1, nan, 2, 3), Int: true,
				Labels: []string{"A", "B", "é"}},
		}},
		{"known by its content", "data", ` {"N": 1}`, []content.Array{{Name: "N", Values: numbers.Of(1), Int: true}}},
		{"table", "d.csv", "y, county ,ok\r\n1.5,\"Lac qui, Parle\",TRUE\r\nNA,\"A\",false\r\n,A,true\r\n",
			[]content.Array{
				{Name: "y", Shape: []int{3}, Values: numbers.Of(1.5, nan, nan)},
				{Name: "county", Shape: []int{3}, Values: numbers.Of(2, 1, 1), Int: true,
					Labels: []string{"A", "Lac qui, Parle"}},
				{Name: "ok", Shape: []int{3}, Values: numbers.Of(1, 0, 1), Int: true},
			}},
		{"tabs", "d.tsv", "a\tb\n1\t\n2\tinf\n", []content.Array{
			{Name: "a", Shape: []int{2}, Values: numbers.Of(1, 2), Int: true},
			{Name: "b", Shape: []int{2}, Values: numbers.Of(nan, inf)},
		}},
		{"header alone", "d.csv", "a\n", []content.Array{{Name: "a", Shape: []int{0}, Int: true}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := Parse(test.path, []byte(test.text))
			if err != nil {
				t.Fatal(err)
			}
			for i := range test.want {
				test.want[i].Origin = test.path
				got := f.Arrays[f.Order[i]]
				if d := cmp.Diff(test.want[i], *got, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
					cmpopts.IgnoreFields(content.Array{}, "Dialect")); d != "" {
					t.Errorf("(-want +got)\n%s", d)
				}
			}
			if len(f.Order) != len(test.want) || len(f.Arrays) != len(test.want) {
				t.Errorf("%d arrays, want %d", len(f.Order), len(test.want))
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	tests := []struct{ path, text, want string }{
		{"d.json", `{"x": 1, "x": 2}`, `d.json:1:10: "x" is given twice`},
		{"d.json", `{"x": {"y": 1}`, `d.json:1:15: the file ends where '}' is expected`},
		{"d.json", `{"x": {"y": 1]}`, `d.json:1:14: expected '}' or a comma`},
		{"d.json", `[{"x": 1, "x": 2}]`, `d.json:1:11: row 1 has "x" twice`},
		{"d.json", `[{"x": 1}, 2]`, `d.json:1:12: expected '{' to open a row`},
		{"d.json", `[{"x": 1}`, `d.json:1:10: the file ends where ']' is expected`},
		{"d.json", `{"x": }`, `d.json:1:7: expected a value`},
		{"d.json", `{"x": [1, 2`, `d.json:1:12: the file ends where ']' is expected`},
		{"d.json", `{"x": 1 "y": 2}`, `d.json:1:9: expected '}' or a comma`},
		{"d.json", `{"x: 1}`, `d.json:1:2: the string opened here is not closed`},
		{"d.json", `{"x": 1} 2`, `d.json:1:10: more text after the closing bracket`},
		{"d.jsonl", "{\"x\": 1}\n[2]\n", `d.jsonl:2:1: expected '{' to open a row`},
		{"d.jsonl", "{\"x\": 1}\n{\"x\": 2", `d.jsonl:2:8: the file ends where '}' is expected`},
		{"d.json", `[1, 2]`, `d.json:1:1: expected '{' at the start`},
		{"d.json", `{"x": ` + strings.Repeat("[", 100000), `"x" is nested more than 16 deep`},
		{"d.json", ``, `d.json:1:1: the file ends where '{' is expected`},
		{"d.csv", "a,b\n1,2\n3\n", `d.csv:3: row 2 has 1 fields, the header has 2`},
		{"d.csv", "a,\"\",\"\"\n1,2,3\n", `d.csv:1: column 3 has no name`},
		{"d.csv", "a,b\n1,2\n1,\"x\"y\n", `d.csv:3:`},
		{"d.csv", "a\n1\n\n2\n", `d.csv:3: the line is blank; write NA`},
		{"d.csv", "a,a\n1e999,2\n3\n", `d.csv:3: row 2 has 1 fields, the header has 2`}, // rows before columns
		{"d.csv", "", `d.csv: the file is empty`},
		{"d.npy", "\x93NUMPY", `d.npy: not a NumPy file`},
		{"d.npy", "\x93NUMPY\x01\x00\xff\xff{'descr'", `d.npy: the file ends within its header`},
		{"d.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 40),
			`d.npy: 40 bytes of elements do not match the shape [2 3] (bytes per element: 8)`},
		{"d.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 99999999999), }", 8),
			`d.npy: 8 bytes of elements`},
		{"d.npy", npy("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }", 4),
			`d.npy: unsupported element type "U1"`},
		{"d.npy", npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }", 8),
			`d.npy: unsupported element type`},
		{"d.npz", "PK\x03\x04", `d.npz: the file is not a ZIP archive, or is cut off`},
		{"images-idx3-ubyte", "\x00\x00\x08\x03\x00\x00", `images-idx3-ubyte: the file ends within its header`},
		{"images-idx1-ubyte", "\x00\x00\x08\x01\x00\x00\x00\x05abcd",
			`images-idx1-ubyte: 4 bytes of elements do not match the shape [5] (bytes per element: 1)`},
		{"images-idx1-ubyte", "\x00\x00\x0a\x01\x00\x00\x00\x05abcde",
			`images-idx1-ubyte: 0x0a is not a type of IDX elements`},
		{"labels-idx1-ubyte.gz", "", `labels-idx1-ubyte.gz: the format of the file is not supported`},
		{"d.csv.gz", "\x1f\x8b\x08\x00", `d.csv.gz: the file is cut off`},
		{"d.arrow", "ARROW1\x00", `d.arrow: the file is cut off`},
		{"d.arrow", "y,x\n1,2\n", `d.arrow: not an Arrow file`},
		{"d.feather", "FEA1\x00", `d.feather: version 1 of Feather is not supported`},
		{"d.parquet", "PAR1", `d.parquet: `},
		{"d.pkl", "\x80\x04\x95", `d.pkl: Python pickle files are not supported; write it with x.to_parquet("FILE.parquet")`},
		{"d.dta", "<stata_dta><header>", `d.dta: Stata files are not supported; write it with export delimited`},
		{"d", "<stata_dta><header>", `d: Stata files are not supported`},
		{"d.RData", "\xfd7zXZ\x00", `d.RData: R workspace files are not supported; write it with write.csv(`},
		{"d.sav", "$FL2@(#) SPSS", `d.sav: SPSS files are not supported; save it as CSV`},
		{"notes.md", "hello", `notes.md: the format of the file is not supported; data files are`},
	}
	for _, test := range tests {
		f, err := Parse(test.path, []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: got %v, want %s", test.text, err, test.want)
		}
		if f != nil {
			t.Errorf("%.60q: a file with an error must not be loaded", test.text)
		}
	}
}

// A JSON value that cannot be read does not prevent reading the file: the error is in Unread of its array.
func TestUnreadValues(t *testing.T) {
	for _, test := range []struct{ path, text, want string }{
		{"d.json", "{\"x\": [[[1], [2]],\n [[3]]]}",
			`d.json:2:2: "x" is ragged: 1 elements here, 2 in the arrays before`},
		{"d.json", `{"x": [1, [2]]}`, `d.json:1:11: "x" has an array here but single values before`},
		{"d.json", `{"x": [[1], 2]}`, `d.json:1:13: "x" has a single value here but arrays before`},
		{"d.json", `{"x": [[], 2]}`, `d.json:1:12: "x" has a single value here but arrays before`},
		{"d.json", `{"x": [1, "one"]}`, `d.json:1:11: "x" mixes text and numbers`},
		{"d.json", `{"x": 1e999}`, `d.json:1:7: 1e999 is too large`},
		{"d.json", `{"x": 0x10}`, `d.json:1:7: "0x10" is not a number`},
		{"d.json", `{"x": [{"a": 1}]}`, `d.json:1:8: "x" has an object in a list`},
		{"d.json", `{"x": {"a": 1, "b": {"c": 2}}}`, `"x" has values nested in 2 objects here, but in 1 before`},
		{"d.json", `{"x": {"a": 1, "a": 2}}`, `d.json:1:16: "x" has "a" twice`},
		{"d.json", `{"x": {"a": [1], "b": [2, 3]}}`, `"x" is ragged`},
		{"d.json", `{"x": {"a": 1, "b": [2, 3]}}`, `"x" has an array here but single values before`},
		{"d.json", `{"x": {"a": {}}}`, `"x" has an object without values`},
		{"d.json", `[{"x": 1}, {"x": "one"}]`, `"x" mixes text and numbers`},
		{"d.json", `[{"x": [1]}]`, `d.json:1:8: "x" has a list or an object in a row`},
	} {
		f, err := Parse(test.path, []byte(test.text))
		if err != nil {
			t.Errorf("%.60q: %v", test.text, err)
		} else if err := f.Arrays["x"].Unread; err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%.60q: got %v, want %s", test.text, err, test.want)
		}
	}
}

// npy returns a NumPy file with a header and the given number of zero bytes as elements.
func npy(header string, bytes int) string {
	return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header +
		strings.Repeat("\x00", bytes)
}

// Files written by NumPy 2.4.6, PyArrow 26.0.1, Polars 2.1.0 and Python's gzip (testdata/make.py) are read correctly.
func TestReadBinary(t *testing.T) {
	for _, test := range []struct {
		path string
		lone bool
		want []content.Array
	}{
		{"row_major.npy", true,
			[]content.Array{{Name: "row_major", Shape: []int{2, 3}, Values: numbers.Of(0, .25, .5, .75, 1, nan)}}},
		{"column_major.npy", true,
			[]content.Array{{Name: "column_major", Shape: []int{2, 3, 4}, Values: numbers.Of(counted(24, -5)...),
				Int: true}}},
		{"scalar.npy", true, []content.Array{{Name: "scalar", Values: numbers.Of(.5)}}},
		{"several.npz", false, []content.Array{
			{Name: "x", Shape: []int{2, 3}, Values: numbers.Of(0, .25, .5, .75, 1, nan)},
			{Name: "flag", Shape: []int{3}, Values: numbers.Of(1, 0, 1), Int: true},
			{Name: "n", Values: numbers.Of(200), Int: true}}},
		{"images-idx3-ubyte.gz", true, []content.Array{{Name: "images-idx3-ubyte", Shape: []int{3, 2, 2},
			Values: numbers.Of(0, 20, 40, 60, 80, 100, 120, 140, 160, 180, 200, 220), Int: true}}},
		{"float-idx1.gz", true, []content.Array{{Name: "float-idx1", Shape: []int{2}, Values: numbers.Of(.5, -1.25)}}},
		{"mixed.parquet", false, []content.Array{{Name: "y", Shape: []int{3}, Values: numbers.Of(1.5, nan, -2)},
			{Name: "n", Shape: []int{3}, Values: numbers.Of(3, 1, nan), Int: true}, {Name: "u", Shape: []int{3},
				Values: numbers.Of(250, 0, 1), Int: true},
			{Name: "big", Shape: []int{3}, Values: numbers.Of(4e9, 0, 1), Int: true}, {Name: "ok", Shape: []int{3},
				Values: numbers.Of(1, 0, 1), Int: true},
			{Name: "region", Shape: []int{3}, Values: numbers.Of(2, nan, 1), Int: true,
				Labels: []string{"east", "north"}, Levels: []string{"north", "east"}},
			{Name: "f", Shape: []int{3}, Values: numbers.Of(.5, 1, 2)}}},
		{"mixed.feather", false, append(arrowColumns(), content.Array{Name: "none", Shape: []int{3},
			Values: numbers.Of(nan, nan, nan), Int: true})},
		{"mixed.arrows", false, append(arrowColumns(), content.Array{Name: "none", Shape: []int{3},
			Values: numbers.Of(nan, nan, nan), Int: true})},
		{"mixed.arrow", false, append(arrowColumns(), content.Array{Name: "long", Shape: []int{3},
			Values: numbers.Of(1, 2, nan), Int: true, Labels: []string{"a text of more than twelve bytes", "short"}})},
		{"table.csv.gz", false, []content.Array{{Name: "y", Shape: []int{2}, Values: numbers.Of(1, 3), Int: true},
			{Name: "x", Shape: []int{2}, Values: numbers.Of(2, 4), Int: true}}},
	} {
		path := "testdata/" + test.path
		f, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if f.Lone != test.lone || len(f.Order) != len(test.want) {
			t.Errorf("%s: %d arrays, lone %v", path, len(f.Order), f.Lone)
			continue
		}
		for i, want := range test.want {
			want.Origin = path
			if d := cmp.Diff(want, *f.Arrays[f.Order[i]], cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
				cmpopts.IgnoreFields(content.Array{}, "Dialect")); d != "" {
				t.Errorf("%s (-want +got)\n%s", path, d)
			}
		}
	}
	for path, want := range map[string]string{"words.npy": `element type "U1"`,
		"large.npy": "is too large for a float64 to hold exactly"} {
		if _, err := Read("testdata/" + path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
}

// arrowColumns returns the columns that testdata/make.py writes to Arrow files.
func arrowColumns() []content.Array {
	nan := math.NaN()
	return []content.Array{{Name: "y", Shape: []int{3}, Values: numbers.Of(1.5, nan, -2)},
		{Name: "k", Shape: []int{3}, Values: numbers.Of(3, 4, -5), Int: true},
		{Name: "u", Shape: []int{3}, Values: numbers.Of(1, 2, 255), Int: true},
		{Name: "on", Shape: []int{3}, Values: numbers.Of(1, 0, nan), Int: true},
		{Name: "g", Shape: []int{3}, Values: numbers.Of(2, 1, 2), Int: true, Labels: []string{"a", "b"},
			Levels: []string{"b", "a"}},
		{Name: "s", Shape: []int{3}, Values: numbers.Of(1, nan, 2), Int: true, Labels: []string{"x", "z"}},
		{Name: "day", Shape: []int{3}, Values: numbers.Of(1, nan, 18321), Int: true, Days: true},
		{Name: "at", Shape: []int{3}, Values: numbers.Of(0, .5, nan), Days: true}}
}

func counted(n int, from float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = from + float64(i)
	}
	return out
}

func TestReadMissingFile(t *testing.T) {
	if _, err := Read(filepath.Join(t.TempDir(), "none.csv")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// Every data file of posteriordb can be read, and shapes and the size N agree with the numbers of values.
func TestPosteriordb(t *testing.T) {
	files, _ := filepath.Glob("../../../../shared/posteriordb/data/*.json")
	if len(files) == 0 {
		t.Skip("../shared/posteriordb is not beside the repository")
	}
	for _, path := range files {
		f, err := Read(path)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, a := range f.Arrays {
			if size := product(a.Shape); size != a.Values.Len() {
				t.Errorf("%s: %s has %d values and shape %v", path, a.Name, a.Values.Len(), a.Shape)
			}
		}
		if n, y := f.Arrays["N"], f.Arrays["y"]; n != nil && y != nil && int(n.Values.At(0)) != y.Shape[0] {
			t.Errorf("%s: N = %v but y has %d rows", path, n.Values.At(0), y.Shape[0])
		}
	}
}

func product(shape []int) int {
	n := 1
	for _, s := range shape {
		n *= s
	}
	return n
}

func FuzzJSON(f *testing.F) {
	f.Add(`{"N": 2, "x": [[1, "NaN"], [null, true]], "s": ["a", "b"]}`)
	f.Add(`{"x": [[], []], "y": "\ud800"}`)
	f.Fuzz(func(t *testing.T, text string) { checkInvariants(t, "d.json", text) })
}

func FuzzTable(f *testing.F) {
	f.Add("a,b\n1,x\n\"2\",\"y\"\"\"\n")
	f.Add("a\r\nNA\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		checkInvariants(t, "d.csv", text)
		checkInvariants(t, "d.tsv", text)
	})
}

// checkInvariants checks the result of parsing any text: either no file and an error that begins with its name, or
// arrays whose values fill the shape and whose codes are positions of labels.
func checkInvariants(t *testing.T, path, text string) {
	f, err := Parse(path, []byte(text))
	if err != nil {
		if f != nil || !strings.HasPrefix(err.Error(), path) {
			t.Fatalf("refused with %v and a file %v", err, f)
		}
		return
	}
	for _, name := range f.Order {
		a := f.Arrays[name]
		if a.Name != name || product(a.Shape) != a.Values.Len() {
			t.Fatalf("%q: %d values, shape %v", name, a.Values.Len(), a.Shape)
		}
		for _, v := range a.Values.All() {
			if a.Labels != nil && !(math.IsNaN(v) || v >= 1 && int(v) <= len(a.Labels)) {
				t.Fatalf("%q: code %v of %d labels", name, v, len(a.Labels))
			}
			if a.Int && !math.IsNaN(v) && v != math.Trunc(v) {
				t.Fatalf("%q: %v among integers", name, v)
			}
		}
	}
	if len(f.Arrays) != len(f.Order) {
		t.Fatal("a name is lost")
	}
}

// A first column without a name, in which R and pandas write the names of rows, is left out with a note.
func TestNamesOfRowsAreLeftOut(t *testing.T) {
	for _, text := range []string{"\"\",y,x\n\"a\",1,2\n\"b\",3,4\n", ",y,x\n0,1,2\n1,3,4\n",
		"\"y\",\"x\"\n\"1\",1,2\n\"2\",3,4\n"} {
		f, err := Parse("d.csv", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Order, []string{"y", "x"}) || !f.Arrays["x"].Values.Equal(numbers.Of(2, 4)) ||
			len(f.Notes) != 1 {
			t.Errorf("%q: columns %v, x = %v, notes %q", text, f.Order, f.Arrays["x"].Values, f.Notes)
		}
	}
	if _, err := Parse("d.csv", []byte("y,x\n1,5,3\n2,5,4\n1,25,6\n")); err == nil ||
		!strings.Contains(err.Error(), `rows 1 and 3 both begin with "1"; numbers with decimal commas`) {
		t.Errorf("names of rows occur twice: %v", err)
	}
	if _, err := Parse("d.csv", []byte("y,x\n1,2,3\n4,5\n")); err == nil {
		t.Error("one long row is taken for names of rows")
	}
}

// A column that cannot be read has an error in Unread, and the other columns are read.
func TestColumnsThatCannotBeRead(t *testing.T) {
	for _, test := range []struct{ path, text, column, want string }{
		{"d.csv", "a,a,b\n1,2,5\n", "a", `d.csv:1: columns 1 and 2 are both named "a"`},
		{"d.csv", "a,b\n1e999,5\n", "a", `d.csv: row 1 of column "a": 1e999 is too large`},
		{"d.csv", "a;b\n1.200;5\n870;5\n", "a", `"1.200" (row 1): it is not clear whether the mark`},
		{"d.csv", "a;b\n1.5;5\n1,5;5\n", "a", `"1.5" (row 1) has a decimal point and "1,5" (row 2) a decimal comma`},
		{"testdata/lists.arrow", "", "v", `column "v" has lists`},
		{"testdata/lists.parquet", "", "v", `column "v" has lists or records`},
	} {
		f, err := Read(test.path)
		if test.text != "" {
			f, err = Parse(test.path, []byte(test.text))
		}
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if x := f.Find(test.column); x == nil || x.Unread == nil || !strings.Contains(x.Unread.Error(), test.want) {
			t.Errorf("%q: %+v, want %s", test.text, x, test.want)
		}
		if b := f.Find("b"); test.text != "" && (b == nil || b.Unread != nil || b.Values.At(0) != 5) {
			t.Errorf("%q: the other column is %+v", test.text, b)
		}
	}
}
