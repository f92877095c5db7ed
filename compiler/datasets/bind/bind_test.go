package bind

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
)

// bound checks a model, writes files to a directory, and binds them; args are --data flags relative to it.
func bound(t *testing.T, text string, files map[string]string, args ...Arg) (*dataset.Dataset, []diag.Diagnostic) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range args {
		args[i].Path = filepath.Join(dir, args[i].Path)
	}
	f, ds := parse.File(source.New("model.ppl", text))
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	m, ds := check.File(f, nil)
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	return Data(m, dir, args, datafile.RowCache{Memory: 1 << 30, Dir: t.TempDir()})
}

func valuesOf(t *testing.T, d *dataset.Dataset, name string) []float64 {
	t.Helper()
	for a, x := range d.Arrays {
		if a.Name == name {
			return x.Values.Doubles()
		}
	}
	t.Fatalf("no data `%s`", name)
	return nil
}

func sizeNamed(d *dataset.Dataset, name string) (n int) {
	for s, k := range d.Sizes {
		if s.Name == name {
			n = k
		}
	}
	return n
}

// The command line comes before the model, and the model before the files that it names.
func TestValuesComeFromTheCommandLineFirst(t *testing.T) {
	t.Parallel()
	const observed = "\nm ~ Normal(0, 1)\ny[n in N] ~ Normal(m, 1)\n"
	files := map[string]string{"own.csv": "y\n1\n2\n", "given.json": `{"y": [3, 4, 5]}`, "y.csv": "v\n6\n"}
	for _, c := range []struct {
		name, model string
		args        []Arg
		want        []float64
	}{
		{"the model's file", `data y[N] from "own.csv"`, nil, []float64{1, 2}},
		{"a file of entries", `data y[N] from "own.csv"`, []Arg{{Path: "given.json"}}, []float64{3, 4, 5}},
		{"a file for a name", `data y[N] from "own.csv"`, []Arg{{Path: "given.json"}, {Name: "y", Path: "y.csv"}},
			[]float64{6}},
		{"the last file", "data y[N]", []Arg{{Path: "given.json"}, {Path: "own.csv"}}, []float64{1, 2}},
		{"the model", "data y[N] = [7]", nil, []float64{7}},
		{"instead of the model", "data y[N] = [7]", []Arg{{Path: "own.csv"}}, []float64{1, 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, ds := bound(t, c.model+observed, files, c.args...)
			if d == nil {
				t.Fatal(ds)
			}
			if got := valuesOf(t, d, "y"); !slices.Equal(got, c.want) || sizeNamed(d, "N") != len(c.want) {
				t.Errorf("y = %v, N = %d, want %v", got, sizeNamed(d, "N"), c.want)
			}
		})
	}
}

// Texts of an index set are numbered in the order of the alphabet, alike in all arrays that hold them.
func TestTextsAreNumberedAlikeInAllArrays(t *testing.T) {
	t.Parallel()
	d, ds := bound(t, "data a[N]: index(J), b[M]: index(J)\nm[j in J] ~ Normal(0, 1)\n"+
		"data y[N], w[M]\ny[n in N] ~ Normal(m[a[n]], 1)\nw[k in M] ~ Normal(m[b[k]], 1)\n",
		map[string]string{"one.csv": "a,y\nOslo,1\nBergen,2\n", "two.csv": "b,w\nTromso,1\nOslo,2\nBergen,3\n"},
		Arg{Path: "one.csv"}, Arg{Path: "two.csv"})
	if d == nil {
		t.Fatal(ds)
	}
	a, b := valuesOf(t, d, "a"), valuesOf(t, d, "b")
	if !slices.Equal(a, []float64{2, 1}) || !slices.Equal(b, []float64{3, 2, 1}) || sizeNamed(d, "J") != 3 {
		t.Errorf("a = %v, b = %v, J = %d", a, b, sizeNamed(d, "J"))
	}
	for s, names := range d.Labels {
		if s.Name == "J" && !slices.Equal(names, []string{"Bergen", "Oslo", "Tromso"}) {
			t.Errorf("J is %v", names)
		}
	}
}

// Each mistake in data is reported with its code and in words that name file and row.
func TestMistakesInDataNameTheFileAndTheRow(t *testing.T) {
	t.Parallel()
	const observed = "\nm ~ Normal(0, 1)\ny[n in N] ~ Normal(m, 1)\n"
	for _, c := range []struct{ name, model, csv, code, says string }{
		{"a size of two sources", "data y[N]\ndata N = 3" + observed, "y\n1\n2\n", "E47", "2 in"},
		{"a length that other data do not have",
			"data N: int, y[1..N + 1]\nm ~ Normal(0, 1)\ny[n in 1..N+1] ~ Normal(m, 1)\n", "y\n1\n", "E83", "`N`"},
		{"a length and its axis", "data N: int, y[N], z[N]" + observed, "N,y,z\n3,1,1\n3,2,2\n", "E42", "`N`"},
		{"no such entry", "data z[N], y[N]" + observed, "y\n1\n", "E83", "`z`"},
		{"a missing value", "data y[N]" + observed, "y\n1\nNA\n", "W05", "(1; the first: row 2)"},
		{"text", "data y[N]" + observed, "y\n1\nhigh\n", "E57", "row 2"},
		{"no integer", "data y[N]: int" + observed, "y\n1\n2.5\n", "E57", "row 2"},
		{"out of bounds", "data y[N] in 0..1" + observed, "y\n0.5\n2\n", "E56", "row 2"},
		{"no such group", "data g[N]: index(2), y[N]" + observed, "g,y\n1,0\n3,0\n", "E56", "index(2)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, ds := bound(t, c.model, map[string]string{"d.csv": c.csv}, Arg{Path: "d.csv"})
			if d != nil || !slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
				return string(x.Code) == c.code && strings.Contains(x.Message, c.says)
			}) {
				t.Errorf("diagnostics are %v, want %s with %q", ds, c.code, c.says)
			}
		})
	}
}

// What is generated from data that are not given is left out, with a note, and nothing else.
func TestWhatReadsAbsentDataIsLeftOut(t *testing.T) {
	t.Parallel()
	d, ds := bound(t, "data y[N] = [1, 2]\ndata x[M]\nm ~ Normal(0, 1)\ny[n in N] ~ Normal(m, 1)\n"+
		"generate p[k in M] = m * x[k]\ngenerate q = 2 * m\n", nil)
	if d == nil || len(ds) != 1 || ds[0].Severity != diag.Note || !strings.Contains(ds[0].Message, "`p`") {
		t.Fatal(ds)
	}
	var names []string
	for _, a := range d.Model.Arrays {
		names = append(names, a.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"m", "q", "y"}) {
		t.Errorf("left are %v", names)
	}
	if slices.ContainsFunc(d.Model.Sizes, func(s *model.Size) bool { return s.Name == "M" }) {
		t.Error("the size of x is still wanted")
	}
}

// grouped binds a column of group codes to a model that reads it as more says.
func grouped(t *testing.T, column, more string) (*dataset.Dataset, []diag.Diagnostic) {
	t.Helper()
	return bound(t, "data g[N]: index(J), y[N]\nm[J] ~ Normal(0, 1)\n"+more,
		map[string]string{"d.csv": "g,y\n" + column}, Arg{Path: "d.csv"})
}

func labelsNamed(d *dataset.Dataset, name string) []string {
	for s, names := range d.Labels {
		if s.Name == name {
			return names
		}
	}
	return nil
}

// Codes that occur are the groups; codes from 1 on without a gap are positions, as are those of a model that counts.
func TestCodesOfGroups(t *testing.T) {
	t.Parallel()
	const plain = "y[n in N] ~ Normal(m[g[n]], 1)\n"
	for _, c := range []struct {
		name, column, more string
		size               int
		names              []string
		values             []float64
	}{
		{"codes", "94110,0\n-5,0\n94110,1\n", plain, 2, []string{"-5", "94110"}, []float64{2, 1, 2}},
		{"zeros before codes", "02139,0\n10001,0\n02139,1\n", plain, 2, []string{"02139", "10001"}, []float64{1, 2, 1}},
		{"written in two ways", "2139,0\n007,0\n02139,1\n", plain, 2, []string{"007", "02139"}, []float64{2, 1, 2}},
		{"zeros before positions", "02,0\n01,0\n03,1\n", plain, 3, []string{"01", "02", "03"}, []float64{2, 1, 3}},
		{"zeros before numbers", "02,0\n04,0\n", "k[j in J] = j * m[j]\ny[n in N] ~ Normal(k[g[n]], 1)\n", 4, nil,
			[]float64{2, 4}},
		{"from 0", "0,0\n1,0\n2,1\n", plain, 3, []string{"0", "1", "2"}, []float64{1, 2, 3}},
		{"positions", "2,0\n1,0\n3,1\n", plain, 3, nil, []float64{2, 1, 3}},
		{"a size", "2,0\n1,0\n5,1\n", "J = 6\n" + plain, 6, nil, []float64{2, 1, 5}},
		{"compared by name", "7,0\n9,0\n", "y[n in N] ~ Normal(m[g[n]] + (g[n] == \"9\" ? 1 : 0), 1)\n", 2,
			[]string{"7", "9"}, []float64{1, 2}},
		{"compared as numbers", "2,0\n4,0\n", "y[n in N] ~ Normal(m[g[n]] + (g[n] == 4 ? 1 : 0), 1)\n", 4, nil,
			[]float64{2, 4}},
		{"a trend", "2,0\n4,0\n", "k[j in J] = j * m[j]\ny[n in N] ~ Normal(k[g[n]], 1)\n", 4, nil, []float64{2, 4}},
		{"a number", "2,0\n4,0\n", plain + "generate last = m[4]\n", 4, nil, []float64{2, 4}},
		{"a walk", "2,0\n4,0\n", "w[1] = 0\nw[j in 2..J] ~ Normal(w[j-1], 1)\n" +
			"y[n in N] ~ Normal(m[g[n]] + w[g[n]], 1)\n", 4, nil, []float64{2, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, ds := grouped(t, c.column, c.more)
			if d == nil {
				t.Fatal(ds)
			}
			size := sizeNamed(d, "J")
			if strings.HasPrefix(c.more, "J =") {
				size = c.size
			}
			if got := valuesOf(t, d, "g"); size != c.size || !slices.Equal(got, c.values) ||
				!slices.Equal(labelsNamed(d, "J"), c.names) {
				t.Errorf("g = %v, J = %d %v; want %v, %d %v", got, size, labelsNamed(d, "J"), c.values, c.size, c.names)
			}
		})
	}
}

// groupMeans is a model of groups that data name.
func groupMeans(t *testing.T) *model.Model {
	t.Helper()
	f, _ := parse.File(source.New("model.ppl",
		"data g[N]: index(J), y[N]\nm[J] ~ Normal(0, 1)\ny[n in N] ~ Normal(m[g[n]], 1)\n"))
	m, ds := check.File(f, nil)
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	return m
}

// A number that is written in two ways is one group, with a warning, also where the file is read by rows.
func TestCodesWrittenTwice(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		column string
		memory int64
		warns  bool
	}{
		{"2139,0\n02139,1\n", 1 << 30, true},
		{"02139,0\n2139,1\n", 10, true},
		{"2139,0\n02139,1\n", 10, true},
		{"02139,0\n02139,1\n10,1\n", 10, false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "d.csv"), []byte("g,y\n"+c.column), 0o600); err != nil {
			t.Fatal(err)
		}
		m := groupMeans(t)
		d, ds := Data(m, dir, []Arg{{Path: filepath.Join(dir, "d.csv")}},
			datafile.RowCache{Memory: c.memory, Dir: filepath.Join(dir, "rows")})
		if d == nil {
			t.Fatal(ds)
		}
		warns := slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
			return strings.Contains(x.Message, "has both 2139 and 02139")
		})
		if warns != c.warns || !slices.Contains(labelsNamed(d, "J"), "02139") {
			t.Errorf("%q in %d bytes of memory: %v, %v", c.column, c.memory, labelsNamed(d, "J"), ds)
		}
	}
}

// Dates of Parquet and Feather files, which are numbers there, name groups as dates.
func TestDatesOfGroups(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../datafile/testdata/dates.parquet")
	if err != nil {
		t.Fatal(err)
	}
	d, ds := bound(t, "data day[N]: index(J), y[N]\nm[J] ~ Normal(0, 1)\ny[n in N] ~ Normal(m[day[n]], 1)\n",
		map[string]string{"d.parquet": string(text), "y.csv": "y\n1\n"}, Arg{Path: "d.parquet"}, Arg{Path: "y.csv"})
	if d == nil || !slices.Equal(labelsNamed(d, "J"), []string{"2020-01-02"}) {
		t.Fatal(d, ds)
	}
}

// A missing code is reported as missing, and a code too large for a position with the limit.
func TestCodesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ column, more, code, says string }{
		{"1,0\nNA,0\n", "y[n in N] ~ Normal(m[g[n]], 1)\n", "W05", "missing values"},
		{"NA,0\n", "y[n in N] ~ Normal(m[g[n]], 1)\n", "W05", "missing values"},
		{"1,0\n1e300,0\n", "y[n in N] ~ Normal(m[g[n]], 1)\n", "E56", "at most 2147483648"},
		{"1,0\n99999999999,0\n", "k[j in J] = j * m[j]\ny[n in N] ~ Normal(k[g[n]], 1)\n", "E56", "at most 2147483648"},
	} {
		d, ds := grouped(t, c.column, c.more)
		if d != nil || !slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
			return string(x.Code) == c.code && strings.Contains(x.Message, c.says)
		}) || slices.ContainsFunc(ds, func(x diag.Diagnostic) bool { return strings.Contains(x.Message, "-922") }) {
			t.Errorf("%q: diagnostics are %v, want %s with %q", c.column, ds, c.code, c.says)
		}
	}
}

// The elements that a run knows keep their places when other data are bound, and what they do not know is reported.
func TestNewDataKeepTheElementsOfARun(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, csv string
		known     []string
		all       []string // nil: numbers
		size      int
		values    []float64
		note      string
	}{
		{"names", "g\nc\na\n", []string{"a", "b", "c"}, []string{"a", "b", "c"}, 3, []float64{3, 1}, ""},
		{"a new name", "g\nc\nA\n", []string{"a", "b", "c"}, []string{"a", "b", "c", "A"}, 4, []float64{3, 4}, "A"},
		{"codes", "g\n30\n10\n", []string{"10", "20", "30"}, []string{"10", "20", "30"}, 3, []float64{3, 1}, ""},
		{"zeros", "g\n02139\n00501\n", []string{"00501", "02139"}, []string{"00501", "02139"}, 2, []float64{2, 1}, ""},
		{"zeros lost", "g\n2139\n501\n", []string{"02139"}, []string{"02139", "501"}, 2, []float64{1, 2},
			"is group 02139 of the run: the codes are the same number"},
		{"zeros found", "g\n02139\n", []string{"2139"}, []string{"2139"}, 1, []float64{1}, "is group 2139 of the run"},
		{"both", "g\n2139\n02139\n", []string{"02139"}, []string{"02139"}, 1, []float64{1, 1}, "read as group 02139"},
		{"numbers", "g\n1\n3\n", []string{"1", "2", "3"}, nil, 3, []float64{1, 3}, ""},
		{"a new number", "g\n1\n9\n", []string{"1", "2", "3"}, []string{"1", "2", "3", "9"}, 4, []float64{1, 4}, "9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "d.csv"), []byte(c.csv), 0o600); err != nil {
				t.Fatal(err)
			}
			m := groupMeans(t)
			for _, a := range m.Arrays {
				a.Optional = a.Name == "y"
			}
			d, ds := NewData(m, dir, []Arg{{Path: filepath.Join(dir, "d.csv")}}, datafile.RowCache{Memory: 1 << 30},
				&Known{names: map[string][]string{"J": c.known}})
			if d == nil {
				t.Fatal(ds)
			}
			note := ""
			for _, x := range ds {
				if x.Code == "" {
					note += x.Message
				}
			}
			if got := valuesOf(t, d, "g"); !slices.Equal(got, c.values) || sizeNamed(d, "J") != c.size ||
				!slices.Equal(labelsNamed(d, "J"), c.all) || (note == "") != (c.note == "") ||
				!strings.Contains(note, c.note) {
				t.Errorf("g = %v, J = %d %v, note %q", got, sizeNamed(d, "J"), labelsNamed(d, "J"), note)
			}
		})
	}
}

// complete leaves out rows in which an array has no value, for all arrays of the statement, and keeps the numbers of
// rows.
func TestCompleteRows(t *testing.T) {
	t.Parallel()
	d, ds := bound(t, "data y[N], x[N], g[N]: index(J), X[N, D] complete\nm[J] ~ Normal(0, 1)\n"+
		"y[n in N] ~ Normal(m[g[n]] + x[n] + sum(X[n]), 1)\n",
		map[string]string{"d.csv": "y,x,g,p,q\n1,1,a,1,2\n2,NA,b,1,2\n3,1,c,1,NA\n4,1,c,3,4\n"}, Arg{Path: "d.csv"})
	if d == nil {
		t.Fatal(ds)
	}
	for name, want := range map[string][]float64{"y": {1, 4}, "g": {1, 2}, "X": {1, 2, 3, 4}} {
		if got := valuesOf(t, d, name); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if sizeNamed(d, "N") != 2 || !slices.Equal(labelsNamed(d, "J"), []string{"a", "c"}) {
		t.Errorf("N = %d, J is %v", sizeNamed(d, "N"), labelsNamed(d, "J"))
	}
	for s, rows := range d.RowNumbers {
		if s.Name != "N" || !slices.Equal(rows, []int{1, 4}) {
			t.Errorf("rows of %s are %v", s.Name, rows)
		}
	}
	const says = "2 of 4 rows of"
	if !slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
		return strings.Contains(x.Message, says) && strings.Contains(x.Message,
			"`x` is missing in 1, `X` is missing in 1")
	}) {
		t.Errorf("diagnostics are %v", ds)
	}
	if _, ds := bound(t, "data y[N] complete\nm ~ Normal(0, 1)\ny ~ Normal(m, 1)\n",
		map[string]string{"d.csv": "y,x\nNA,1\n"}, Arg{Path: "d.csv"}); !diag.HasErrors(ds) {
		t.Error("no row is complete, and nothing is said")
	}
}

// holdout leaves out a share of the rows, the same of every statement with as many rows and the same seed; the others
// are taken for predictions, which leave no row out of data that are given to predict.
func TestRowsHeldOut(t *testing.T) {
	t.Parallel()
	const text = "data x[N] from \"x.csv\" holdout 0.3%s\ndata y[N] from \"y.csv\" complete holdout 0.3%s\n" +
		"a ~ Normal(0, 1)\ny[i in N] ~ Normal(a * x[i], 1)\n"
	var x, y strings.Builder
	x.WriteString("x\n")
	y.WriteString("y\n")
	for i := range 20 {
		fmt.Fprintf(&x, "%d\n", i+1)
		fmt.Fprintf(&y, "%d\n", 100*(i+1))
	}
	files := map[string]string{"x.csv": x.String(), "y.csv": y.String()}
	rows := func(seeds ...any) []float64 {
		t.Helper()
		d, ds := bound(t, fmt.Sprintf(text, seeds...), files)
		if d == nil {
			t.Fatal(ds)
		}
		x, y := valuesOf(t, d, "x"), valuesOf(t, d, "y")
		if sizeNamed(d, "N") != 14 || len(x) != 14 || !slices.IsSorted(x) {
			t.Errorf("x is %v", x)
		}
		for i := range x {
			if y[i] != 100*x[i] {
				t.Errorf("row %v of x is with %v of y", x[i], y[i])
			}
		}
		for s, numbers := range d.RowNumbers {
			for i, n := range numbers {
				if s.Name != "N" || float64(n) != x[i] {
					t.Errorf("rows of %s are %v, of x %v", s.Name, numbers, x)
				}
			}
		}
		return x
	}
	first, again, other := rows("", ""), rows(" seed 0", ""), rows(" seed 1", " seed 1")
	if !slices.Equal(first, again) || slices.Equal(first, other) {
		t.Errorf("rows %v, again %v, with another seed %v", first, again, other)
	}
	for share, want := range map[string]string{"0.01": "leaves out 0 of 20 rows", "0.99": "leaves out 20 of 20 rows"} {
		_, ds := bound(t, strings.ReplaceAll(fmt.Sprintf(text, "", ""), "0.3", share), files)
		if !slices.ContainsFunc(ds, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && strings.Contains(d.Message, want)
		}) {
			t.Errorf("holdout %s: %v, want %q", share, ds, want)
		}
	}
}

// permute gives a share of the rows the values of each other: the same values, and the others stay, whole rows in
// arrays with more axes; of rows that are held out it knows nothing.
func TestPermuted(t *testing.T) {
	t.Parallel()
	const n = 1000
	var file strings.Builder
	file.WriteString("x,y,a,b\n")
	for i := range n {
		fmt.Fprintf(&file, "%d,%d,%d,%d\n", i, i, i, -i)
	}
	order := func(y, hold string) (moved int, values []float64) {
		t.Helper()
		d, ds := bound(t, "data x[N], y[N]"+y+", X[N, D]"+y+" from \"d.csv\""+hold+"\na ~ Normal(0, 1)\n"+
			"y[i in N] ~ Normal(a * x[i] + sum(X[i]), 1)\n", map[string]string{"d.csv": file.String()})
		if d == nil {
			t.Fatal(ds)
		}
		x, X := valuesOf(t, d, "x"), valuesOf(t, d, "X")
		values = valuesOf(t, d, "y")
		for i, v := range values {
			if v != x[i] {
				moved++
			}
			if X[2*i] != v || X[2*i+1] != -v {
				t.Fatalf("row %d of X is %v, of y %v", i, X[2*i:2*i+2], v)
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(values)), x) {
			t.Errorf("permute%s: other values", y)
		}
		return moved, values
	}
	if moved, _ := order("", ""); moved != 0 {
		t.Errorf("%d rows have moved", moved)
	}
	moved, first := order(" permute 0.3", "")
	if moved < 290 || moved > 300 { // of those that are shuffled, one stays on average
		t.Errorf("%d rows of 300 have moved", moved)
	}
	if _, again := order(" permute 0.3", ""); !slices.Equal(first, again) {
		t.Error("the second time, the order is another")
	}
	if _, other := order(" permute 0.3 seed 1", ""); slices.Equal(first, other) {
		t.Error("with another seed, the order is the same")
	}
	order(" permute 0.3", " holdout 0.4")
	_, ds := bound(t, "data m[I] = [1, 2], y[I, m] permute 0.5 = [[1], [2, 3]]\na ~ Normal(0, 1)\n"+
		"y[i in I, j in 1..m[i]] ~ Normal(a, 1)\n", nil)
	if !slices.ContainsFunc(ds, func(d diag.Diagnostic) bool {
		return strings.Contains(d.Message, "different lengths")
	}) {
		t.Errorf("ragged data give %v", ds)
	}
}

// Two texts, or two numbers, are truth values, if it is known or named which is true.
func TestTruthValues(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, column string
		want         []float64 // nil: refused
	}{
		{"bool", "yes\nno\n", []float64{1, 0}},
		{"bool", "N\nY\n", []float64{0, 1}},
		{"bool", "no\nno\n", []float64{0, 0}},
		{"bool", "TRUE\nFALSE\n", []float64{1, 0}},
		{"bool(\"M\")", "F\nM\n", []float64{0, 1}},
		{"bool(2)", "1\n2\n", []float64{0, 1}},
		{"bool", "F\nM\n", nil},
		{"bool(\"M\")", "w\nm\n", nil},
		{"bool(\"a\")", "a\nb\nc\n", nil},
		{"bool", "1\n2\n", nil},
	} {
		d, ds := bound(t, "data s[N]: "+c.kind+", y[N]\nm ~ Normal(0, 1)\ny ~ Normal(m * s, 1)\n",
			map[string]string{"d.csv": "s\n" + c.column, "y.json": `{"y": [0, 1` + strings.Repeat(", 2",
				strings.Count(c.column, "\n")-2) + `]}`}, Arg{Path: "d.csv"}, Arg{Path: "y.json"})
		switch {
		case c.want == nil && d != nil:
			t.Errorf("%s of %q is accepted", c.kind, c.column)
		case c.want != nil && d == nil:
			t.Errorf("%s of %q: %v", c.kind, c.column, ds)
		case d != nil && !slices.Equal(valuesOf(t, d, "s"), c.want):
			t.Errorf("%s of %q is %v, want %v", c.kind, c.column, valuesOf(t, d, "s"), c.want)
		}
	}
}

// A column whose name a model cannot write is read by the name with _ for what is no letter or digit, if that is one
// column alone.
func TestColumnsAreFoundBySpelling(t *testing.T) {
	t.Parallel()
	const model = "data y[N], ph_ecog[N], X[N, D]\nm ~ Normal(0, 1)\ny[n in N] ~ Normal(m * ph_ecog[n] + sum(X[n]), " +
		"1)\n"
	d, ds := bound(t, model, map[string]string{"d.csv": "y,ph.ecog,wt loss\n1,2,3\n"}, Arg{Path: "d.csv"})
	if d == nil {
		t.Fatal(ds)
	}
	if e, x := valuesOf(t, d, "ph_ecog"), valuesOf(t, d, "X"); !slices.Equal(e, []float64{2}) ||
		!slices.Equal(x, []float64{3}) {
		t.Errorf("ph_ecog = %v, X = %v", e, x)
	}
	const keywords = "data y[N], in_[N], data_[N]\nm ~ Normal(0, 1)\ny[n in N] ~ Normal(m * in_[n] + data_[n], 1)\n"
	d, ds = bound(t, keywords, map[string]string{"d.csv": "data,y,in\n1,2,3\n"}, Arg{Path: "d.csv"})
	if d == nil {
		t.Fatal(ds)
	}
	if a, b := valuesOf(t, d, "in_"), valuesOf(t, d, "data_"); !slices.Equal(a, []float64{3}) ||
		!slices.Equal(b, []float64{1}) {
		t.Errorf("in_ = %v, data_ = %v", a, b)
	}
	both := map[string]string{"d.csv": "data,y,in,in_\n1,2,3,4\n"}
	if d, _ := bound(t, keywords, both, Arg{Path: "d.csv"}); d == nil || valuesOf(t, d, "in_")[0] != 4 {
		t.Error("a column of the very name is not taken")
	}
	two := map[string]string{"d.csv": "y,ph.ecog,ph ecog\n1,2,3\n"}
	if _, ds := bound(t, model, two, Arg{Path: "d.csv"}); !diag.HasErrors(ds) {
		t.Error("one of two columns is taken")
	}
}

// A number that is not given is the length of the data that have it as an axis, in whatever order they are declared.
func TestLengthsThatAreNotGiven(t *testing.T) {
	t.Parallel()
	const observed = "\nm ~ Normal(0, 1)\ny[n in N] ~ Normal(m, 1)\n"
	files := map[string]string{"d.csv": "x_1,x_2,y\n1,2,5\n3,4,6\n5,6,7\n", "n.json": `{"N": 3}`, "w.json": `{"N": 4}`,
		"x.json": `{"x": [[1, 2], [3, 4], [5, 6]], "y": [5, 6, 7]}`}
	for _, declared := range []string{"data N: int, D: int, x[N, D], y[N]", "data x[N, D], y[N], D: int, N: int"} {
		for _, args := range [][]Arg{{{Path: "d.csv"}}, {{Path: "x.json"}}, {{Path: "d.csv"}, {Path: "n.json"}}} {
			d, ds := bound(t, declared+observed, files, args...)
			if d == nil {
				t.Fatal(ds)
			}
			if n, k := valuesOf(t, d, "N"), valuesOf(t, d, "D"); !slices.Equal(n, []float64{3}) ||
				!slices.Equal(k, []float64{2}) {
				t.Errorf("%s, %v: N = %v, D = %v; want 3 and 2", declared, args, n, k)
			}
		}
		if d, ds := bound(t, declared+observed, files, Arg{Path: "d.csv"}, Arg{Path: "w.json"}); d != nil {
			t.Errorf("%s: 3 rows are taken for 4: %v", declared, ds)
		}
	}
}
