package compiler

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ppl/autodiff"
	"ppl/compiler/data"
	"ppl/compiler/model"
	"ppl/lang/diag"
)

// load compiles a model's text; the test fails with its diagnostics.
func load(t *testing.T, text string) *Program {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.ppl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, ds := Load(path, nil)
	if p == nil {
		var b strings.Builder
		diag.Render(&b, ds, false)
		t.Fatalf("the model does not compile:\n%s", b.String())
	}
	return p
}

type densityCase struct {
	name, model       string
	at                map[string]*data.Array
	prior, likelihood float64
}

func densityCases(t *testing.T) (cases []densityCase) {
	t.Helper()
	paths, err := filepath.Glob("testdata/density/*.txtar")
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
				file, err := data.Parse("at.json", f.Data)
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

func near(got, want, tol float64) bool { return math.Abs(got-want) <= tol*(1+math.Abs(want)) }

// Log ρ and log ℓ of small models that together use the language's constructs, against SciPy (testdata/density, whose
// oracle.py gives the numbers).
func TestDensity(t *testing.T) {
	for _, c := range densityCases(t) {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, c.model)
			lp, err := p.LogProb(c.at)
			if err != nil {
				t.Fatal(err)
			}
			if !near(lp.Prior, c.prior, 1e-10) {
				t.Errorf("log prior %.15g, want %.15g", lp.Prior, c.prior)
			}
			if !near(lp.Likelihood, c.likelihood, 1e-10) {
				t.Errorf("log likelihood %.15g, want %.15g", lp.Likelihood, c.likelihood)
			}
		})
	}
}

// The density in unconstrained coordinates is the one on the parameters' own scale plus the log-Jacobian, and its
// gradient is that of central differences.
func TestUnconstrainedDensity(t *testing.T) {
	for _, c := range densityCases(t) {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, c.model)
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
				if !near(got[i], want, 1e-5*(1+math.Abs(at(x)))) {
					t.Errorf("gradient %d is %g, differences give %g", i, got[i], want)
				}
			}
			values := autodiff.Eval(map[string][]float64{"theta": x}, p.Values(theta))[0]
			lp, err := p.LogProb(named(p, values))
			if err != nil {
				t.Fatal(err)
			}
			if total := lp.Prior + lp.Likelihood + lp.Jacobian; !noncentered(p) && !near(at(x), total, 1e-9) {
				t.Errorf("density %g in unconstrained coordinates, %g from the parts", at(x), total)
			}
		})
	}
}

// noncentered models have standard coordinates, whose density differs from the sum of the parts by the scales'
// logarithm.
func noncentered(p *Program) bool {
	for _, term := range p.Model().Terms {
		if term.NonCentered {
			return true
		}
	}
	return false
}

// named takes the parameters among saved values apart by name.
func named(p *Program, values []float64) map[string]*data.Array {
	out := map[string]*data.Array{}
	drawn := map[string]bool{}
	for _, a := range p.Model().Arrays {
		drawn[a.Name] = a.Role == model.Parameter || a.Role == model.Imputed
	}
	at := 0
	for _, v := range p.Saved() {
		if !drawn[v.Name] {
			at += v.Size()
			continue
		}
		out[v.Name] = &data.Array{Name: v.Name, Shape: v.Shape, Values: values[at : at+v.Size()]}
		at += v.Size()
	}
	return out
}
