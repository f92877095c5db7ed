package compiler

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// slow models solve differential equations to nine digits; both sides do, so that they can be compared.
var slow = []string{"lotka_volterra", "one_comp_mm_elim_abs", "soil_incubation"}

func stanCases(t *testing.T, f func(t *testing.T, c stanCase)) {
	t.Helper()
	paths, err := filepath.Glob("testdata/stan/*.points.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no points", err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".points.json")
		t.Run(name, func(t *testing.T) {
			if slices.Contains(slow, name) && (testing.Short() || os.Getenv("PPL_SLOW") == "") {
				t.Skip("slow: set PPL_SLOW=1")
			}
			f(t, stanCase{name, stanProgram(t, "testdata/stan/"+name+".ppl", name), stanPoints(t, path)})
		})
	}
}

func stanProgram(t *testing.T, path, name string) *Program {
	t.Helper()
	p, ds := Load(path, []DataArg{{Path: "testdata/stan/" + name + ".data.json"}})
	if p != nil {
		return p
	}
	var b strings.Builder
	diag.Render(&b, ds, false)
	if strings.Contains(b.String(), "not compiled by this version of ppl yet") {
		t.Skip(b.String())
	}
	t.Fatalf("the model does not compile:\n%s", b.String())
	return nil
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

// Our log ρ + log ℓ differs from Stan's by one constant over all points. Relative 1e-9 of the numbers, which both sides sum in
// an order of their own.
func TestAgainstStan(t *testing.T) {
	stanCases(t, func(t *testing.T, c stanCase) {
		for i, d := range c.deviations(t) {
			if !(d <= 1e-9) {
				t.Errorf("point %d: the difference to Stan's is not that at point 1; the two deviate by %.3g of the log density", i+1, d)
			}
		}
	})
}

// deviations is how much our log density less Stan's varies from the first point to each, relative to the largest of both.
func (c stanCase) deviations(t *testing.T) []float64 {
	t.Helper()
	var scale float64
	less := make([]float64, len(c.points))
	for i, p := range c.points {
		lp, err := c.program.LogProb(p.at)
		if err != nil {
			t.Fatal(err)
		}
		less[i] = lp.Prior + lp.Likelihood - p.logp
		scale = max(scale, math.Abs(p.logp), math.Abs(lp.Prior+lp.Likelihood))
	}
	d := make([]float64, len(less))
	for i := range d {
		d[i] = math.Abs(less[i]-less[0]) / scale
	}
	return d
}

// The comparison notices a prior's scale that is off by a thousandth.
func TestAgainstStanNoticesAFault(t *testing.T) {
	const name = "eight_schools_noncentered"
	text, err := os.ReadFile("testdata/stan/" + name + ".ppl")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model.ppl")
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), "HalfCauchy(5)", "HalfCauchy(5.005)", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := stanCase{name, stanProgram(t, file, name), stanPoints(t, "testdata/stan/"+name+".points.json")}
	if d := slices.Max(c.deviations(t)); d < 1e-6 {
		t.Errorf("deviates by only %g", d)
	}
}

// Gradients along a random direction of the unconstrained coordinates: the one that samplers use against central differences of
// the density, and LogProb's, on the parameters' own scale, against differences of its log ρ + log ℓ along the image of that
// direction. Differences of step h are good to h² and to the rounding of the density over h.
func TestStanModelsGradient(t *testing.T) {
	const h = 1e-5
	stanCases(t, func(t *testing.T, c stanCase) {
		x := startAt(c.program)
		dir, up, down := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
		r := rand.New(rand.NewPCG(7, 7))
		for i := range x {
			dir[i] = r.NormFloat64()
			up[i], down[i] = x[i]+h*dir[i], x[i]-h*dir[i]
		}
		g := autodiff.New()
		theta := g.Input("theta", len(x))
		prior, lik := c.program.Density(theta)
		y := autodiff.Add(prior, lik)
		grad, values := autodiff.Grad(y, theta)[0], c.program.Values(theta)
		eval := func(n autodiff.Node, x []float64) []float64 {
			return autodiff.Eval(map[string][]float64{"theta": x}, n)[0]
		}
		check := func(what string, got, up, down float64) {
			want := (up - down) / (2 * h)
			if tol := 1e-5*(1+math.Abs(want)) + 1e-10*math.Abs(up)/h; !(math.Abs(got-want) <= tol) {
				t.Errorf("%s: the gradient along a direction is %g, differences give %g", what, got, want)
			}
		}
		check("unconstrained", dot(eval(grad, x), dir), eval(y, up)[0], eval(y, down)[0])

		at := func(x []float64) (v map[string]*data.Array, lp *LogProb) {
			v = named(c.program, eval(values, x))
			lp, err := c.program.LogProb(v)
			if err != nil {
				t.Fatal(err)
			}
			return v, lp
		}
		_, here := at(x)
		vUp, lpUp := at(up)
		vDown, lpDown := at(down)
		along := 0.0
		for name, g := range here.Gradient {
			for i := range g {
				along += g[i] * (vUp[name].Values[i] - vDown[name].Values[i]) / (2 * h)
			}
		}
		check("own scale", along, lpUp.Prior+lpUp.Likelihood, lpDown.Prior+lpDown.Likelihood)
	})
}

// startAt is a point where the density is finite, on the parameters' own scale too: small coordinates, or one of the sampler's
// starts.
func startAt(p *Program) []float64 {
	r := rand.New(rand.NewPCG(5, 5))
	x := make([]float64, p.Dim())
	for i := range x {
		x[i] = 0.3 * r.NormFloat64()
	}
	for seed := uint64(1); seed < 100; seed++ {
		g := autodiff.New()
		lp, err := p.LogProb(named(p, autodiff.Eval(nil, p.Values(g.Data("theta", x, len(x))))[0]))
		if err == nil && finite(lp.Prior+lp.Likelihood) {
			return x
		}
		x = p.Start(seed, 0)
	}
	panic("no start has a finite density")
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}
