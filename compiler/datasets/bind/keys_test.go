package bind

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/check"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/lang/types"
)

// A keyCase is a model, its files, and what its data are in the order of the names of elements, or a part of the
// message that refuses them.
type keyCase struct {
	name, model string
	files       map[string]string
	args        []Arg
	want        map[string][]float64
	refused     string
}

const counties = "data county[N]: index(J), y[N]%s\ndata uranium[J]%s\na[j in J] ~ Normal(uranium[j], 1)\n" +
	"y[i in N] ~ Normal(a[county[i]], 1)\n"

func keyCases() []keyCase {
	long := map[string]string{"d.csv": "county,uranium,y\nB,2,1\nA,1,3\nB,2,2\n"}
	two := map[string]string{"d.csv": "county,y\nB,1\nA,3\nB,2\n", "c.csv": "county,uranium\nB,2\nA,1\n"}
	values := map[string][]float64{"uranium": {1, 2}, "y": {1, 3, 2}}
	model := func(rows, groups string) string {
		return strings.ReplaceAll(strings.Replace(strings.Replace(counties, "%s",
			rows, 1), "%s", groups, 1), "%s", "")
	}
	with := func(table string) map[string]string { return map[string]string{"d.csv": two["d.csv"], "c.csv": table} }
	from := model(` from "d.csv"`, ` from "c.csv"`)
	const nested = "data school[N]: index(S), district[S]: index(D), size[D], y[N]\nd[e in D] ~ Normal(size[e], 1)\n" +
		"s[j in S] ~ Normal(d[district[j]], 1)\ny[i in N] ~ Normal(s[school[i]], 1)\n"
	const crossed = "data site[N]: index(S), day[N]: index(D), y[N] from \"d.csv\"\ndata Z[S, D] from \"z.csv\"\n" +
		"y[i in N] ~ Normal(Z[site[i], day[i]] * b, 1)\nb ~ Normal(0, 1)\n"
	unread := strings.NewReplacer(` from "d.csv"`, "", ` from "z.csv"`, "").Replace(crossed)
	visits := "site,day,y\nb,tue,1\na,mon,2\na,tue,3\n"
	const distances = "data site[N]: index(S), y[N] from \"d.csv\"\ndata D[S, S] from \"z.csv\"\n" +
		"f[S] ~ MvNormal(0, exp(-D))\ny[i in N] ~ Normal(f[site[i]], 1)\n"
	return []keyCase{
		{"a long table", model("", ""), long, []Arg{{Path: "d.csv"}}, values, ""},
		{"a matrix by its name", "data X[T, D]\nm ~ Normal(0, 1)\nX[t in T, d in D] ~ Normal(m, 1)\n",
			map[string]string{"d.csv": "d0,d1\n1,2\n3,4\n5,6\n"}, []Arg{{Name: "X", Path: "d.csv"}},
			map[string][]float64{"X": {1, 2, 3, 4, 5, 6}}, ""},
		{"a matrix by its name, with numbers of rows", "data X[T, D]\nm ~ Normal(0, 1)\n" +
			"X[t in T, d in D] ~ Normal(m, 1)\n", map[string]string{"d.csv": "rownames,d0,d1\n1,1,2\n2,3,4\n3,5,6\n"},
			[]Arg{{Name: "X", Path: "d.csv"}}, map[string][]float64{"X": {1, 2, 3, 4, 5, 6}}, ""},
		{"a matrix of two sets by its name", strings.NewReplacer(` from "z.csv"`, "").Replace(crossed),
			map[string]string{"d.csv": visits, "z.csv": "site,tue,mon\nb,4,3\na,2,1\n"},
			[]Arg{{Name: "Z", Path: "z.csv"}},
			map[string][]float64{"Z": {1, 2, 3, 4}}, ""},
		{"distances by their name", strings.Replace(distances, ` from "z.csv"`, "", 1),
			map[string]string{"d.csv": "site,y\nb,1\na,3\n", "z.csv": ",b,a\nb,0,2\na,2,0\n"},
			[]Arg{{Name: "D", Path: "z.csv"}},
			map[string][]float64{"D": {0, 2, 2, 0}}, ""},
		{"a column for a name", model("", ""),
			map[string]string{"d.csv": two["d.csv"], "c.csv": "county,u\nB,2\nA,1\n"},
			[]Arg{{Path: "d.csv"}, {Name: "uranium", Path: "c.csv", Key: "u"}}, values, ""},
		{"a column that is not there", model("", ""),
			map[string]string{"d.csv": two["d.csv"], "c.csv": "county,u\nB,2\nA,1\n"},
			[]Arg{{Path: "d.csv"}, {Name: "uranium", Path: "c.csv", Key: "v"}}, nil, "c.csv has no entry `v`"},
		{"a long table by from", model(` from "d.csv"`, ` from "d.csv"`), long, nil, values, ""},
		{"one statement", "data county[N]: index(J), uranium[J], y[N] from \"d.csv\"\na[j in J] ~ Normal(uranium[j], " +
			"1)\n" +
			"y[i in N] ~ Normal(a[county[i]], 1)\n", long, nil, values, ""},
		{"names for each", model("", ""), long, []Arg{{Name: "county", Path: "d.csv"}, {Name: "uranium",
			Path: "d.csv"}, {Name: "y", Path: "d.csv"}},
			values,
			""},
		{"lists of JSON", model("", ""), map[string]string{
			"d.json": `{"county": ["B","A","B"], "uranium": [2,1,2], "y": [1,3,2]}`}, []Arg{{Path: "d.json"}}, values,
			""},
		{"objects of JSON", model("", ""), map[string]string{
			"d.json": `{"county": ["B","A","B"], "uranium": {"B": 2, "A": 1}, "y": [1,3,2]}`}, []Arg{{Path: "d.json"}}, values,
			""},
		{"objects of codes", model("", ""), map[string]string{
			"d.json": `{"county": [907,35,907], "uranium": {"907": 2, "035": 1}, "y": [1,3,2]}`}, []Arg{{Path: "d.json"}},
			values, ""},
		{"objects of positions", model("", ""), map[string]string{
			"d.json": `{"county": [2,1,2], "uranium": {"2": 2, "1": 1}, "y": [1,3,2]}`, "c.csv": "county,note\n1,x\n2,y\n"},
			[]Arg{{Path: "d.json"}}, values, ""},
		{"columns of pandas", model("", ""), map[string]string{
			"d.json": `{"county":{"0":"B","1":"A","2":"B"},"y":{"0":1,"1":3,"2":2},"uranium":{"B":2,"A":1}}`},
			[]Arg{{Path: "d.json"}}, values, ""},
		{"records of JSON", model("", ""), map[string]string{
			"d.json": `[{"county":"B","y":1,"uranium":2},{"y":3,"county":"A","uranium":1},{"county":"B","y":2,"note":[1]}]`},
			[]Arg{{Path: "d.json"}}, values, ""},
		{"additional names", model("", ""), map[string]string{
			"d.json": `{"county": ["B","A","B"], "uranium": {"B": 2, "C": 7, "A": 1}, "y": [1,3,2]}`},
			[]Arg{{Path: "d.json"}}, values, ""},
		{"missing names", model("", ""), map[string]string{
			"d.json": `{"county": ["B","A","B"], "uranium": {"B": 2, "C": 7}, "y": [1,3,2]}`}, []Arg{{Path: "d.json"}}, nil,
			"no value for A in"},
		{"a name that occurs twice", model("", ""), map[string]string{
			"d.json": `{"county": ["B","A","B"], "uranium": {"B": 2, "B": 7}, "y": [1,3,2]}`}, []Arg{{Path: "d.json"}}, nil,
			"\"uranium\" has \"B\" twice"},
		{"numbers from 0 of groups from 1", model("", ""), map[string]string{
			"d.json": `{"county": [2,1,2], "uranium": {"0": 1, "1": 2}, "y": [1,3,2]}`}, []Arg{{Path: "d.json"}}, nil,
			"no value for 2 in"},
		{"an object in a list", model("", ""), map[string]string{
			"d.json": `{"county": ["B","A","B"], "uranium": [{"B": 2}, 1], "y": [1,3,2]}`}, []Arg{{Path: "d.json"}}, nil,
			"object in a list"},
		{"an object of objects for one axis", model("", ""), map[string]string{
			"d.json": `{"county": ["B","A","B"], "uranium": {"B": {"A": 1}}, "y": [1,3,2]}`}, []Arg{{Path: "d.json"}}, nil,
			"declared with 1 axis but has 2 axes"},
		{"names of an object alone", "data x[J]\na[j in J] ~ Normal(x[j], 1)\n",
			map[string]string{"d.json": `{"x": {"B": 2, "A": 1}}`}, []Arg{{Path: "d.json"}},
			map[string][]float64{"x": {1, 2}}, ""},
		{"names of an object whose order is read", "data x[J]\na[j in J] ~ Normal(cumsum(x)[j], 1)\n",
			map[string]string{"d.json": `{"x": {"low": 2, "high": 1}}`}, []Arg{{Path: "d.json"}}, nil,
			"depends on the order"},
		{"names of two objects", "data x[J], z[J]\na[j in J] ~ Normal(x[j], z[j])\n",
			map[string]string{"d.json": `{"x": {"B": 2, "A": 1}, "z": {"A": 3, "B": 4}}`}, []Arg{{Path: "d.json"}},
			map[string][]float64{"x": {1, 2}, "z": {3, 4}}, ""},
		{"an object for unread data", "data x[J]\na[j in J] ~ Normal(x[j], 1)\n", map[string]string{
			"d.json": `{"meta": {"a": 1, "b": [2, {"c": 3}]}, "x": [1, 2], "q": [1, "one"]}`}, []Arg{{Path: "d.json"}},
			map[string][]float64{"x": {1, 2}}, ""},
		{"codes", model("", ""), map[string]string{"d.csv": "county,uranium,y\n907,2,1\n35,1,3\n907,2,2\n"},
			[]Arg{{Path: "d.csv"}}, values, ""},
		{"positions", model("", ""), map[string]string{"d.csv": "county,uranium,y\n2,2,1\n1,1,3\n2,2,2\n"},
			[]Arg{{Path: "d.csv"}}, values, ""},
		{"a known number of groups", model("", "") + "J = 2\n",
			map[string]string{"d.csv": "county,uranium,y\n2,2,1\n1,1,3\n2,2,2\n"}, []Arg{{Path: "d.csv"}}, values, ""},
		{"missing cells", model("", ""), map[string]string{"d.csv": "county,uranium,y\nB,NA,1\nA,1,3\nB,2,2\n"},
			[]Arg{{Path: "d.csv"}}, values, ""},
		{"complete rows", model("", ` from "d.csv"`) + "", long, []Arg{{Path: "d.csv"}}, values, ""},
		{"varies", model("", ""), map[string]string{"d.csv": "county,uranium,y\nB,2,1\nA,1,3\nB,2.5,2\n"},
			[]Arg{{Path: "d.csv"}}, nil, "B has 2 in row 1 and 2.5 in row 3"},
		{"all cells missing", model("", ""), map[string]string{"d.csv": "county,uranium,y\nB,NA,1\nA,1,3\nB,NA,2\n"},
			[]Arg{{Path: "d.csv"}}, nil, "has missing values"},

		{"a second file", from, two, nil, values, ""},
		{"either order of files", model("", ""), two, []Arg{{Path: "c.csv"}, {Path: "d.csv"}}, values, ""},
		{"the other order", model("", ""), two, []Arg{{Path: "d.csv"}, {Path: "c.csv"}}, values, ""},
		{"a file for a name", model(` from "d.csv"`, ""), two, []Arg{{Name: "uranium", Path: "c.csv"}}, values, ""},
		{"a column in other letters", from, with("County,uranium\nB,2\nA,1\n"), nil, values, ""},
		{"a column named like the set", from, with("j,uranium\nB,2\nA,1\n"), nil, values, ""},
		{"a column of the names", from, with("name,uranium\nB,2\nA,1\n"), nil, values, ""},
		{"names of rows", from, with(",uranium\nB,2\nA,1\n"), nil, values, ""},
		{"a column that `by` names", model(` from "d.csv"`, ` from "c.csv" by label`),
			with("label,note,uranium\nB,A,2\nA,B,1\n"), nil, values, ""},
		{"rows that agree", from, with("county,uranium\nB,2\nA,1\nB,2\n"), nil, values, ""},
		{"additional keys", from, with("county,uranium\nC,7\nB,2\nA,1\n"), nil, values, ""},
		{"duplicate keys", from, with("county,uranium\nB,2\nA,1\nB,3\n"), nil, nil, "B has 2 in row 1 and 3 in row 3"},
		{"missing keys", from, with("county,uranium\nB,2\nC,1\n"), nil, nil, "no value for A"},
		{"no key", from, with("uranium\n2\n1\n"), nil, nil, "contains the name for each row"},
		{"no such column", model(` from "d.csv"`, ` from "c.csv" by lable`), with("label,uranium\nB,2\nA,1\n"), nil,
			nil,
			"no column \"lable\""},
		{"codes in two files", from, map[string]string{"d.csv": "county,y\n907,1\n35,3\n907,2\n",
			"c.csv": "county,uranium\n907,2\n1,7\n35,1\n"}, nil, values, ""},
		{"zeros lost in one file", from, map[string]string{"d.csv": "county,y\n0907,1\n0035,3\n0907,2\n",
			"c.csv": "county,uranium\n907,2\n35,1\n"}, nil, values, ""},
		{"positions in two files", from, map[string]string{"d.csv": "county,y\n2,1\n1,3\n2,2\n",
			"c.csv": "county,uranium\n2,2\n1,1\n"}, nil, values, ""},
		{"positions by rows", from, map[string]string{"d.csv": "county,y\n2,1\n1,3\n2,2\n", "c.csv": "uranium\n1\n2\n"},
			nil, values, ""},
		{"more positions than occur", from, map[string]string{"d.csv": "county,y\n3,1\n1,3\n3,2\n",
			"c.csv": "uranium\n1\n5\n2\n"}, nil, map[string][]float64{"uranium": {1, 5, 2}, "county": {3, 1, 3}}, ""},
		{"numbers in another order", from, map[string]string{"d.csv": "county,y\n2,1\n1,3\n2,2\n",
			"c.csv": "id,uranium\n2,2\n1,1\n"}, nil, nil, "numbers 1 to 2, but not in this order"},
		{"lists without names", model("", ` = [1, 2]`), two, []Arg{{Path: "d.csv"}}, nil, "without them"},
		{"lists in a declared order", strings.Replace(model("", ` = [2, 1]`), "index(J)", `index(J) order "B", "A"`, 1),
			two, []Arg{{Path: "d.csv"}}, map[string][]float64{"uranium": {2, 1}, "county": {1, 2, 1}}, ""},

		{"nested", nested, map[string]string{
			"d.csv": "school,district,size,y\nb,x,8,1\na,z,9,2\nb,x,8,3\nc,x,8,4\n"}, []Arg{{Path: "d.csv"}},
			map[string][]float64{"school": {2, 1, 2, 3}, "district": {2, 1, 1}, "size": {8, 9}}, ""},
		{"nested that varies", nested, map[string]string{
			"d.csv": "school,district,size,y\nb,x,8,1\na,z,9,2\nb,z,9,3\nc,x,8,4\n"}, []Arg{{Path: "d.csv"}}, nil,
			"b has x in row 1 and z in row 3"},
		{"nested in two files", nested, map[string]string{"d.csv": "school,y\nb,1\na,2\nb,3\nc,4\n",
			"s.csv": "school,district,size\nc,x,8\na,z,9\nb,x,8\n"}, []Arg{{Path: "s.csv"}, {Path: "d.csv"}},
			map[string][]float64{"school": {2, 1, 2, 3}, "district": {2, 1, 1}, "size": {8, 9}}, ""},
		{"nested codes", nested, map[string]string{
			"d.csv": "school,district,size,y\n20,7,8,1\n10,9,9,2\n20,7,8,3\n30,7,8,4\n"}, []Arg{{Path: "d.csv"}},
			map[string][]float64{"school": {2, 1, 2, 3}, "district": {2, 1, 1}, "size": {8, 9}}, ""},

		{"two columns of one set", "data home[N]: index(T), away[N]: index(T), y[N], x[T]\n" +
			"y[i in N] ~ Normal(b * (x[home[i]] - x[away[i]]), 1)\nb ~ Normal(0, 1)\n",
			map[string]string{"d.csv": "home,away,x,y\nA,B,1,1\nB,A,2,1\n"}, []Arg{{Path: "d.csv"}}, nil,
			"`home` and `away`"},

		{"a matrix by names", crossed, map[string]string{"d.csv": visits, "z.csv": "site,tue,mon\nb,4,3\na,2,1\n"}, nil,
			map[string][]float64{"Z": {1, 2, 3, 4}, "site": {2, 1, 1}, "day": {2, 1, 2}}, ""},
		{"a matrix in rows", crossed, map[string]string{"d.csv": visits,
			"z.csv": "site,day,Z\nb,tue,4\na,tue,2\nb,mon,3\na,mon,1\n"}, nil, map[string][]float64{"Z": {1, 2, 3, 4}},
			""},
		{"a matrix by objects", unread, map[string]string{"d.csv": visits, "z.json": `{"Z": {"b": {"tue": 4, "mon": 3}, "a": {"mon": 1, "tue": 2}}}`},
			[]Arg{{Path: "d.csv"}, {Path: "z.json"}}, map[string][]float64{"Z": {1, 2, 3, 4}}, ""},
		{"a matrix by objects without an element", unread, map[string]string{"d.csv": visits,
			"z.json": `{"Z": {"b": {"tue": 4}, "a": {"mon": 1, "tue": 2}}}`},
			[]Arg{{Path: "d.csv"}, {Path: "z.json"}}, nil, "no value for b, mon in"},
		{"a matrix by objects of lists", unread, map[string]string{"d.csv": visits, "z.json": `{"Z": {"b": [4, 3], "a": [2, 1]}}`},
			[]Arg{{Path: "d.csv"}, {Path: "z.json"}}, nil, "without them"},
		{"a matrix without an element", crossed, map[string]string{"d.csv": visits,
			"z.csv": "site,day,Z\nb,tue,4\na,tue,2\na,mon,1\n"}, nil, nil, "no value for b, mon"},
		{"a matrix without a column", crossed, map[string]string{"d.csv": visits, "z.csv": "site,tue\nb,4\na,2\n"}, nil,
			nil, "no column for mon"},
		{"a matrix with other columns", crossed, map[string]string{"d.csv": visits,
			"z.csv": "site,tue,height,mon\nb,4,9,3\na,2,9,1\n"}, nil, map[string][]float64{"Z": {1, 2, 3, 4}}, ""},
		{"distances by names", distances, map[string]string{"d.csv": "site,y\nb,1\na,2\n",
			"z.csv": ",b,a\na,5,0\nb,0,6\n"}, nil, map[string][]float64{"D": {0, 5, 6, 0}}, ""},
		{"distances by columns", distances, map[string]string{"d.csv": "site,y\nb,1\na,2\n",
			"z.csv": "b,a\n0,6\n5,0\n"}, nil, map[string][]float64{"D": {0, 5, 6, 0}}, ""},
	}
}

// Values of groups are found by the names or numbers of the groups, wherever they are, or are refused.
func TestElementsAreFoundByKeys(t *testing.T) {
	t.Parallel()
	for _, c := range keyCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d, ds := bound(t, c.model, c.files, c.args...)
			checkKeyCase(t, c, d, ds)
		})
	}
}

func checkKeyCase(t *testing.T, c keyCase, d *dataset.Dataset, ds []diag.Diagnostic) {
	t.Helper()
	if c.refused != "" {
		if d != nil || !slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
			return strings.Contains(x.Message, c.refused)
		}) {
			t.Errorf("diagnostics are %v, want %q", ds, c.refused)
		}
		return
	}
	if d == nil {
		t.Fatal(ds)
	}
	for name, want := range c.want {
		if got := valuesOf(t, d, name); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}

// The order of rows in any of the files changes nothing but the order of the rows over N.
func TestOrderOfRowsChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range keyCases() {
		if c.refused != "" || strings.Contains(c.name, "positions by rows") || strings.HasPrefix(c.name,
			"more positions") ||
			strings.HasPrefix(c.name, "distances by columns") ||
			strings.HasPrefix(c.name, "a matrix by its name") || c.name == "columns of pandas" ||
			strings.HasPrefix(c.name, "records") {
			continue // rows without names have no other order
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			for name, text := range c.files {
				files[name] = reversed(name, text)
			}
			d, ds := bound(t, c.model, files, c.args...)
			if d == nil {
				t.Fatal(ds)
			}
			for a, x := range d.Arrays {
				want, known := c.want[a.Name]
				if rows := len(a.Type.Axes) > 0 && a.Type.Axes[0].Name == "N"; rows {
					want = slices.Clone(want)
					slices.Reverse(want)
				}
				if got := x.Values.Doubles(); known && !slices.Equal(got, want) {
					t.Errorf("%s = %v, want %v", a.Name, got, want)
				}
			}
		})
	}
}

// reversed is a table with its rows the other way round.
func reversed(name, text string) string {
	if filepath.Ext(name) != ".csv" {
		return strings.NewReplacer(`["B","A","B"]`, `["B","A","B"]`, "[2,1,2]", "[2,1,2]", "[1,3,2]",
			"[2,3,1]").Replace(text)
	}
	lines := strings.Split(strings.TrimSpace(text), "\n")
	slices.Reverse(lines[1:])
	return strings.Join(lines, "\n") + "\n"
}

// Values of groups are found in files that stay on disk, too.
func TestKeysInFilesOnDisk(t *testing.T) {
	t.Parallel()
	for _, c := range keyCases() {
		if c.name != "a long table" && c.name != "codes" && c.name != "varies" && c.name != "nested" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "d.csv"), []byte(c.files["d.csv"]), 0o600); err != nil {
				t.Fatal(err)
			}
			f, _ := parse.File(source.New("model.ppl", c.model))
			m, ds := check.File(f, nil)
			if diag.HasErrors(ds) {
				t.Fatal(ds)
			}
			d, ds := Data(m, dir, []Arg{{Path: filepath.Join(dir, "d.csv")}},
				datafile.RowCache{Memory: 10, Dir: filepath.Join(dir, "rows")})
			if c.refused == "" {
				delete(c.want, "y")
				delete(c.want, "school") // these stay on disk
			}
			checkKeyCase(t, c, d, ds)
		})
	}
}

// A group of a run that new data do not describe keeps what the run knows of it; a new one needs a value.
func TestNewDataKeepValuesOfGroups(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		csv     string
		want    []float64
		refused string
	}{
		{"county,uranium\nB,2\n", []float64{1, 2}, ""},
		{"county,uranium\nB,5\nC,9\n", []float64{1, 5, 9}, ""},
		{"county,uranium\nB,5\nC,NA\n", nil, "missing values"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "d.csv")
		if err := os.WriteFile(path, []byte(c.csv), 0o600); err != nil {
			t.Fatal(err)
		}
		f, _ := parse.File(source.New("model.ppl", strings.ReplaceAll(counties, "%s", "")))
		m, _ := check.File(f, nil)
		for _, a := range m.Arrays {
			a.Optional = a.Name == "y"
		}
		known := KnownOf(nil, variables("uranium", "J", []string{"A", "B"}), nil, func(string) ([]float64, error) {
			return []float64{1, 2}, nil
		})
		d, ds := NewData(m, dir, []Arg{{Path: path}}, datafile.RowCache{Memory: 1 << 30}, known)
		checkKeyCase(t, keyCase{want: map[string][]float64{"uranium": c.want}, refused: c.refused}, d, ds)
	}
}

// Parts of a smaller array are at the beginning of each axis of a larger one.
func TestEmbedded(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	got := embedded([]float64{1, 2, 3, 4}, []int{2, 2}, []int{3, 3})
	for i, want := range []float64{1, 2, nan, 3, 4, nan, nan, nan, nan} {
		if got[i] != want && !(math.IsNaN(got[i]) && math.IsNaN(want)) {
			t.Errorf("element %d is %g, want %g", i, got[i], want)
		}
	}
}

// variables describes one array of a run over a set with names.
func variables(name, set string, labels []string) []types.Variable {
	return []types.Variable{{Name: name, Dims: []string{set}, Shape: []int{len(labels)}, Label: [][]string{labels}}}
}
