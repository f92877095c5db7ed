package compiler_test

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/lang/diag"
)

// TestLeaveOut checks that the density without a row equals that of the model with the row removed from the data, and
// that the difference to the full density is the density of the row.
func TestLeaveOut(t *testing.T) {
	t.Parallel()
	const text = "data x[N], y[N]\na, b ~ Normal(0, 1)\ns ~ HalfNormal(1)\ne[k in 1..2] ~ Normal(0, s) noncentered\n" +
		"y[i in N] ~ Normal(a + b * x[i] + e[1] - e[2], s)\n"
	whole := loadedWith(t, text, `{"x": [1, 2, 3], "y": [0.5, -1, 2]}`)
	fewer := loadedWith(t, text, `{"x": [1, 3], "y": [0.5, 2]}`)
	out := whole.LeaveOut("y", 1)
	theta := []float64{0.3, -0.2, 0.4, 1.1, -0.7}
	at := func(f func(autodiff.Node) (autodiff.Node, autodiff.Node)) (prior, lik float64) {
		p, l := f(autodiff.New().Data("theta", theta, len(theta)))
		v := autodiff.Eval(nil, p, l)
		return v[0][0], v[1][0]
	}
	prior, lik := at(out.Density)
	wantPrior, want := at(fewer.Density)
	_, all := at(whole.Density)
	values := autodiff.Eval(nil, out.Values(autodiff.New().Data("theta", theta, len(theta))))[0]
	row := values[len(values)-1]
	for _, c := range [][2]float64{{prior, wantPrior}, {lik, want}, {lik + row, all}} {
		if math.Abs(c[0]-c[1]) > 1e-12*math.Abs(c[1]) {
			t.Errorf("%v, want %v", c[0], c[1])
		}
	}
	if len(values) != len(autodiff.Eval(nil, whole.Values(autodiff.New().Data("theta", theta, 5)))[0])+1 {
		t.Error("Values have more than what is saved and the row")
	}
}

func loadedWith(t *testing.T, text, data string) *compiler.Program {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"m.ppl": text, "d.json": data} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, ds := compiler.Load(compiler.Request{Path: filepath.Join(dir, "m.ppl"),
		Data: []compiler.DataArg{{Path: filepath.Join(dir, "d.json")}}})
	if diag.HasErrors(ds) {
		t.Fatal(ds)
	}
	return p
}
