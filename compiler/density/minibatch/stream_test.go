package minibatch_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/lang/diag"
)

// streamModels returns models whose data are treated as too large for memory: two files, a matrix of all columns, text,
// neighbours, definitions from data, a summed-out latent, and a table with two axes.
func streamModels() map[string]string {
	return map[string]string{
		"columns": `data y[N], x[N] from "t.csv"
a, b ~ Normal(0, 1)
y[i in N] ~ Normal(a + b * x[i], 1)`,
		"lifted": `data y[N], x[N] from "t.csv"
a, b ~ Normal(0, 1)
y ~ Normal(a + b * (x / 2), 1)`,
		"numbered": `data y[N], x[N] from "t.csv"
e[i in N] = i * i / 100
a, b ~ Normal(0, 1)
u[N] ~ Normal(0, 1)
y[i in N] ~ Normal(a + b * i + u[i] + e[i], 1)`,
		"matrix": `data y[N] from "t.csv"
data X[N, D] from "t.csv"
beta[D] ~ Normal(0, 1)
y ~ Normal(X @ beta, 1)`,
		"groups": `data g[N]: index(J), y[N] from "t.csv"
m[J] ~ Normal(0, 1)
y[i in N] ~ Normal(m[g[i]], 1)`,
		"codes from 0": `data z[N]: index(J), y[N] from "t.csv"
m[J] ~ Normal(0, 1)
y[i in N] ~ Normal(m[z[i]], 1)`,
		"dates": `data day[N], y[N] from "t.csv"
a, b ~ Normal(0, 1)
y[i in N] ~ Normal(a + b * (day[i] - 19782) / 10, 1)`,
		"columns of dates": `data y[N] from "t.csv"
data X[N, D] from "t.csv" columns "x", "day", "time"
beta[D] ~ Normal(0, 1)
y ~ Normal(X @ beta / 1e4, 1)`,
		"dates as groups": `data day[N]: index(J), y[N] from "t.csv"
m[J] ~ Normal(0, 1)
y[i in N] ~ Normal(m[day[i]], 1)`,
		"shared labels": `data g[N]: index(J), h[N]: index(J), y[N] from "t.csv"
m[J] ~ Normal(0, 1)
y[i in N] ~ Normal(m[g[i]] - m[h[i]], 1)`,
		"defined": `data y[N], x[N], z[N] from "t.csv"
scaled[i in N] = (x[i] - 1) / 2
w[i in N] = scaled[i] * scaled[i] + z[i]
mu[i in N] = a + b * w[i]
a, b ~ Normal(0, 1)
y[i in N] ~ Normal(mu[i], exp(a))`,
		"past": `data y[N] from "t.csv"
a, b ~ Normal(0, 1)
y[i in 3..N] ~ Normal(a + b * y[i-1] + y[i-2], 1)`,
		"guarded": `data y[N] from "t.csv"
a, b ~ Normal(0, 1)
y[i in N] ~ Normal(i > 1 ? a + b * y[i-1] : a, 1)`,
		"mixture": `data y[N] from "t.csv"
K = 2
w[K] ~ Dirichlet(fill(1, K))
m[K] ~ Normal(0, 1) ordered
z[i in N] ~ Categorical(w)
y[i in N] ~ Normal(m[z[i]], 1)`,
		"wide": `data Y[N, D] from "Y.npy"
m[D] ~ Normal(0, 1)
Y[i in N, d in 1..3] ~ Normal(m[d], 1)
D = 3`,
		"wide past": `data Y[N, D] from "Y.npy"
m[D] ~ Normal(0, 1)
Y[i in 2..N, d in 1..3] ~ Normal(m[d] + Y[i-1, d], 1)
D = 3`,
		"bodies": `data Y[N, D] from "Y.npy"
D = 3
a, b ~ Normal(0, 1)
net(v[K]) = {
    half[k in K] = v[k] / 2
    w[k in K] = tanh(half[k] * b)
    h[1] = v[1]
    h[t in 2..K] = a * h[t-1] + half[t]
    s[1] = v[1]
    s[t in 2..K] = s[t-1] / 2 + v[t]
    return sum(w) + h[K] + a * s[K]
}
Y[i in N, d in 1..3] ~ Normal(net(Y[i]), 1)`,
		"two files": `data y[N] from "t.csv"
data Y[N, D] from "Y.npy"
D = 3
m[D] ~ Normal(0, 1)
y[i in N] ~ Normal(sum(d in D: Y[i, d] * m[d]), 1)`,
	}
}

// writeStreamData writes the files that streamModels read, with 40 rows.
func writeStreamData(t *testing.T, dir string) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	var table strings.Builder
	table.WriteString("y,x,g,u,z,h,day,time\n")
	for range 40 {
		fmt.Fprintf(&table,
			"%.4f,%.4f,%s,%.4f,%d,%s,2024-02-%02d,2024-02-29 0%d:30\n", r.NormFloat64(), r.NormFloat64(),
			[]string{"red", "green", "blue"}[r.IntN(3)], r.NormFloat64(), r.IntN(5),
			[]string{"amber", "green"}[r.IntN(2)], 1+r.IntN(29), r.IntN(9))
	}
	array := "\x93NUMPY\x01\x00\x46\x00" +
		fmt.Sprintf("%-69s\n", "{'descr': '|i1', 'fortran_order': False, 'shape': (40, 3), }")
	for range 120 {
		array += string([]byte{byte(int8(r.IntN(9) - 4))})
	}
	for name, text := range map[string]string{"t.csv": table.String(), "Y.npy": array} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStreamedRows checks that a program whose data are in files gives for every row the same numbers as the program
// with all data in memory.
func TestStreamedRows(t *testing.T) {
	t.Parallel()
	for name, text := range streamModels() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			writeStreamData(t, dir)
			model := filepath.Join(dir, "m.ppl")
			if err := os.WriteFile(model, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			memory, ds := compiler.Load(compiler.Request{Path: model})
			streamed, more := compiler.Load(compiler.Request{Path: model,
				Cache: &compiler.RowCache{Dir: filepath.Join(dir, "rows")}})
			if memory == nil || streamed == nil {
				t.Fatal(ds, more)
			}
			n, err := memory.Rows()
			m, err2 := streamed.Rows()
			if err != nil || err2 != nil || n != m || memory.Streams() != 0 || streamed.Streams() == 0 {
				t.Fatalf("%d rows, %v; %d rows, %v, in %d streams", n, err, m, err2, streamed.Streams())
			}
			theta := make([]float64, memory.Dim())
			for i := range theta {
				theta[i] = 0.3 + 0.1*float64(i)
			}
			rows := make([]float64, n)
			for i, row := range rand.New(rand.NewPCG(2, 2)).Perm(n) {
				rows[i] = float64(row)
			}
			want := splitKnown(t, memory, theta, inData(t, streamed, rows))
			for way, got := range map[string][]float64{"known rows": splitKnown(t, streamed, theta, rows),
				"inputs": splitInputs(t, streamed, theta, rows)} {
				if !slices.Equal(got, want) {
					t.Errorf("%s: %v, in memory %v", way, got, want)
				}
			}
		})
	}
}

// TestStreamedRowsNeedNoMemory checks that rows in a file may be more than fit in memory, and that other axes may not.
func TestStreamedRowsNeedNoMemory(t *testing.T) {
	t.Parallel()
	const rows = "data y[N], x[N] from \"t.csv\"\na, b ~ Normal(0, 1)\ny[i in N] ~ Normal(a + b * x[i], 1)"
	for _, c := range []struct {
		text string
		want diag.Code
	}{{rows, ""}, {rows + "\nM = 50\nc[M] ~ Normal(0, 1)", diag.TooManyElements}} {
		dir := t.TempDir()
		writeStreamData(t, dir)
		model := filepath.Join(dir, "m.ppl")
		if err := os.WriteFile(model, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		p, ds := compiler.Load(compiler.Request{Path: model,
			Cache: &compiler.RowCache{Dir: filepath.Join(dir, "rows"), Memory: 1000}})
		switch at := slices.IndexFunc(ds, func(d diag.Diagnostic) bool { return d.Code == c.want }); {
		case c.want == "" && (p == nil || p.Streams() == 0):
			t.Errorf("40 rows in a file are refused: %v", ds)
		case c.want != "" && (p != nil || at < 0):
			t.Errorf("50 parameters are accepted: %v", ds)
		}
	}
}

// splitKnown evaluates the results of Split: the log prior, the log density of observations that belong to no row, and
// the log likelihood of each row. The row numbers are constants of the graph.
func splitKnown(t *testing.T, p *compiler.Program, theta, rows []float64) []float64 {
	t.Helper()
	g := autodiff.New()
	prior, whole, terms := p.Split(g.Input("theta", p.Dim()), g.Data("rows", rows, len(rows)))
	out := autodiff.Eval(map[string][]float64{"theta": theta}, prior, whole, terms)
	return slices.Concat(out...)
}

// splitInputs is splitKnown with row numbers that are inputs of the graph.
func splitInputs(t *testing.T, p *compiler.Program, theta, rows []float64) []float64 {
	t.Helper()
	g := autodiff.New()
	prior, whole, terms := p.Split(g.Input("theta", p.Dim()), g.Input("rows", len(rows)))
	inputs := map[string][]float64{"theta": theta, "rows": rows}
	for k := range p.Streams() {
		name := p.StreamInput(k, len(rows), false)
		inputs[name] = make([]float64, len(rows)*p.StreamWidth(k))
		if err := p.ReadRows(k, rows, inputs[name]); err != nil {
			t.Fatal(err)
		}
	}
	return slices.Concat(autodiff.Eval(inputs, prior, whole, terms)...)
}

// inData returns the numbers that rows have with all data in memory. If the program numbers rows in the order of its
// files, the records of the files give these numbers.
func inData(t *testing.T, p *compiler.Program, rows []float64) []float64 {
	t.Helper()
	if !p.Mixed() {
		return rows
	}
	width := p.StreamWidth(0)
	records := make([]float64, len(rows)*width)
	if err := p.ReadRows(0, rows, records); err != nil {
		t.Fatal(err)
	}
	var out []float64
	for i := range rows {
		out = append(out, records[i*width])
	}
	return out
}

// TestStreamedChecks checks that errors in data in files are reported as for data in memory.
func TestStreamedChecks(t *testing.T) {
	t.Parallel()
	const groups = "data g[N]: index(J), y[N] from \"t.csv\"\n"
	for _, test := range []struct{ data, model, want string }{
		{"y,g\n1,1\n2,9\n", "data g[N]: index(J), y[N] from \"t.csv\"\nJ = 3\nm[J] ~ Normal(0, 1)\ny[i in N] ~ " +
			"Normal(m[g[i]], 1)", "E56: value 9 of `g` (row 2, "},
		{"y,g\n1,1\n2,1.5\n", groups + "m[J] ~ Normal(0, 1)\ny[i in N] ~ Normal(m[g[i]], 1)",
			"E57: value 1.5 of `g` (row 2, "},
		{"y,g\n1,1\n2,0\n", groups + "J = 3\nm[J] ~ Normal(0, 1)\ny[i in N] ~ Normal(m[g[i]], 1)",
			"E56: value 0 of `g` (row 2, "},
		{"y,g\n1,1\n2,4\n", "data g[N], y[N] from \"t.csv\"\nJ = 3\nm[J] ~ Normal(0, 1)\ny[i in N] ~ " +
			"Normal(m[g[i]], 1)", "E45: "},
		{"y\n1\n-3\n", "data y[N] from \"t.csv\"\nm ~ HalfNormal(1)\ny[i in N] ~ Poisson(m)",
			"E57: `y` is -3 (row 2, "},
		{"y\n0\n2\n", "data y[N] from \"t.csv\"\nm ~ Beta(1, 1)\ny[i in N] ~ Bernoulli(m)", "E57: `y` is 2 (row 2, "},
		{"y,s\n0,1\n2,-1\n", "data y[N], s[N] from \"t.csv\"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, s[i])",
			"E51: the argument `sd` of `Normal` must be positive"},
		{"y\n1\nNA\n", "data y[N] from \"t.csv\"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)",
			"W05: `y` has missing values in "},
		{"y\n1\nred\n", "data y[N] from \"t.csv\"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)",
			"E57: `y` is text, not numbers: \"red\" (row 2, "},
		{"y\n1\n7\n", "data y[N] in 0..5 from \"t.csv\"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m, 1)",
			"E56: value 7 of `y` (row 2, "},
		{"y\n1\n7\n", "data y[N] from \"t.csv\"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m + y[i-1], 1)",
			"E45: subscript 1 of `y` runs to 0"},
		{"y\n1\n7\n", "data y[N], x[N] from \"t.csv\"\nm ~ Normal(0, 1)\ny[i in N] ~ Normal(m + x[i], 1)", "E83: "},
	} {
		dir := t.TempDir()
		model := filepath.Join(dir, "m.ppl")
		for path, text := range map[string]string{model: test.model, filepath.Join(dir, "t.csv"): test.data} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		memory, whole := compiler.Load(compiler.Request{Path: model})
		streamed, byRows := compiler.Load(compiler.Request{Path: model,
			Cache: &compiler.RowCache{Dir: filepath.Join(dir, "rows")}})
		for place, ds := range map[string][]diag.Diagnostic{"memory": whole, "a file": byRows} {
			if memory != nil || streamed != nil ||
				!slices.ContainsFunc(ds, func(d diag.Diagnostic) bool {
					return strings.HasPrefix(string(d.Code)+": "+d.Message, test.want)
				}) {
				t.Errorf("%s\nwith data in %s: %v, want %s", test.model, place, ds, test.want)
			}
		}
	}
}
