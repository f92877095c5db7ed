package lower_test

import (
	"testing"

	ad "ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
)

// TestFusion bounds the number of loop nests and instructions of gradients, on which the time of every step depends.
func TestFusion(t *testing.T) {
	bounds := map[string]struct{ kernels, calls, instrs int }{
		"five modes":    {5, 0, 90},
		"eight schools": {3, 0, 70},
		"logistic":      {4, 2, 60},
		"radon":         {4, 0, 100},
		"mixture":       {11, 0, 190}, // one of them over the rows
		"gp":            {9, 7, 115},
	}
	for _, d := range densities() {
		g := ad.New()
		theta := g.Input("theta", d.dim)
		lp := d.logp(g, theta)
		p := program(t,
			lower.Entry{Name: "f", Assign: []lower.Assign{{Name: "lp", Value: lp},
				{Name: "grad", Value: ad.Grad(lp, theta)[0]}}})
		kernels, calls, instrs := count(p.Entries[0])
		t.Logf("%s: %d kernels, %d calls, %d instructions", d.name, kernels, calls, instrs)
		if b := bounds[d.name]; kernels > b.kernels || calls > b.calls || instrs > b.instrs {
			t.Errorf("%s: more than %+v", d.name, b)
		}
	}
}

func count(e ir.Entry) (kernels, calls, instrs int) {
	for _, s := range e.Body {
		if k, ok := s.(*ir.Kernel); ok {
			kernels++
			instrs += len(k.Body)
			continue
		}
		calls++
	}
	return kernels, calls, instrs
}
