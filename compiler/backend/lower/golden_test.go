package lower_test

import (
	"flag"
	"os"
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/lower"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestGolden compares two small programs with golden files: the gradient of a regression with a gather, and a step that
// updates its state in place.
func TestGolden(t *testing.T) {
	for name, e := range map[string]lower.Entry{"regression": regression(), "walk": walk()} {
		t.Run(name, func(t *testing.T) {
			got, path := program(t, e).String(), "testdata/"+name+".ir"
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs (go test -update rewrites it):\n%s", path, got)
			}
		})
	}
}

func regression() lower.Entry {
	g := ad.New()
	theta := g.Input("theta", 4)
	x := g.Data("x", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 9)
	y := g.Data("y", []float64{2, 4, 5, 4, 5, 7, 9, 9, 12}, 9)
	group := g.Data("group", []float64{0, 0, 0, 1, 1, 1, 0, 1, 0}, 9)
	a, b, sd := part(theta, 0, 2), scalarAt(theta, 2), ad.Exp(scalarAt(theta, 3))
	lp := ad.SumAll(normal(ad.Log(y), ad.Add(ad.Gather(a, group), ad.Mul(b, x)), sd))
	return lower.Entry{Name: "gradient", Assign: []lower.Assign{{Name: "lp", Value: lp},
		{Name: "grad", Value: ad.Grad(lp, theta)[0]}}}
}

func walk() lower.Entry {
	g := ad.New()
	x, v, eps := g.Input("x", 3), g.Input("v", 3), g.Input("eps")
	v1 := ad.Add(ad.Mul(g.Const(0.9), v), ad.Mul(eps, g.Normal(1, 3)))
	x1 := ad.Add(x, v1)
	return lower.Entry{Name: "walk", Assign: []lower.Assign{{Name: "x", Value: x1}, {Name: "v", Value: v1},
		{Name: "old", Value: x}, {Name: "far", Value: ad.Max(ad.Abs(x1), 0)}}}
}
