package compiler

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"ppl/autodiff"
)

// everyModel runs f on every example, every posterior of testdata/stan and every model of testdata/density.
func everyModel(t *testing.T, f func(t *testing.T, p *Program)) {
	t.Helper()
	paths, err := filepath.Glob("../examples/*.ppl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no examples", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			p, ds := Load(path, nil)
			if p == nil {
				t.Fatal(ds)
			}
			f(t, p)
		})
	}
	stanCases(t, func(t *testing.T, c stanCase) { f(t, c.program) })
}

// rowsAtATime bounds what a test evaluates.
const rowsAtATime = 600

// TestSplitSumsToLikelihood: for every model with rows, log ρ and whole + Σ terms are those of the density, at a random point, and so are
// their gradients; a batch in another order gives the same terms in that order. Relative 1e-10 of the sum of absolute terms: the sums are
// taken in other orders.
func TestSplitSumsToLikelihood(t *testing.T) {
	everyModel(t, func(t *testing.T, p *Program) {
		if n, err := p.Rows(); err != nil {
			t.Skip(err)
		} else if n > 40_000 {
			t.Skip(n, "rows")
		}
		if err := splitAgrees(p, rand.New(rand.NewPCG(1, 2))); err != nil {
			t.Error(err)
		}
	})
}

// splitAgrees compares Split over all rows with Density.
func splitAgrees(p *Program, r *rand.Rand) error {
	theta, want, wantGrad := somewhere(p, r)
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
	if wantPrior := want[0]; !close(prior, wantPrior, 1e-10*(1+math.Abs(wantPrior))) {
		return fmt.Errorf("log ρ is %v, want %v", prior, wantPrior)
	}
	if !close(got, want[1], 1e-10*scale) {
		return fmt.Errorf("log ℓ is %v, want %v", got, want[1])
	}
	top := 1.0
	for _, g := range wantGrad {
		top = max(top, math.Abs(g))
	}
	for i, g := range wantGrad {
		if !close(gotGrad[i], g, 1e-8*max(top, scale)) {
			return fmt.Errorf("∂log ℓ/∂θ[%d] is %v, want %v", i, gotGrad[i], g)
		}
	}
	return nil
}

// somewhere is a point near a start where the density is finite, with log ρ, log ℓ and the gradient of log ℓ there.
func somewhere(p *Program, r *rand.Rand) (theta, values, grad []float64) {
	for walker := range 20 {
		theta = p.Start(1, walker)
		for i := range theta {
			theta[i] = math.Ldexp(theta[i], -walker) + 0.1*r.NormFloat64() // nearer and nearer to 0
		}
		values, grad = likelihood(p, theta)
		if !math.IsNaN(values[0]+values[1]) && !math.IsInf(values[0]+values[1], 0) {
			return theta, values, grad
		}
	}
	return theta, values, grad
}

func add(to, x []float64) {
	for i, v := range x {
		to[i] += v
	}
}

// close holds for equal infinities and NaN too.
func close(a, b, tol float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= tol
}

// likelihood is log ρ and log ℓ, and the gradient of log ℓ.
func likelihood(p *Program, theta []float64) (values, grad []float64) {
	x := autodiff.New().Input("theta", p.Dim())
	prior, lik := p.Density(x)
	out := autodiff.Eval(map[string][]float64{"theta": theta}, prior, lik, autodiff.Grad(lik, x)[0])
	return []float64{out[0][0], out[1][0]}, out[2]
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

func newSplitter(p *Program, m int) splitter {
	g := autodiff.New()
	x, rows := g.Input("theta", p.Dim()), g.Input("rows", m)
	prior, whole, terms := p.Split(x, rows)
	return splitter{m, []autodiff.Node{prior, whole, terms, autodiff.Grad(whole, x)[0], autodiff.Grad(autodiff.SumAll(terms), x)[0]}}
}

func (s splitter) at(theta []float64, rows []int) splitAt {
	numbers := make([]float64, len(rows))
	for i, r := range rows {
		numbers[i] = float64(r)
	}
	v := autodiff.Eval(map[string][]float64{"theta": theta, "rows": numbers}, s.nodes...)
	return splitAt{v[0][0], v[1][0], v[2], v[3], v[4]}
}

var _ = strings.Join
