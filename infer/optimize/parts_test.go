package optimize

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"ppl/lang/types"
)

// weights is a regression whose coefficients count as weights of a network.
type weights struct{ overfitted }

func (w weights) Blocks() []types.Block {
	return []types.Block{{Parameter: "f", Size: w.d, Layer: "dense", Inputs: w.d, Outputs: 1}}
}

// TestAllRowsInParts checks that the density and gradient of a network, computed in parts of the rows whose number does
// not divide all rows, equal those computed directly, up to single precision. Each row contributes so much that a
// missing or repeated row would be detected.
func TestAllRowsInParts(t *testing.T) {
	const dim = 1000
	r := rand.New(rand.NewPCG(5, 9))
	target := weights{overfitted{d: dim}}
	for range fitRows * dim {
		target.x = append(target.x, r.NormFloat64())
	}
	for range fitRows {
		target.y = append(target.y, 50+r.NormFloat64())
	}
	target.build()
	o := options("adam")
	o.Starts, o.Batch = 2, 7
	p, err := open(context.Background(), target, target, o)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	if !p.network {
		t.Fatal("the target is not treated as a network")
	}
	at := make([][]float64, o.Starts)
	for k := range at {
		for range dim {
			at[k] = append(at[k], r.NormFloat64()/10)
		}
	}
	got, err := p.evaluate(at)
	if err != nil {
		t.Fatal(err)
	}
	before := p.gradients
	if again, err := p.evaluate(at[1:]); err != nil || again[0].logLik != got[1].logLik || p.gradients != before {
		t.Errorf("evaluated again: %v, %v, %d gradients", again[0], err, p.gradients-before)
	}
	for k, theta := range at {
		prior, lik, least := -floats.Dot(theta, theta)/20000, 0.0, math.Inf(1)
		gradient := make([]float64, dim)
		floats.AddScaled(gradient, -1./10000, theta)
		for row := range fitRows {
			l, x := target.logLik(theta, row), target.x[row*dim:(row+1)*dim]
			lik, least = lik+l, min(least, -l)
			floats.AddScaled(gradient, target.y[row]-floats.Dot(x, theta), x)
		}
		const tol = 1e-5
		if least < 2*tol*-lik {
			t.Errorf("a row contributes only %v of %v, so the test would not detect that it is missing", least, -lik)
		}
		if math.Abs(got[k].logPrior-prior) > tol*-prior || math.Abs(got[k].logLik-lik) > tol*-lik {
			t.Errorf("point %d: log ρ %v, log ℓ %v, want %v and %v", k, got[k].logPrior, got[k].logLik, prior, lik)
		}
		if d := floats.Distance(got[k].gradient, gradient, 2); d > tol*floats.Norm(gradient, 2) {
			t.Errorf("point %d: the error of the gradient is %v of %v", k, d, floats.Norm(gradient, 2))
		}
	}
}
