package compilertest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"ppl/autodiff"
	"ppl/compiler"
)

// rowsAtATime is the largest number of rows that SplitAgrees evaluates at once.
const rowsAtATime = 600

// SplitAgrees compares the density by rows, as minibatches use it, with the complete density at the same point: log ρ;
// log ℓ as the part without rows plus the terms of all rows in random order; and the gradients. The tolerance is
// relative to the sum of absolute terms, because the order of summation differs.
func SplitAgrees(p *compiler.Program, r *rand.Rand) error {
	theta, want, wantGrad := Somewhere(p, r)
	prior, got, scale := 0.0, 0.0, 1.0
	gotGrad := make([]float64, p.Dim())
	n, _ := p.Rows()
	order := r.Perm(n)
	var split splitter
	for from := 0; from < n; from += rowsAtATime {
		m := min(rowsAtATime, n-from)
		if split.size != m {
			split = newSplitter(p, m)
		}
		s := split.at(theta, order[from:from+m])
		prior = s.prior
		if from == 0 {
			got += s.whole
			add(gotGrad, s.wholeGrad)
		}
		for _, v := range s.terms {
			got += v
			scale += math.Abs(v)
		}
		add(gotGrad, s.termsGrad)
	}
	if wantPrior := want[0]; !Within(prior, wantPrior, 1e-10*(1+math.Abs(wantPrior))) {
		return fmt.Errorf("log ρ is %v, want %v", prior, wantPrior)
	}
	if !Within(got, want[1], 1e-10*scale) {
		return fmt.Errorf("log ℓ is %v, want %v", got, want[1])
	}
	top := 1.0
	for _, g := range wantGrad {
		top = max(top, math.Abs(g))
	}
	for i, g := range wantGrad {
		if !Within(gotGrad[i], g, 1e-8*max(top, scale)) {
			return fmt.Errorf("∂log ℓ/∂θ[%d] is %v, want %v", i, gotGrad[i], g)
		}
	}
	return nil
}

func add(to, x []float64) {
	for i, v := range x {
		to[i] += v
	}
}

// A splitter evaluates batches of one size.
type splitter struct {
	size  int
	nodes []autodiff.Node
}

type splitAt struct {
	prior, whole                float64
	terms, wholeGrad, termsGrad []float64
}

func newSplitter(p *compiler.Program, m int) splitter {
	g := autodiff.New()
	x, rows := g.Input("theta", p.Dim()), g.Input("rows", m)
	prior, whole, terms := p.Split(x, rows)
	return splitter{m, []autodiff.Node{prior, whole, terms, autodiff.Grad(whole, x)[0],
		autodiff.Grad(autodiff.SumAll(terms), x)[0]}}
}

func (s splitter) at(theta []float64, rows []int) splitAt {
	numbers := make([]float64, len(rows))
	for i, r := range rows {
		numbers[i] = float64(r)
	}
	v := autodiff.Eval(map[string][]float64{"theta": theta, "rows": numbers}, s.nodes...)
	return splitAt{v[0][0], v[1][0], v[2], v[3], v[4]}
}
