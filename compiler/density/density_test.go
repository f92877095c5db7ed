package density_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ppl/autodiff"
	"ppl/compiler"
	"ppl/compiler/compilertest"
	"ppl/compiler/datasets/datafile"
	"ppl/compiler/datasets/datafile/content"
	"ppl/lang/parse"
	"ppl/lang/source"
)

type densityCase struct {
	name, model       string
	at                map[string]*content.Array
	prior, likelihood float64
}

func densityCases(t *testing.T) (cases []densityCase) {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no density cases", err)
	}
	for _, path := range paths {
		ar, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		c := densityCase{name: strings.TrimSuffix(filepath.Base(path), ".txtar")}
		for _, f := range ar.Files {
			switch f.Name {
			case "model.ppl":
				c.model = string(f.Data)
			case "at.json":
				file, err := datafile.Parse("at.json", f.Data)
				if err != nil {
					t.Fatal(err)
				}
				c.at = file.Arrays
			case "want":
				if _, err := fmt.Sscanf(string(f.Data), "prior %g\nlikelihood %g", &c.prior,
					&c.likelihood); err != nil {
					t.Fatal(path, err)
				}
			}
		}
		cases = append(cases, c)
	}
	return cases
}

// TestDensity compares log ρ and log ℓ of small models, which together use the constructs of the language, with SciPy
// (testdata; oracle.py computes the numbers).
func TestDensity(t *testing.T) {
	t.Parallel()
	for _, c := range densityCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, c.model)
			lp, err := p.LogProb(c.at)
			if err != nil {
				t.Fatal(err)
			}
			if !compilertest.Near(lp.Prior, c.prior, 1e-10) {
				t.Errorf("log prior %.15g, want %.15g", lp.Prior, c.prior)
			}
			if !compilertest.Near(lp.Likelihood, c.likelihood, 1e-10) {
				t.Errorf("log likelihood %.15g, want %.15g", lp.Likelihood, c.likelihood)
			}
		})
	}
}

// TestOrderOfStatements checks that a model's density does not depend on the order of its statements, including series
// whose axes follow from a statement after those that read them.
func TestOrderOfStatements(t *testing.T) {
	t.Parallel()
	cases := append(densityCases(t), densityCase{name: "axes of a series", likelihood: -4.66306559961402, model: "" +
		"data y[T] = [1, 2, 1.5]\ns = 2\nK[t in T] = P[t] / s\na[1] = 0\nP[1] = [1, 0]\n" +
		"a[t in 2..T] = a[t-1] + K[t-1, 1]\nP[t in 2..T] = P[t-1] * K[t-1, 1]\n" +
		"y[t in T] ~ Normal(a[t], 1)\n"})
	r, most := rand.New(rand.NewPCG(1, 2)), 2
	if testing.Short() {
		most = 1
	}
	for _, c := range cases {
		for range most {
			text := shuffled(t, c.model, r)
			lp, err := compilertest.Load(t, text).LogProb(c.at)
			if err != nil || !compilertest.Near(lp.Prior, c.prior, 1e-10) ||
				!compilertest.Near(lp.Likelihood, c.likelihood, 1e-10) {
				t.Errorf("%s: %v, prior %.15g and likelihood %.15g in the order\n%s", c.name, err, lp.Prior,
					lp.Likelihood, text)
			}
		}
	}
}

// shuffled returns a model with its statements in another order.
func shuffled(t *testing.T, model string, r *rand.Rand) (text string) {
	t.Helper()
	f, ds := parse.File(source.New("model.ppl", model))
	if len(ds) > 0 {
		t.Fatal(ds)
	}
	for _, i := range r.Perm(len(f.Stmts)) {
		text += f.Stmts[i].Span().Text() + "\n"
	}
	return text
}

// TestUnconstrainedDensity checks that the density in unconstrained coordinates is the density on the parameters' own
// scale plus the log-Jacobian, and compares its gradient with central differences.
func TestUnconstrainedDensity(t *testing.T) {
	t.Parallel()
	for _, c := range densityCases(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := compilertest.Load(t, c.model)
			g := autodiff.New()
			theta := g.Input("theta", p.Dim())
			prior, lik := p.Density(theta)
			y := autodiff.Add(prior, lik)
			grad := autodiff.Grad(y, theta)[0]
			x := p.Start(3, 0)
			at := func(x []float64) float64 { return autodiff.Eval(map[string][]float64{"theta": x}, y)[0][0] }
			got := autodiff.Eval(map[string][]float64{"theta": x}, grad)[0]
			for i := range x {
				h := 1e-5 * (1 + math.Abs(x[i]))
				up, down := append([]float64{}, x...), append([]float64{}, x...)
				up[i], down[i] = x[i]+h, x[i]-h
				want := (at(up) - at(down)) / (2 * h)
				if !compilertest.Near(got[i], want, 1e-5*(1+math.Abs(at(x)))) {
					t.Errorf("gradient %d is %g, differences give %g", i, got[i], want)
				}
			}
			values := autodiff.Eval(map[string][]float64{"theta": x}, p.Values(theta))[0]
			lp, err := p.LogProb(compilertest.Parameters(p, values))
			if err != nil {
				t.Fatal(err)
			}
			if total := lp.Prior + lp.Likelihood + lp.Jacobian; !noncentered(p) && !compilertest.Near(at(x), total,
				1e-9) {
				t.Errorf("density %g in unconstrained coordinates, %g from the parts", at(x), total)
			}
		})
	}
}

// noncentered reports whether a model has noncentered coordinates, in which the density differs by the logarithms of
// the scales.
func noncentered(p *compiler.Program) bool {
	for _, term := range p.Model().Terms {
		if term.NonCentered {
			return true
		}
	}
	return false
}
