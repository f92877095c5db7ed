package compiler

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/data"
	"ppl/lang/diag"
)

// A stanCase is a posterior of posteriordb: a model, its data, and Stan's log density at some points (testdata/stan, whose
// reference.py gives the numbers). Stan drops constants.
type stanCase struct {
	name    string
	program *Program
	points  []stanPoint
}

type stanPoint struct {
	at   map[string]*data.Array
	logp float64
}

func stanCases(t *testing.T, f func(t *testing.T, c stanCase)) {
	t.Helper()
	paths, err := filepath.Glob("testdata/stan/*.points.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no points", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".points.json")
		t.Run(name, func(t *testing.T) { f(t, stanCase{name, stanProgram(t, name), stanPoints(t, path)}) })
	}
}

func stanProgram(t *testing.T, name string) *Program {
	t.Helper()
	base := filepath.Join("testdata/stan", name)
	p, ds := Load(base+".ppl", []DataArg{{Path: base + ".data.json"}})
	if p == nil {
		var b strings.Builder
		diag.Render(&b, ds, false)
		t.Fatalf("the model does not compile:\n%s", b.String())
	}
	return p
}

func stanPoints(t *testing.T, path string) (points []stanPoint) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Points []struct {
			At   json.RawMessage
			Logp float64
		}
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(path, err)
	}
	for _, p := range file.Points {
		at, err := data.Parse("at.json", p.At)
		if err != nil {
			t.Fatal(path, err)
		}
		points = append(points, stanPoint{at.Arrays, p.Logp})
	}
	return points
}

// looser tolerances, where the numbers themselves say no more than that.
var looser = map[string]float64{}

// Our log ρ + log ℓ differs from Stan's by one constant over all points. Relative 1e-9 of the numbers, which both sides sum in
// an order of their own.
func TestAgainstStan(t *testing.T) {
	stanCases(t, func(t *testing.T, c stanCase) {
		tol := max(1e-9, looser[c.name])
		var first, scale float64
		for i, point := range c.points {
			lp, err := c.program.LogProb(point.at)
			if err != nil {
				t.Fatal(err)
			}
			ours := lp.Prior + lp.Likelihood
			scale = max(scale, math.Abs(ours), math.Abs(point.logp))
			if i == 0 {
				first = ours - point.logp
			} else if d := ours - point.logp; !(math.Abs(d-first) <= tol*scale) {
				t.Errorf("point %d: we give %.15g, Stan %.15g; they differ by %.15g, at point 1 by %.15g", i+1, ours, point.logp, d, first)
			}
		}
	})
}

// Gradients along a random direction of the unconstrained coordinates: the one that samplers use against central differences of
// the density, and LogProb's, on the parameters' own scale, against differences of its log ρ + log ℓ along the image of that
// direction. Differences of step h = 1e-5 are good to h² and to the rounding of the density over h.
func TestStanModelsGradient(t *testing.T) {
	stanCases(t, func(t *testing.T, c stanCase) {
		p := c.program
		g := autodiff.New()
		theta := g.Input("theta", p.Dim())
		prior, lik := p.Density(theta)
		y := autodiff.Add(prior, lik)
		grad, values := autodiff.Grad(y, theta)[0], p.Values(theta)
		eval := func(x []float64, n autodiff.Node) []float64 {
			return autodiff.Eval(map[string][]float64{"theta": x}, n)[0]
		}

		r := rand.New(rand.NewPCG(7, 7))
		x, up, down, dir := make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim()), make([]float64, p.Dim())
		const h = 1e-5
		for i := range x {
			x[i], dir[i] = 0.3*r.NormFloat64(), r.NormFloat64()
			up[i], down[i] = x[i]+h*dir[i], x[i]-h*dir[i]
		}
		at := eval(x, y)[0]
		check := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-5*(1+math.Abs(want))+1e-10*math.Abs(at)/h) {
				t.Errorf("%s: gradient along a direction is %g, differences give %g (density %g)", what, got, want, at)
			}
		}
		check("unconstrained", dot(eval(x, grad), dir), (eval(up, y)[0]-eval(down, y)[0])/(2*h))

		var lps [3]*LogProb
		var vs [3]map[string]*data.Array
		for i, x := range [][]float64{down, x, up} {
			var err error
			vs[i] = named(p, eval(x, values))
			if lps[i], err = p.LogProb(vs[i]); err != nil {
				t.Fatal(err)
			}
		}
		along := 0.0
		for name, g := range lps[1].Gradient {
			for i := range g {
				along += g[i] * (vs[2][name].Values[i] - vs[0][name].Values[i]) / (2 * h)
			}
		}
		check("own scale", along, (lps[2].Prior+lps[2].Likelihood-lps[0].Prior-lps[0].Likelihood)/(2*h))
	})
}

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
