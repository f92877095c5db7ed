//go:build !nonative && (linux || darwin) && (amd64 || arm64)

package gpu_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ppl/autodiff"
	"ppl/compiler/backend/ir"
	"ppl/compiler/backend/lower"
	"ppl/compiler/compilertest"
	"ppl/infer"
	"ppl/infer/dynamics"
	"ppl/runtime/device"
	"ppl/runtime/gpu"
	"ppl/runtime/host"
)

// regressions are models whose statements over rows share a loop over rows.
var regressions = map[string]string{
	"logistic": `
b[D] ~ Normal(0, 1)
binary[i in N] ~ Bernoulli(logits = x[i] @ b)`,
	"normal": `
a ~ Normal(0, 5)
b[D] ~ Normal(0, 1)
s ~ HalfNormal(2)
real[i in N] ~ Normal(a + x[i] @ b, s)`,
	"groups": `
b[D] ~ Normal(0, 1)
base[G] ~ Normal(0, 2)
count[i in N] ~ Poisson(exp(base[group[i]] + x[i] @ b))`,
	"two products": `
b[D] ~ Normal(0, 1)
c[E] ~ Normal(0, 0.3)
real[i in N] ~ StudentT(4, x[i] @ b, exp(z[i] @ c))`,
}

// regression returns the density of one of these models on 1,501 rows, with its gradient, and starting points.
func regression(t *testing.T, text string, bits int) (*ir.Program, func(lane int) []float64) {
	t.Helper()
	const rows = 1501
	r := rand.New(rand.NewPCG(1, 2))
	all := map[string][]any{}
	for range rows {
		number := func() float64 { return math.Round(1000*r.NormFloat64()) / 1000 }
		for name, v := range map[string]any{"x": []float64{number(), number(), number(), number(), number()},
			"z": []float64{number(), number(), number()}, "binary": r.IntN(2), "real": number(), "count": r.IntN(5),
			"group": 1 + r.IntN(7)} {
			all[name] = append(all[name], v)
		}
	}
	declared := ""
	used := map[string][]any{}
	for name, what := range map[string]string{"x": "x[N, D]", "z": "z[N, E]", "binary": "binary[N]: int in 0..1",
		"real": "real[N]", "count": "count[N]: int in 0..inf", "group": "group[N]: index(G)"} {
		if strings.Contains(text, name+"[") {
			declared += "data " + what + "\n"
			used[name] = all[name]
		}
	}
	data, err := json.Marshal(used)
	if err != nil {
		t.Fatal(err)
	}
	target := infer.InPrecision(compilertest.LoadWith(t, declared+text, string(data)), bits)
	g := autodiff.New()
	theta := g.Input(dynamics.Theta, target.Dim())
	prior, likelihood := target.Density(theta)
	gradient := autodiff.Grad(autodiff.Binary(autodiff.OpAdd, prior, likelihood), theta)[0]
	p, err := lower.Program([]lower.Entry{{Name: "density", Assign: []lower.Assign{
		{Name: "likelihood", Value: likelihood}, {Name: "gradient", Value: gradient}}}})
	if err != nil {
		t.Fatal(err)
	}
	return p, func(lane int) []float64 { return target.Start(1, lane) }
}

// densities returns the log likelihood and the gradient of the last lane.
func densities(t *testing.T, d device.Device, p *ir.Program, start func(lane int) []float64, lanes int) []float64 {
	t.Helper()
	x, err := d.Load(p, device.Options{Lanes: lanes})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for l := range lanes {
		x.SetLane(dynamics.Theta, l, start(l-lanes)) // the last lane has the same point whatever their number
	}
	if _, err := x.Run([]device.Call{{Entry: "density", Times: 1}}, 0, nil); err != nil {
		t.Fatal(err)
	}
	all := make([]float64, 1+x.Size("gradient"))
	x.GetLane("likelihood", lanes-1, all[:1])
	x.GetLane("gradient", lanes-1, all[1:])
	return all
}

// TestRowPasses checks that statements that share a loop over rows compute what the host computes, by points and by
// lanes with the same bytes, for any number of lanes.
func TestRowPasses(t *testing.T) {
	for name, text := range regressions {
		for bits, tol := range map[int]float64{64: 1e-12, 32: 1e-5} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				p, start := regression(t, text, bits)
				d, _ := open(t, gpu.ByPoints(true), gpu.InBlocksOf(4), gpu.Poisoned())
				if written := gpu.Text(p, 4); !strings.Contains(written, "first < rows") {
					t.Fatalf("no loop over rows:\n%s", written)
				}
				got := densities(t, d, p, start, 3)
				if want := densities(t, host.Device{}, p, start, 3); !compilertest.AllNear(got, want, tol) {
					t.Errorf("%d bits: %v, on host %v", bits, got, want)
				}
				lanes, _ := open(t, gpu.ByPoints(false))
				points, _ := open(t, gpu.ByPoints(true), gpu.InBlocksOf(16))
				for _, d := range []device.Device{lanes, points} {
					if again := densities(t, d, p, start, 40); !slices.Equal(again, got) {
						t.Errorf("%d bits: %v by points, %v otherwise", bits, got, again)
					}
				}
			})
		}
	}
}

// TestRowPassFaults checks that TestRowPasses notices a row that is left out, a row that takes the number of another,
// and rows after the last block that are left out.
func TestRowPassFaults(t *testing.T) {
	p, start := regression(t, regressions["two products"], 64)
	want := densities(t, host.Device{}, p, start, 3)
	for name, fault := range map[string][2]string{
		"none":                 {"first < rows", "first < rows"},
		"a row of a product":   {"(first + 1)", "(first + 0)"},
		"a row of a kernel":    {"const long i0 = first + 1;", "const long i0 = first + 0;"},
		"the rows at the end":  {"for (; first < rows;", "for (; first < rows - 1;"},
		"the number of a row":  {"(first + 1)] * y1", "(first + 1)] * y0"},
		"numbers between rows": {"[0 + 1] = s1;", "[0 + 0] = s1;"},
	} {
		_, sim := open(t)
		sim.About.Compiler = "row passes" + fault[0] + fault[1] // nothing wrong in the cache
		d := gpu.New(faulty{sim, fault[0], fault[1]}, gpu.ByPoints(true), gpu.InBlocksOf(4))
		got := densities(t, d, p, start, 3)
		if agrees := compilertest.AllNear(got, want, 1e-12); agrees != (name == "none") {
			t.Errorf("%s: %v, on host %v", name, got, want)
		}
	}
}

// TestRowPassLaunches checks what a gradient over many rows costs: launches for the rows, for two levels of sums, and
// for what follows, of which the first uses no scratch memory.
func TestRowPassLaunches(t *testing.T) {
	p, _ := regression(t, regressions["logistic"], 64)
	text := gpu.Text(p, 28)
	if first, _, _ := strings.Cut(text, "\n"); first != "// For 28 lanes: density 4 launches by points." {
		t.Error(first)
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "STAGE(e0_0,") && strings.Contains(line, "c->warp") {
			t.Error("the rows use scratch memory: ", line)
		}
	}
}
