package bind

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/parquet-go/parquet-go"

	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/dataset"
	"ppl/compiler/frontend/check"
	"ppl/compiler/frontend/model"
	"ppl/lang/diag"
	"ppl/lang/parse"
	"ppl/lang/source"
	"ppl/numbers"
)

// A described dataset is one by names, to be compared with that of another process, which has a model of its own.
type described struct {
	Arrays               map[string]describedArray
	Sizes                map[string]int
	Labels               map[string][]string
	Rows                 map[string][]int
	Kept, Terms, Imputed []string
	Memory               int64
}

type describedArray struct {
	Shape  []int
	Values numbers.List
	Finite bool
	Origin string
}

func describe(d *dataset.Dataset) described {
	out := described{Arrays: map[string]describedArray{}, Sizes: map[string]int{}, Labels: map[string][]string{},
		Rows: map[string][]int{}, Memory: d.Memory}
	for a, x := range d.Arrays {
		out.Arrays[a.Name] = describedArray{x.Shape, x.Values, x.Finite, x.Origin}
	}
	for z, n := range d.Sizes {
		out.Sizes[z.Name] = n
	}
	for z, names := range d.Labels {
		out.Labels[z.Name] = names
	}
	for z, numbers := range d.RowNumbers {
		out.Rows[z.Name] = numbers
	}
	for _, a := range d.Model.Arrays {
		out.Kept = append(out.Kept, a.Name)
		if h := d.Imputed[a]; h != nil {
			out.Imputed = append(out.Imputed, a.Name)
		}
	}
	for _, t := range d.Model.Terms {
		out.Terms = append(out.Terms, t.Array.Name)
	}
	return out
}

func checkedModel(t *testing.T, text string) *model.Model {
	t.Helper()
	f, ds := parse.File(source.New("model.ppl", text))
	m, more := check.File(f, nil)
	if ds = append(ds, more...); diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	return m
}

// What a second process finds is what the first has bound, though the data files are gone by then; and the first goes
// on with the same numbers.
func TestSharedDataset(t *testing.T) {
	const table = "g,age,meal,y\nb,74,1175,1\na,68,NA,2\nb,56,1150,3\n"
	for name, text := range map[string]string{
		"numbers": "data y[N] from \"d.csv\"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)\n",
		"labels": "data g[N]: index(J), y[N] from \"d.csv\"\nm[J] ~ Normal(0, 1)\n" +
			"y[i in N] ~ Normal(m[g[i]], 1)\n",
		"codes": "data age[N]: index(J), y[N] from \"d.csv\"\nm[J] ~ Normal(0, 1)\n" +
			"y[i in N] ~ Normal(m[age[i]], 1)\n",
		"complete": "data meal[N], y[N] from \"d.csv\" complete\nm ~ Normal(0, 1)\n" +
			"y[i in N] ~ Normal(m * meal[i], 1)\n",
		"missing": "data meal[N] missing, y[N] from \"d.csv\"\nm ~ Normal(0, 1)\nmeal[i in N] ~ Normal(m, 1)\n" +
			"y[i in N] ~ Normal(meal[i], 1)\n",
		"columns": "data X[N, K], y[N] from \"e.csv\"\nb[K] ~ Normal(0, 1)\nmu = X @ b\ny[i in N] ~ Normal(mu[i], 1)\n",
		"ragged": "data y[I, n] = [[5], [3, 4, 1], [2, 2]], n[I]\nm[I] ~ Normal(0, 1)\n" +
			"y[i in I, j in 1..n[i]] ~ Normal(m[i], 1)\n",
		"optional": "data y[N] from \"d.csv\"\ndata x_new[M]\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)\n" +
			"generate z[j in M] = m * x_new[j]\n",
	} {
		dir := t.TempDir()
		for file, text := range map[string]string{"d.csv": table, "e.csv": "a,b,y\n1,2,3\n4,5,6\n"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		alone := datafile.RowCache{Memory: 1 << 30, Bound: 1 << 30, Dir: filepath.Join(t.TempDir(), "rows")}
		together := alone
		together.SharedAs = "shared-x"
		want, ds := Data(checkedModel(t, text), dir, nil, alone)
		if want == nil {
			t.Fatal(name, ds)
		}
		first, ds := Data(checkedModel(t, text), dir, nil, together)
		if first == nil {
			t.Fatal(name, ds)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		other, ds := Data(checkedModel(t, text), dir, nil, together)
		if other == nil {
			t.Fatal(name, ds)
		}
		for who, got := range map[string]*dataset.Dataset{"first": first, "other": other} {
			if diff := cmp.Diff(describe(want), describe(got), equateNaNs()); diff != "" {
				t.Errorf("%s, %s:\n%s", name, who, diff)
			}
		}
		changed, _ := Data(checkedModel(t, text+"generate w = 1 + 1\n"), dir, nil, together)
		if changed != nil && name != "ragged" {
			t.Errorf("%s: another model has the numbers of this one", name)
		}
	}
}

func equateNaNs() cmp.Option {
	return cmp.FilterValues(func(x, y float64) bool { return x != x && y != y }, cmp.Comparer(func(_, _ float64) bool {
		return true
	}))
}

// Where nothing can be shared, that is said, and each process has the data.
func TestNothingShared(t *testing.T) {
	file := filepath.Join(t.TempDir(), "no directory")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d, ds := Data(checkedModel(t, "data y[N] = [1, 2]\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)\n"), "", nil,
		datafile.RowCache{Memory: 1 << 30, Dir: file, SharedAs: "shared-x"})
	if d == nil || len(ds) != 1 || ds[0].Severity == diag.Error {
		t.Error(d, ds)
	}
}

// A rowOfParts is a row of the files that writeParts writes.
type rowOfParts struct {
	A, B, Y float64
	G       int64
}

// writeParts writes files of a data set, which together have enough rows to be kept in a room, after change.
func writeParts(t *testing.T, dir string, change func(part, row int, r *rowOfParts)) {
	t.Helper()
	for part := range 3 {
		rows := make([]rowOfParts, numbers.Many/2)
		for i := range rows {
			rows[i] = rowOfParts{math.Sin(float64(i)), float64(part), float64(i % 7), int64(1 + i%3)}
			change(part, i, &rows[i])
		}
		if err := parquet.WriteFile(filepath.Join(dir, fmt.Sprint("p", part, ".parquet")), rows); err != nil {
			t.Fatal(err)
		}
	}
}

const modelOfParts = `data X[N, K] from "p*.parquet" columns "A", "B"
data G[N]: index(J), Y[N] from "p*.parquet"
b[K] ~ Normal(0, 1)
m[J] ~ Normal(0, 1)
mu = X @ b
Y[i in N] ~ Normal(mu[i] + m[G[i]], 1)
`

// bindParts binds the data that writeParts has written twice: alone, and in a process that shares them.
func bindParts(t *testing.T, dir string) (alone, shared *dataset.Dataset, of, ofShared []diag.Diagnostic) {
	t.Helper()
	cache := datafile.RowCache{Memory: 1 << 30, Bound: 1 << 30, Dir: filepath.Join(t.TempDir(), "rows")}
	alone, of = Data(checkedModel(t, modelOfParts), dir, nil, cache)
	cache.SharedAs = "shared-x"
	shared, ofShared = Data(checkedModel(t, modelOfParts), dir, nil, cache)
	left, err := os.ReadDir(cache.Dir)
	if err != nil || shared == nil && len(left) > 0 || shared != nil && len(left) != 1 {
		t.Errorf("left: %v, %v", left, err)
	}
	return alone, shared, of, ofShared
}

func messages(ds []diag.Diagnostic) (text string) {
	for _, d := range ds {
		text += d.Message + "\n"
	}
	return text
}

// Columns of Parquet files that are written to the shared file while they are read have the numbers of the files.
func TestSharedParts(t *testing.T) {
	dir := t.TempDir()
	writeParts(t, dir, func(int, int, *rowOfParts) {})
	alone, shared, ds, _ := bindParts(t, dir)
	if alone == nil || shared == nil {
		t.Fatal(ds)
	}
	if diff := cmp.Diff(describe(alone), describe(shared), equateNaNs()); diff != "" {
		t.Error(diff)
	}
}

// A mistake in one row is reported as in a process that does not share, and nothing is left in the cache.
func TestMistakeInSharedParts(t *testing.T) {
	for name, change := range map[string]func(part, row int, r *rowOfParts){
		"missing": func(part, row int, r *rowOfParts) {
			if part == 2 && row == 17 {
				r.Y = math.NaN()
			}
		},
		"missing predictor": func(part, row int, r *rowOfParts) {
			if part == 1 && row == 5 {
				r.A = math.NaN()
			}
		},
	} {
		dir := t.TempDir()
		writeParts(t, dir, change)
		alone, shared, ds, ofShared := bindParts(t, dir)
		if alone != nil || shared != nil || !diag.HasErrors(ds) {
			t.Fatal(name, ds)
		}
		if a, b := messages(ds), messages(ofShared); a != b {
			t.Errorf("%s: %s, and shared: %s", name, a, b)
		}
	}
}

// A file that lacks a column is named.
func TestSharedPartsDiffer(t *testing.T) {
	dir := t.TempDir()
	writeParts(t, dir, func(int, int, *rowOfParts) {})
	short := make([]struct{ A, B float64 }, 5)
	if err := parquet.WriteFile(filepath.Join(dir, "p1.parquet"), short); err != nil {
		t.Fatal(err)
	}
	alone, shared, ds, ofShared := bindParts(t, dir)
	text := messages(ofShared)
	if alone != nil || shared != nil || text != messages(ds) || !strings.Contains(text, "p1.parquet") {
		t.Error(text)
	}
}
