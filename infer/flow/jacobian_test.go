package flow

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"ppl/autodiff"
)

func checkJacobian(t *testing.T, f family, dim int) {
	r := rand.New(rand.NewPCG(1, 2))
	g := autodiff.New()
	probe := f.start(r.NormFloat64)
	for i := range probe {
		probe[i] += 0.5 * r.NormFloat64()
	}
	z, logDet := f.push(g.Input("phi", f.size()), g.Input("eps", dim))
	at := func(eps []float64) ([]float64, float64) {
		out := autodiff.Eval(map[string][]float64{"phi": probe, "eps": eps}, z, logDet)
		return out[0], out[1][0]
	}
	eps := make([]float64, dim)
	for i := range eps {
		eps[i] = r.NormFloat64()
	}
	_, got := at(eps)
	const h = 1e-5
	j := mat.NewDense(dim, dim, nil)
	for c := range dim {
		up, down := append([]float64(nil), eps...), append([]float64(nil), eps...)
		up[c] += h
		down[c] -= h
		zu, _ := at(up)
		zd, _ := at(down)
		for i := range dim {
			j.Set(i, c, (zu[i]-zd[i])/(2*h))
		}
	}
	want, _ := mat.LogDet(j)
	if math.Abs(got-want) > 1e-7 {
		t.Errorf("log |det T'| = %.9f, by differences %.9f", got, want)
	}
}
