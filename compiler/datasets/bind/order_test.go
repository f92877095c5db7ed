package bind

import (
	"os"
	"slices"
	"strings"
	"testing"

	"ppl/lang/diag"
)

// Models that read the order of texts without one are refused; those that read one element by its number are warned.
func TestWhatReadsAnOrder(t *testing.T) {
	t.Parallel()
	const reads, place = "depends on the order", "texts are in alphabetical order"
	for text, says := range map[string]string{
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j]":                           "",
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j] / J":                       "",
		"a[J] ~ Normal(0, 1)\nb[j in J] = j == \"B\" ? a[j] : a[\"A\"]":   "",
		"a[J] ~ Normal(0, 1)\nb[j in J] = sum(k in J: k == j ? 0 : a[k])": "",
		"a[J] ~ Normal(0, 1)\nb[j in J] = sum(a) - a[j]":                  "",
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j] * j":                       reads,
		"a[J] ~ Normal(0, 1)\nb[j in J] = j > 1 ? a[j] : 0":               reads,
		"a[J] ~ Normal(0, 1)\nb[j in J] = sum(k in 1..j: a[k])":           reads,
		"a[J] ~ Normal(0, 1)\nb = cumsum(a)":                              reads,
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j]\nd[j in 1..J-1] = a[j+1]":  reads,
		"a[1] = 0\na[j in 2..J] ~ Normal(a[j-1], 1)\nb[j in J] = a[j]":    reads,
		"a[J] ~ Normal(0, 1) ordered\nb[j in J] = a[j]":                   reads,
		"a[1] = 0\na[j in 2..J] ~ Normal(0, 1)\nb[j in J] = a[j]":         place,
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j] - a[2]":                    place,
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j] - a[J]":                    place,
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j] - sum(a[1..2])":            place,
		"a[J] ~ Normal(0, 1)\nb[j in J] = j == 2 ? a[j] : 0":              place,
		"a[J] ~ Normal(0, 1)\nb[j in J] = a[j] * x":                       "",
	} {
		model := "data g[N]: index(J), y[N], x\n" + text + "\ny[i in N] ~ Normal(b[g[i]], 1)\n"
		check := func(model, json, says string) {
			d, ds := bound(t, model, map[string]string{"d.json": json}, Arg{Path: "d.json"})
			found := slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
				return says != "" && strings.Contains(x.Message, says)
			})
			other := slices.ContainsFunc(ds, func(x diag.Diagnostic) bool {
				return strings.Contains(x.Message, reads) || strings.Contains(x.Message, place)
			})
			if found != (says != "") || other != found || (d == nil) != (says == reads) {
				t.Errorf("%s with %s: %v, want %q", model, json, ds, says)
			}
		}
		check(model, `{"g": ["B", "A", "C"], "y": [1, 2, 3], "x": 1}`, says)
		check(model, `{"g": ["2024-01-02", "2024-01-01", "2024-02-01"], "y": [1, 2, 3], "x": 1}`,
			"")
		check(strings.Replace(model, "index(J)", `index(J) order "B", "C", "A"`, 1),
			`{"g": ["B", "A", "C"], "y": [1, 2, 3], "x": 1}`, "")
	}
}

// Texts over a set of a constant size have the numbers that the model or the file gives them.
func TestTextsOfConstantSets(t *testing.T) {
	t.Parallel()
	ordered, err := os.ReadFile("../datafile/testdata/ordered.feather")
	if err != nil {
		t.Fatal(err)
	}
	const likelihood = "a[1..3] ~ Normal(0, 1)\ny[i in N] ~ Normal(a[g[i]], 1)\n"
	for _, c := range []struct {
		model, file, text string
		want              []float64
		refused           string
	}{
		{"data g[N]: index(3) order \"x\", \"z\", \"w\"\ndata y[N]\n", "d.csv", "g,y\nz,1\nw,2\nz,3\n",
			[]float64{2, 3, 2}, ""},
		{"J = 3\ndata g[N]: index(J) order \"x\", \"z\", \"w\"\ndata y[N]\n", "d.csv", "g,y\nz,1\nw,2\nz,3\n",
			[]float64{2, 3, 2}, ""},
		{"data g[N]: index(3), h[N]: index(3) order \"x\", \"z\", \"w\"\ndata y[N]\n", "d.csv",
			"g,h,y\nz,x,1\nw,w,2\nz,z,3\n", []float64{2, 3, 2}, ""},
		{"data g[N]: index(3), y[N]\n", "d.json", `{"g": ["3", "1", "3"], "y": [1, 2, 3]}`, []float64{3, 1, 3}, ""},
		{"data g[N]: index(3) from \"d.feather#answer\" complete\ndata y[M] from \"d.feather\"\nz[i in M] = y[i]\n",
			"d.feather", string(ordered), []float64{3, 1, 3}, ""},
		{"data g[N]: index(3), y[N]\n", "d.csv", "g,y\nz,1\nw,2\nz,3\n", nil, "which text is which number"},
		{"data J\ndata g[N]: index(J), y[N]\n", "d.json", `{"J": 3, "g": ["z", "w", "z"], "y": [1, 2, 3]}`, nil,
			"which text is which number"},
		{"data g[N]: index(3), h[N]: index(3), y[N]\n", "d.csv", "g,h,y\nz,1,1\nw,2,2\nz,3,3\n", nil, "names"},
		{"data g[N]: index(3) order \"x\", \"z\"\ndata y[N]\n", "d.csv", "g,y\nz,1\nx,2\n", nil, "has 2 elements"},
		{"data g[N]: index(3) order \"x\", \"z\", \"w\"\ndata y[N]\n", "d.csv", "g,y\nz,1\nv,2\nz,3\n", nil,
			"is not in the order"},
	} {
		model := c.model + likelihood
		if strings.Contains(model, "y[M]") {
			model = c.model + "a[1..3] ~ Normal(0, 1)\nw[i in N] ~ Normal(a[g[i]], 1)\n"
		}
		var args []Arg
		if !strings.Contains(model, "from") {
			args = []Arg{{Path: c.file}}
		}
		d, ds := bound(t, model, map[string]string{c.file: c.text}, args...)
		checkKeyCase(t, keyCase{want: map[string][]float64{"g": c.want}, refused: c.refused}, d, ds)
	}
}
